import { DAY_MS, epochMs, toIso, type EpochMs } from '../../core/brand.ts';
import type { TradingCalendar } from '../../calendar/index.ts';

export const MINUTE_MS = 60_000;

/** Day number of a session's date: whole days since 1970-01-01. */
export type Day = number;

export const dayOf = (at: number): Day => Math.floor(at / DAY_MS);

/** The calendar's first day; no session is earlier. */
export const FIRST_DAY = dayOf(Date.UTC(2000, 0, 1));
const LAST_DAY = dayOf(Date.UTC(2050, 11, 31));
/** Day number of 1970-01-05. */
const FIRST_MONDAY = 4;

export const weekOf = (day: Day): number => Math.floor((day - FIRST_MONDAY) / 7);

/** Weekdays since 1970-01-05, the time axis of prices. A weekend counts as the Friday before. */
export const weekdaysTo = (day: Day): number => {
  const week = weekOf(day);
  return week * 5 + Math.min(day - FIRST_MONDAY - week * 7, 4);
};

export type SessionDay = Readonly<{ day: Day; open: EpochMs; close: EpochMs; minutes: number }>;

/** Time from a close to the next open. Extended trading ends at `restsFrom` and starts again at `resumesAt`. */
export type Recess = Readonly<{
  next: SessionDay;
  closedAt: EpochMs;
  restsFrom: EpochMs;
  resumesAt: EpochMs;
  opensAt: EpochMs;
}>;

/** The calendar by day number. Sessions in New York open on the UTC day of their date. */
export interface Timetable {
  /** The latest session that opened by an instant. Null before the first. */
  openedBy(at: number): SessionDay | null;
  before(day: Day): SessionDay | null;
  after(day: Day): SessionDay | null;
  /** Null after the last session. */
  recessAfter(session: SessionDay): Recess | null;
}

export function createTimetable(calendar: TradingCalendar): Timetable {
  const known = new Map<Day, SessionDay | null>();

  const read = (day: Day): SessionDay | null => {
    const session = calendar.sessionOn(toIso(epochMs(day * DAY_MS)).slice(0, 10));
    if (!session) return null;
    const { open, close } = session;
    return { day, open, close, minutes: (close - open) / MINUTE_MS };
  };
  const on = (day: Day): SessionDay | null => {
    let session = known.get(day);
    if (session === undefined) known.set(day, (session = read(day)));
    return session;
  };
  const before = (day: Day): SessionDay | null => {
    for (let earlier = Math.min(day - 1, LAST_DAY); earlier >= FIRST_DAY; earlier--) {
      const session = on(earlier);
      if (session) return session;
    }
    return null;
  };
  const after = (day: Day): SessionDay | null => {
    for (let later = Math.max(day + 1, FIRST_DAY); later <= LAST_DAY; later++) {
      const session = on(later);
      if (session) return session;
    }
    return null;
  };
  const openedBy = (at: number): SessionDay | null => {
    const newest = before(dayOf(at) + 1);
    return newest && newest.open > at ? before(newest.day) : newest;
  };
  const recessAfter = ({ day, close: closedAt }: SessionDay): Recess | null => {
    const next = after(day);
    if (!next) return null;
    const post = calendar.phaseAt(closedAt);
    const restsFrom = post.nextChange;
    const resumesAt = post.next === 'closed' ? calendar.phaseAt(restsFrom).nextChange : restsFrom;
    return { next, closedAt, restsFrom, resumesAt, opensAt: next.open };
  };

  return { openedBy, before, after, recessAfter };
}
