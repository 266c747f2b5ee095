import type { Bar } from '../../domain/bar.ts';
import type { Indicator } from './indicator.ts';

export type HeikinAshi = Readonly<{ open: number; high: number; low: number; close: number }>;

/**
 * Heikin-Ashi candle, smoothed: `close` is `(open + high + low + close) / 4` of the bar, `open` half way between open and close of
 * the last such candle, `high` and `low` those of the bar, or that `open` if it is beyond. Its prices were never traded: decide by
 * it, and place orders by the bar.
 *
 * Seed: the first `open` is `(open + close) / 2` of its bar; it counts for half as much with each bar. The first answer comes with
 * bar number 1.
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
