import { newYorkTime, tradingCalendar, type Session } from '../calendar/index.ts';
import { epochMs, type EpochMs } from '../core/brand.ts';
import { InvalidValueError } from '../core/errors.ts';
import { INTERVAL_MS, isIntraday, type Bar, type Interval } from '../domain/bar.ts';
import { barEnd, openOf } from '../market/series.ts';
import type { SessionTime } from '../strategy/orderTerms.ts';
import { instantOf } from '../strategy/sessionTime.ts';

/** Time span in a test. */
export type Span = Readonly<{ seconds?: number; minutes?: number; hours?: number }>;

export const spanMs = ({ seconds = 0, minutes = 0, hours = 0 }: Span): number =>
  1_000 * (seconds + 60 * (minutes + 60 * hours));

/** Instant of `2026-06-15T10:00` in New York. @throws {InvalidValueError} for any other form */
export function instantOfText(text: string): EpochMs {
  const [date = '', time = '', ...more] = text.split('T');
  if (more.length > 0)
    throw new InvalidValueError(`"${text}" is not a time: write 2026-06-15T10:00, in New York`);
  return newYorkTime(date, time);
}

/** Sessions that have not closed at an instant, starting with the open or next one. */
function* sessionsFrom(now: EpochMs): Iterable<Session> {
  let session = tradingCalendar.sessionAt(now) ?? tradingCalendar.nextSession(now);
  for (;;) {
    yield session;
    session = tradingCalendar.nextSession(session.open);
  }
}

/** Next instant of a session time after `now`. A session that is too short for it is skipped. */
export function nextTime(time: SessionTime, now: EpochMs): EpochMs {
  for (const session of sessionsFrom(now)) {
    const at = instantOf(time, session);
    if (at !== null && at > now) return at;
  }
  return now;
}

/** Next bar of an interval that ends after `now`: its start and end. */
export function nextBar(interval: Interval, now: EpochMs): Readonly<{ start: EpochMs; end: EpochMs }> {
  for (const session of sessionsFrom(now)) {
    const open = openOf(session, interval, tradingCalendar);
    const steps = isIntraday(interval) ? Math.max(0, Math.floor((now - open) / INTERVAL_MS[interval])) : 0;
    const start = epochMs(open + steps * INTERVAL_MS[interval]);
    const end = barEnd({ start, interval }, tradingCalendar);
    if (end > now && start < session.close) return { start, end };
  }
  throw new InvalidValueError('the calendar has no further session');
}

/** Starts of the last bars of an interval that ended by `now`, oldest first. */
export function barStartsBefore(interval: Interval, now: EpochMs, count: number): EpochMs[] {
  const starts: EpochMs[] = [];
  let session = tradingCalendar.sessionAt(now) ?? tradingCalendar.previousSession(now);
  for (; starts.length < count; session = tradingCalendar.previousSession(session.open))
    starts.push(
      ...startsIn(session, interval).filter((start) => barEnd({ start, interval }, tradingCalendar) <= now),
    );
  return starts.slice(0, count).reverse();
}

/** Starts of the bars of a session, latest first; a weekly bar counts for the first session of its week. */
function startsIn(session: Session, interval: Interval): EpochMs[] {
  const first = openOf(session, interval, tradingCalendar);
  if (!isIntraday(interval)) return first === session.open ? [first] : [];
  const count = Math.ceil((session.close - first) / INTERVAL_MS[interval]);
  return Array.from({ length: count }, (_, back) =>
    epochMs(first + (count - 1 - back) * INTERVAL_MS[interval]),
  );
}

/** Prices of a bar: only its close, or more. */
export type BarPrices =
  | number
  | (Pick<Bar, 'close'> & Partial<Pick<Bar, 'open' | 'high' | 'low' | 'volume'>>);

/** Complete bar from some prices. By default the open is the close, and high and low are the higher and lower of both. */
export function barOf(prices: BarPrices, place: Pick<Bar, 'symbol' | 'interval' | 'start'>): Bar {
  const {
    close,
    open = close,
    volume = 1,
    ...outer
  } = typeof prices === 'number' ? { close: prices } : prices;
  const { high = Math.max(open, close), low = Math.min(open, close) } = outer;
  return { ...place, open, high, low, close, volume };
}
