import type { Bar } from '../../domain/bar.ts';
import type { Indicator } from './indicator.ts';

export type HeikinAshi = Readonly<{ open: number; high: number; low: number; close: number }>;

/**
 * Heikin-Ashi candle, a smoothed bar: `close` is `(open + high + low + close) / 4` of the bar, `open` is halfway
 * between open and close of the previous such candle, `high` and `low` are those of the bar, extended to that `open`.
 * Its prices were never traded: use it for decisions, and the bar's prices for orders.
 *
 * Seed: the first `open` is `(open + close) / 2` of its bar; its weight halves with each bar. The first output comes
 * with bar number 1.
 *
 * Source: D. Valcu, Using The Heikin-Ashi Technique, 2004.
 */
export function heikinAshi(): Indicator<Pick<Bar, 'open' | 'high' | 'low' | 'close'>, HeikinAshi> {
  const candle = { open: NaN, high: NaN, low: NaN, close: NaN };
  let isFirst = true;
  return {
    warmUp: 1,
    next({ open, high, low, close }) {
      candle.open = isFirst ? (open + close) / 2 : (candle.open + candle.close) / 2;
      candle.close = (open + high + low + close) / 4;
      candle.high = Math.max(high, candle.open);
      candle.low = Math.min(low, candle.open);
      isFirst = false;
      return candle;
    },
  };
}
