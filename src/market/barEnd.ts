import type { TradingCalendar } from '../calendar/index.ts';
import { epochMs, type EpochMs } from '../core/brand.ts';
import { INTERVAL_MS, type Bar, type Interval } from '../domain/bar.ts';

/** When a bar is finished: an intraday one no later than its session's close, a daily or weekly one with its last session. */
export function barEnd(
  { start, interval }: Pick<Bar, 'start' | 'interval'>,
  calendar: TradingCalendar,
): EpochMs {
  const session = calendar.sessionAt(start);
  if (!session) return epochMs(start + INTERVAL_MS[interval]);
  if (interval === '1d') return session.close;
  if (interval === '1w') return lastCloseOfWeek(start, calendar);
  return epochMs(Math.min(start + INTERVAL_MS[interval], session.close));
}

/** When the bar that follows one is finished. */
export function nextBarEnd(bar: Pick<Bar, 'start' | 'interval'>, calendar: TradingCalendar): EpochMs {
  const end = barEnd(bar, calendar);
  const start = calendar.sessionAt(end) ? end : calendar.nextSession(end).open;
  return barEnd({ start, interval: bar.interval }, calendar);
}

const DAY_MS = 86_400_000;
const [MONDAY, FRIDAY] = [1, 5];

function lastCloseOfWeek(start: EpochMs, calendar: TradingCalendar): EpochMs {
  const weekday = new Date(start).getUTCDay();
  const fridayNight = epochMs(start + (FRIDAY - weekday) * DAY_MS + DAY_MS / 2);
  return calendar.previousSession(fridayNight).close;
}

/** When the first session of a week opens. @param at an instant of one of its sessions, or midnight UTC of one of its weekdays */
export function weekOpen(at: EpochMs, calendar: TradingCalendar): EpochMs {
  const day = at - (at % DAY_MS);
  const monday = day - (new Date(day).getUTCDay() - MONDAY) * DAY_MS;
  return calendar.nextSession(epochMs(monday)).open;
}

/** Whether bars of an interval end at an instant of the regular session. */
export function endsAt(interval: Interval, at: EpochMs, calendar: TradingCalendar): boolean {
  const session = calendar.sessionAt(epochMs(at - 1));
  if (!session) return false;
  if (at === session.close) return interval !== '1w' || lastCloseOfWeek(session.open, calendar) === at;
  return interval !== '1d' && interval !== '1w' && (at - session.open) % INTERVAL_MS[interval] === 0;
}
