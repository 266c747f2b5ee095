import type { TradingCalendar } from '../calendar/index.ts';
import { MINUTE_MS, epochMs } from '../core/brand.ts';
import { SESSION_MINUTES } from '../figures/intraday.ts';
import type { RunRecord } from './runRecord.ts';

type Candles = RunRecord['candles'][number];
type Intraday = NonNullable<RunRecord['intraday']>[number];

/** Bar from which a candle is made. `start`: epoch ms. */
export type CandleBar = Readonly<Record<'start' | 'open' | 'high' | 'low' | 'close' | 'volume', number>>;

/** Candles of one stock, built bar by bar: one for each session, or for each part of one. */
export class CandleSeries {
  readonly candles: Candles;
  readonly #calendar: TradingCalendar;
  readonly #lengthMs: number;
  #session: Readonly<{ open: number; close: number }> = { open: -Infinity, close: -Infinity };
  #end = -Infinity;

  /** @param lengthMs of a part; without it a candle covers a session */
  constructor(symbol: string, calendar: TradingCalendar, lengthMs = Infinity) {
    this.candles = { symbol, start: [], open: [], high: [], low: [], close: [], volume: [] };
    this.#calendar = calendar;
    this.#lengthMs = lengthMs;
  }

  add({ start, open, high, low, close, volume }: CandleBar): void {
    const { candles } = this;
    const index = candles.start.length - 1;
    if (start < this.#end) {
      candles.high[index] = Math.max(candles.high[index] ?? NaN, high);
      candles.low[index] = Math.min(candles.low[index] ?? NaN, low);
      candles.close[index] = close;
      candles.volume[index] = (candles.volume[index] ?? 0) + volume;
      return;
    }
    this.#end = this.#endFrom(start);
    candles.start.push(start);
    candles.open.push(open);
    candles.high.push(high);
    candles.low.push(low);
    candles.close.push(close);
    candles.volume.push(volume);
  }

  /** End of the candle that begins at an instant; a bar outside the sessions gets its own candle. */
  #endFrom(start: number): number {
    if (start >= this.#session.close || start < this.#session.open)
      this.#session = this.#calendar.sessionAt(epochMs(start)) ?? { open: start, close: start };
    const { open, close } = this.#session;
    if (this.#lengthMs === Infinity) return close;
    return Math.min(close, open + (Math.floor((start - open) / this.#lengthMs) + 1) * this.#lengthMs);
  }
}

/** Maximum number of intraday candles in a record, over all stocks. */
const INTRADAY_MAX = 60_000;
/** Lengths of intraday candles, in minutes. */
const LENGTHS = [1, 3, 5, 10, 15, 30, 60];

/** Bars of a stock, with their length. */
export type IntradayBars = Readonly<{ symbol: string; intervalMs: number; bars: () => Iterable<CandleBar> }>;

/**
 * Intraday candles for the sessions in which a stock was traded and those next to them, for stocks with sufficiently
 * short bars: the shortest candles that together do not exceed the maximum.
 */
export function intradayCandles(
  stocks: readonly IntradayBars[],
  traded: Pick<RunRecord, 'marks' | 'fills'>,
  calendar: TradingCalendar,
): Intraday[] {
  const short = stocks.filter(({ intervalMs }) => intervalMs < SESSION_MINUTES * MINUTE_MS);
  const dates = short.length === 0 ? new Map<string, Set<string>>() : datesAround(traded);
  const sessions = short.reduce((sum, { symbol }) => sum + (dates.get(symbol)?.size ?? 0), 0);
  return short.flatMap(({ symbol, intervalMs, bars }) => {
    const own = dates.get(symbol);
    const minutes = LENGTHS.find(
      (length) =>
        (length * MINUTE_MS) % intervalMs === 0 && (SESSION_MINUTES / length) * sessions <= INTRADAY_MAX,
    );
    if (minutes === undefined || !own) return [];
    const series = new CandleSeries(symbol, calendar, minutes * MINUTE_MS);
    for (const bar of barsOn(own, bars(), calendar)) series.add(bar);
    return [{ ...series.candles, minutes }];
  });
}

/** Dates of the sessions in which each stock was traded, and of the sessions before and after them. */
function datesAround({ marks, fills }: Pick<RunRecord, 'marks' | 'fills'>): ReadonlyMap<string, Set<string>> {
  const around = new Map<string, Set<string>>();
  let session = 0;
  for (const { symbol, at } of fills.toSorted((one, other) => one.at - other.at)) {
    while ((marks[session]?.at ?? Infinity) < at) session++;
    const own = around.get(symbol) ?? new Set();
    around.set(symbol, own);
    for (const { date } of marks.slice(Math.max(0, session - 1), session + 2)) own.add(date);
  }
  return around;
}

function* barsOn(
  dates: ReadonlySet<string>,
  bars: Iterable<CandleBar>,
  calendar: TradingCalendar,
): Iterable<CandleBar> {
  let [end, isWanted] = [-Infinity, false];
  for (const bar of bars) {
    if (bar.start >= end) {
      const session = calendar.sessionAt(epochMs(bar.start));
      end = session?.close ?? -Infinity;
      isWanted = session !== undefined && dates.has(session.date);
    }
    if (isWanted) yield bar;
  }
}
