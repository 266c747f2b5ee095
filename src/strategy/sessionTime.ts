import { newYorkTime, type Session, type TradingCalendar } from '../calendar/index.ts';
import { MINUTE_MS, DAY_MS, epochMs, type EpochMs } from '../core/brand.ts';
import { InvalidValueError } from '../core/errors.ts';
import type { DataNeeds, SessionView, TimerDay, TimerNeed } from './contract.ts';
import type { SessionTime } from './orderTerms.ts';

/** Weekday of 1970-01-01, counted from Monday. */
const EPOCH_WEEKDAY = 3;

/** Examples that every message about a wrong time shows. */
export const SESSION_TIME_FORMS = '"10:30" (New York), "open+15m" or "close-1h30m"';

const WALL = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
const RELATIVE = /^(?:(open)(?:\+(?=\d)|$)|(close)(?:-(?=\d)|$))(?:(\d{1,2})h)?(?:(\d{1,3})m)?$/;
/** True for a wall time, `HH:MM`. */
export const isWallTime = (time: string): boolean => WALL.test(time);

const FIRST_WALL = '09:30';
const LAST_WALL = '16:00';
/** Minutes of a full regular session. */
const MINUTES_MAX = 390;

/** Session time as New York wall time `HH:MM`, or as minutes after the open or before the close. */
export type SessionTimeForm = Readonly<{ wall: string } | { from: 'open' | 'close'; minutes: number }>;

/** Parses a session time; null for other texts and for a time in no session, such as `08:00` or `open+7h`. */
export function readSessionTime(time: SessionTime): SessionTimeForm | null {
  if (WALL.test(time)) return time >= FIRST_WALL && time <= LAST_WALL ? { wall: time } : null;
  const [, open, close, hours = '0', rest = '0'] = RELATIVE.exec(time) ?? [];
  const minutes = Number(hours) * 60 + Number(rest);
  if ((!open && !close) || minutes > MINUTES_MAX) return null;
  return { from: open ? 'open' : 'close', minutes };
}

/**
 * Instant of a session time. Null if this session does not include it: `15:30` on a day with an early close, or
 * `open+5h`. A timer then does not fire that day. The open and the close are included.
 * @throws {InvalidValueError} when no session can ever include it
 */
export function instantOf(time: SessionTime, session: SessionView): EpochMs | null {
  const form = readSessionTime(time);
  if (!form)
    throw new InvalidValueError(`"${time}" is not a time of a session: write ${SESSION_TIME_FORMS}`, {
      time,
    });
  const at = instantIn(session, form);
  return at >= session.open && at <= session.close ? at : null;
}

function instantIn(session: SessionView, form: SessionTimeForm): EpochMs {
  if ('wall' in form) return newYorkTime(session.date, form.wall);
  const { from, minutes } = form;
  return epochMs(from === 'open' ? session.open + minutes * MINUTE_MS : session.close - minutes * MINUTE_MS);
}

/** Timer of a strategy, with its name and the time at which it fires. */
export type Timer = Readonly<{ name: string; at: EpochMs }>;

/** Timers of a strategy on the days of sessions, earliest first. */
export function timersIn(
  { timers = [] }: Pick<DataNeeds, 'timers'>,
  sessions: readonly Session[],
  calendar: TradingCalendar,
): Timer[] {
  const all: Timer[] = [];
  for (const need of timers)
    for (const session of sessions)
      for (const at of timerInstants(need, session, calendar)) all.push({ name: need.name, at });
  return all.sort((a, b) => a.at - b.at);
}

/** Number of consecutive sessions that always contains the beginning and the end of a month. */
const MONTH_OF_SESSIONS = 25;

/** First timer of a strategy after an instant, on the days of sessions in a row or within a month after them. */
export function nextTimer(
  needs: Pick<DataNeeds, 'timers'>,
  sessions: readonly Session[],
  { now, calendar }: Readonly<{ now: EpochMs; calendar: TradingCalendar }>,
): Timer | null {
  const known = timersIn(needs, sessions, calendar).find(({ at }) => at > now);
  let session = sessions.at(-1);
  if (known || !session || !needs.timers?.length) return known ?? null;
  for (let count = 0; count < MONTH_OF_SESSIONS; count++) {
    session = calendar.nextSession(session.open);
    const [first] = timersIn(needs, [session], calendar);
    if (first) return first;
  }
  return null;
}

/** Times of a timer on the day of a session, earliest first; empty on a day to which it does not apply. */
export function timerInstants(need: TimerNeed, session: Session, calendar: TradingCalendar): EpochMs[] {
  if (need.on !== undefined && !isDayOf(need.on, session, calendar)) return [];
  if (need.every !== undefined) return each(need.every.minutes * MINUTE_MS, session);
  const isOfDay = isWallTime(need.at) && readSessionTime(need.at) === null;
  const at = isOfDay ? newYorkTime(session.date, need.at) : instantOf(need.at, session);
  return at === null ? [] : [at];
}

function each(span: number, { open, close }: Session): EpochMs[] {
  const count = Math.floor((close - open) / span);
  return Array.from({ length: count }, (_, index) => epochMs(open + (index + 1) * span));
}

function isDayOf(day: TimerDay, session: Session, calendar: TradingCalendar): boolean {
  const isFirst = day === 'monday' || day === 'month-start';
  const other = isFirst ? calendar.previousSession(session.open) : calendar.nextSession(session.open);
  return day === 'monday' || day === 'friday'
    ? weekOf(other.date) !== weekOf(session.date)
    : other.date.slice(0, 7) !== session.date.slice(0, 7);
}

/** Number of the week of a date, from Monday to Sunday. */
const weekOf = (date: string): number =>
  Math.floor((Date.parse(`${date}T00:00:00Z`) / DAY_MS + EPOCH_WEEKDAY) / 7);
