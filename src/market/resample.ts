import type { Session, TradingCalendar } from '../calendar/index.ts';
import type { PhaseCalendar } from '../calendar/phaseHours.ts';
import { epochMs, toIso } from '../core/brand.ts';
import { ConfigError } from '../core/errors.ts';
import { INTERVAL_MS, isIntraday, type Interval } from '../domain/bar.ts';
import { columnsOf, type BarColumns } from '../domain/barColumns.ts';
import { barEnd, weekOpen } from './series.ts';
import { cutTo } from './mergeBars.ts';

export type ResampledBars = Readonly<{
  columns: BarColumns;
  /** True when the first bar is incomplete at its start: its open, and perhaps more, is wrong. */
  firstPartial: boolean;
  /** True when the last bar is incomplete at its end: it would still change. */
  lastPartial: boolean;
}>;

export type ResampleOptions = Readonly<{
  from: Interval;
  to: Interval;
  calendar: TradingCalendar | PhaseCalendar;
}>;

/** True when bars of one length can be built from those of another. */
export const isMadeOf = (to: Interval, from: Interval): boolean =>
  from !== to &&
  from !== '1w' &&
  INTERVAL_MS[to] > INTERVAL_MS[from] &&
  (!isIntraday(to) || INTERVAL_MS[to] % INTERVAL_MS[from] === 0);

/**
 * Builds longer bars from shorter ones: first open, highest high, lowest low, last close, total volume. Intraday bars
 * are counted from each session's open, and the last one ends with the session, also at an early close; a daily bar
 * covers a session, a weekly bar all sessions from Monday to Friday, starting at the open of the first. Without trades
 * there is no bar. An incomplete bar at either end is included and marked.
 * @throws {ConfigError} when the lengths do not fit, or for a bar outside the regular sessions
 */
export function resample(bars: BarColumns, { from, to, calendar }: ResampleOptions): ResampledBars {
  if (!isMadeOf(to, from)) throw new ConfigError(`bars of ${to} cannot be built from bars of ${from}`);
  const buckets = new Buckets(to, calendar);
  const columns = columnsOf(bars.start.length);
  let count = 0;
  for (let index = 0; index < bars.start.length; index++) {
    const begins = buckets.startOf(bars.start[index] ?? NaN);
    if (count > 0 && columns.start[count - 1] === begins) extend(columns, count - 1, { bars, index });
    else begin(columns, count++, { bars, index, begins });
  }
  const [first, last] = [columns.start[0] ?? NaN, columns.start[count - 1] ?? NaN];
  const endOf = (start: number, interval: Interval) => barEnd({ start: epochMs(start), interval }, calendar);
  return {
    columns: cutTo(columns, 0, count),
    firstPartial: count > 0 && (bars.start[0] ?? NaN) > first,
    lastPartial: count > 0 && endOf(bars.start.at(-1) ?? NaN, from) < endOf(last, to),
  };
}

/** Bars without an incomplete first or last one. */
export function wholeBars({ columns, firstPartial, lastPartial }: ResampledBars): BarColumns {
  const to = columns.start.length - Number(lastPartial);
  return cutTo(columns, Math.min(Number(firstPartial), to), to);
}

type Place = Readonly<{ bars: BarColumns; index: number }>;

function begin(columns: BarColumns, at: number, { bars, index, begins }: Place & { begins: number }): void {
  columns.start[at] = begins;
  columns.open[at] = bars.open[index] ?? NaN;
  columns.high[at] = bars.high[index] ?? NaN;
  columns.low[at] = bars.low[index] ?? NaN;
  columns.close[at] = bars.close[index] ?? NaN;
  columns.volume[at] = bars.volume[index] ?? NaN;
}

function extend(columns: BarColumns, at: number, { bars, index }: Place): void {
  columns.high[at] = Math.max(columns.high[at] ?? NaN, bars.high[index] ?? NaN);
  columns.low[at] = Math.min(columns.low[at] ?? NaN, bars.low[index] ?? NaN);
  columns.close[at] = bars.close[index] ?? NaN;
  columns.volume[at] = (columns.volume[at] ?? NaN) + (bars.volume[index] ?? NaN);
}

/** Starts of bars of one length. */
class Buckets {
  readonly #interval: Interval;
  readonly #calendar: ResampleOptions['calendar'];
  #session: Session | undefined;
  #weekEnd = -Infinity;
  #weekOpen = NaN;

  constructor(interval: Interval, calendar: ResampleOptions['calendar']) {
    this.#interval = interval;
    this.#calendar = calendar;
  }

  /** Start of the bar that contains an instant. */
  startOf(at: number): number {
    if (this.#session === undefined || !(at >= this.#session.open && at < this.#session.close))
      this.#session = this.#calendar.sessionAt(epochMs(at));
    if (!this.#session)
      throw new ConfigError(`the bar of ${toIso(epochMs(at))} is outside the regular sessions`);
    const { open } = this.#session;
    if (this.#interval === '1d') return open;
    if (this.#interval === '1w') return this.#weekOf(open);
    const step = INTERVAL_MS[this.#interval];
    return open + Math.floor((at - open) / step) * step;
  }

  #weekOf(open: number): number {
    if (open < this.#weekEnd && open >= this.#weekOpen) return this.#weekOpen;
    this.#weekOpen = weekOpen(epochMs(open), this.#calendar);
    this.#weekEnd = barEnd({ start: epochMs(open), interval: '1w' }, this.#calendar);
    return this.#weekOpen;
  }
}
