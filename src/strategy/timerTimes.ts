import { newYorkTime, type Session, type TradingCalendar } from '../calendar/index.ts';
import { DAY_MS, epochMs, type EpochMs } from '../core/brand.ts';
import type { TimerDay, TimerNeed } from './contract.ts';
import { isWallTime, readSessionTime } from './params.ts';
import { instantOf } from './sessionTime.ts';

const MINUTE_MS = 60_000;
/** Weekday of 1970-01-01, counted from Monday. */
const EPOCH_WEEKDAY = 3;

/** Instants of a timer on the day of a session, earliest first; none on a day that is not one of its. */
export function timerInstants(need: TimerNeed, session: Session, calendar: TradingCalendar): EpochMs[] {
  if (need.on !== undefined && !isDayOf(need.on, session, calendar)) return [];
  if (need.every !== undefined) return each(need.every.minutes * MINUTE_MS, session);
  const isOfSession = readSessionTime(need.at) !== null || !isWallTime(need.at);
  const at = isOfSession ? instantOf(need.at, session) : newYorkTime(session.date, need.at);
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
