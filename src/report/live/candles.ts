import type { TradingCalendar } from '../../calendar/index.ts';
import { INTERVAL_MS, type Bar } from '../../domain/bar.ts';
import type { RunRecord } from '../runRecord.ts';
import type { LiveHistory } from './liveHistory.ts';

type Candles = RunRecord['candles'][number];

/** One candle for each session of a stock, from its shortest bars in the journal; none of a stock without bars. */
export function candlesOf({ steps }: Pick<LiveHistory, 'steps'>, calendar: TradingCalendar): Candles[] {
  const bars = steps.flatMap((step) => (step.kind === 'bar' ? [step.bar] : []));
  const shortest = new Map<string, Bar['interval']>();
  for (const { symbol, interval } of bars) {
    const known = shortest.get(symbol);
    if (known === undefined || INTERVAL_MS[interval] < INTERVAL_MS[known]) shortest.set(symbol, interval);
  }
  const drawn = new Map<string, SessionCandles>();
  for (const bar of bars) {
    if (bar.interval !== shortest.get(bar.symbol)) continue;
    const own = drawn.get(bar.symbol) ?? new SessionCandles(bar.symbol, calendar);
    drawn.set(bar.symbol, own);
    own.add(bar);
  }
  return [...drawn.values()].map(({ candles }) => candles);
}

/** Candles of one stock, grown bar by bar. */
class SessionCandles {
  readonly candles: Candles;
  readonly #calendar: TradingCalendar;
  #close = -Infinity;

  constructor(symbol: string, calendar: TradingCalendar) {
    this.candles = { symbol, start: [], open: [], high: [], low: [], close: [], volume: [] };
    this.#calendar = calendar;
  }

  add({ start, open, high, low, close, volume }: Bar): void {
    const { candles } = this;
    const index = candles.start.length - 1;
    if (start < this.#close) {
      candles.high[index] = Math.max(candles.high[index] ?? NaN, high);
      candles.low[index] = Math.min(candles.low[index] ?? NaN, low);
      candles.close[index] = close;
      candles.volume[index] = (candles.volume[index] ?? 0) + volume;
      return;
    }
    this.#close = this.#calendar.sessionAt(start)?.close ?? start;
    candles.start.push(start);
    candles.open.push(open);
    candles.high.push(high);
    candles.low.push(low);
    candles.close.push(close);
    candles.volume.push(volume);
  }
}
