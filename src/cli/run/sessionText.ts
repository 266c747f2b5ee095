import { newYorkClock, newYorkDate, type TradingCalendar } from '../../calendar/index.ts';
import { epochMs, type EpochMs } from '../../core/brand.ts';

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** Line for a start on a day without an open session ahead, with the next open; null where a session is open or to come. */
export function noSessionText(calendar: TradingCalendar, now: EpochMs): string | null {
  const today = newYorkDate(now);
  const session = calendar.sessionOn(today);
  if (session && now < session.close) return null;
  const next = calendar.nextSession(now);
  const why = session
    ? `the session of today has closed at ${newYorkClock(session.close)}`
    : 'there is no session today';
  return `${why}: the next begins on ${weekdayOf(next.date)} ${next.date} at ${newYorkClock(next.open)} in New York`;
}

const weekdayOf = (date: string): string => WEEKDAYS[new Date(`${date}T00:00:00Z`).getUTCDay()] ?? '';

type Run = Readonly<{ from: string; to: string; sessions: number }>;

/** Number of sessions that a run has seen close, and the part of one that was still open when it ended. */
export function sessionsText({ from, to, sessions }: Run, calendar: TradingCalendar): string {
  const closed = `${sessions} ${sessions === 1 ? 'session' : 'sessions'} closed`;
  const end = epochMs(Date.parse(to));
  const open = calendar.sessionAt(end);
  if (!open) return closed;
  const begun = newYorkClock(epochMs(Math.max(open.open, Date.parse(from))));
  return `${closed}, and ${begun} to ${newYorkClock(end)} of that of ${open.date}, which closes at ${newYorkClock(open.close)}`;
}
