import { DAY_MS, epochMs, type EpochMs } from '../core/brand.ts';
import { type Bar, type BarSet, type Interval, INTERVAL_MS, isIntraday } from '../domain/bar.ts';
import { BAR_FIELDS, columnsOf, mapColumns, widened, type BarColumns } from '../domain/barColumns.ts';
import type { Ticker } from '../domain/instrument.ts';
import type { Session, TradingCalendar } from '../calendar/index.ts';

const FIRST_CAPACITY = 512;

export const barAt = (
  { symbol, interval }: Pick<Bar, 'symbol' | 'interval'>,
  { start, open, high, low, close, volume }: BarColumns,
  index: number,
): Bar => ({
  symbol,
  interval,
  start: epochMs(start[index] ?? NaN),
  open: open[index] ?? NaN,
  high: high[index] ?? NaN,
  low: low[index] ?? NaN,
  close: close[index] ?? NaN,
  volume: volume[index] ?? NaN,
});

/**
 * Finished bars of one set as columns, oldest first; they are appended to, never changed. Over a `tape`, columns that
 * include future bars, an append only moves the end of the visible part.
 */
export class BarSeries {
  readonly set: BarSet;
  readonly symbol: Ticker;
  readonly interval: Interval;
  #columns: BarColumns;
  /** Column index of the first visible bar, and the end index. */
  #first = 0;
  #length = 0;
  readonly isTape: boolean;

  constructor(set: BarSet, tape?: BarColumns) {
    this.set = set;
    this.symbol = set.symbol;
    this.interval = set.interval;
    this.isTape = tape !== undefined;
    this.#columns = tape ?? columnsOf(FIRST_CAPACITY);
  }

  get length(): number {
    return this.#length - this.#first;
  }

  /** Start of the latest bar. */
  get latest(): EpochMs | null {
    return this.#length === this.#first ? null : epochMs(this.#columns.start[this.#length - 1] ?? NaN);
  }

  /** Makes bar `first` of a tape the first visible one; none is shown yet. */
  beginAt(first: number): void {
    this.#first = first;
    this.#length = first;
  }

  /** Shows the first `length` bars of a tape, which must be finished. */
  show(length: number): void {
    this.#length = length;
  }

  /** Appends a bar newer than the latest; over a tape, its next bar. Returns false for any other. */
  append(bar: Bar): boolean {
    const isNext = this.isTape
      ? this.#columns.start[this.#length] === bar.start
      : this.latest === null || bar.start > this.latest;
    if (!isNext) return false;
    if (!this.isTape) {
      const { length } = this.#columns.start;
      if (this.#length === length) this.#columns = widened(this.#columns, length * 2);
      for (const field of BAR_FIELDS) this.#columns[field][this.#length] = bar[field];
    }
    this.#length++;
    return true;
  }

  /** Hides the latest `count` bars; a negative count shows that many again. */
  hide(count: number): void {
    this.#length -= count;
  }

  /** Bar `back` positions before the latest. */
  at(back: number): Bar | undefined {
    const index = this.#length - 1 - back;
    if (!Number.isInteger(index) || index < this.#first || index >= this.#length) return undefined;
    return barAt(this, this.#columns, index);
  }

  /** Copy of the last `count` closes, the latest last. */
  closes(count: number): Float64Array {
    return this.#columns.close.slice(Math.max(this.#length - count, this.#first), this.#length);
  }

  /** Copy of the last `count` bars. */
  tail(count: number): BarColumns {
    const from = Math.max(this.#length - count, this.#first);
    return mapColumns(this.#columns, (column) => column.slice(from, this.#length));
  }
}

const [FIRST_DAY, LAST_DAY_END] = [Date.UTC(2000, 0, 1), Date.UTC(2051, 0, 1)];

/** True when an instant is within the calendar, 2000 to 2050, which an instant in the wrong unit is not. */
export const isInCalendar = (at: number): boolean => at >= FIRST_DAY && at < LAST_DAY_END;

/** Open from which the bars of an interval are counted: that of the session or, for weekly bars, of the week. */
export const openOf = (session: Session, interval: Interval, calendar: TradingCalendar): EpochMs =>
  interval === '1w' ? weekOpen(session.open, calendar) : session.open;

/** True when a bar may start at an instant: a daily or weekly one at the open, an intraday one whole steps after it. */
export const isOnStep = (at: number, interval: Interval, open: number): boolean =>
  isIntraday(interval) ? (at - open) % INTERVAL_MS[interval] === 0 : at === open;

/** End of a bar: for an intraday bar its session's close at the latest, for others the close of their last session. */
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

/** Part of a session, epoch ms, not covered by any bar; `isWhole` if that is the whole session. */
export type Hole = Readonly<{ from: number; to: number; date: string; isWhole: boolean }>;

/** Finds uncovered parts of sessions from the end of a bar, in its session or at the close, to a later bar's start. */
export function* holesBetween(
  { session, end, start }: Readonly<{ session: Session | undefined; end: number; start: number }>,
  calendar: TradingCalendar,
): Iterable<Hole> {
  let expected = end;
  for (; session && expected < start; session = calendar.nextSession(session.open)) {
    const [from, to] = [Math.max(expected, session.open), Math.min(session.close, start)];
    const isWhole = from === session.open && to === session.close;
    if (from < to) yield { from, to, date: session.date, isWhole };
    expected = session.close;
  }
}

/** End of the bar that follows one. */
export function nextBarEnd(bar: Pick<Bar, 'start' | 'interval'>, calendar: TradingCalendar): EpochMs {
  const end = barEnd(bar, calendar);
  const start = calendar.sessionAt(end) ? end : calendar.nextSession(end).open;
  return barEnd({ start, interval: bar.interval }, calendar);
}

const [MONDAY, FRIDAY] = [1, 5];

function lastCloseOfWeek(start: EpochMs, calendar: TradingCalendar): EpochMs {
  const weekday = new Date(start).getUTCDay();
  const fridayNight = epochMs(start + (FRIDAY - weekday) * DAY_MS + DAY_MS / 2);
  return calendar.previousSession(fridayNight).close;
}

/** Open of the first session of a week. @param at instant in one of its sessions, or midnight UTC of a weekday in it */
export function weekOpen(at: EpochMs, calendar: TradingCalendar): EpochMs {
  const day = at - (at % DAY_MS);
  const monday = day - (new Date(day).getUTCDay() - MONDAY) * DAY_MS;
  return calendar.nextSession(epochMs(monday)).open;
}

/** True when bars of an interval end at an instant of the regular session. */
export function endsAt(interval: Interval, at: EpochMs, calendar: TradingCalendar): boolean {
  const session = calendar.sessionAt(epochMs(at - 1));
  if (!session) return false;
  if (at === session.close) return interval !== '1w' || lastCloseOfWeek(session.open, calendar) === at;
  return isIntraday(interval) && isOnStep(at, interval, session.open);
}
