import type { Candle, Indicator } from './indicator.ts';
import { requireLength } from './require.ts';
import { wilder } from './smoothing.ts';

type Input = Pick<Candle, 'high' | 'low' | 'close'>;

/** True range of a bar, the gap from the last close included. Without a last close: high − low. */
export function trueRange({ high, low }: Input, lastClose: number): number {
  if (Number.isNaN(lastClose)) return high - low;
  return Math.max(high, lastClose) - Math.min(low, lastClose);
}

/**
 * Average true range, in the unit of the price. True range: `max(high, last close) − min(low, last close)`, of the first bar
 * `high − low`. The average begins as the mean of the first `length` ranges, and then each range counts for one part in
 * `length`. The first answer comes with bar number `length`.
 *
 * Source: J. W. Wilder, New Concepts in Technical Trading Systems, 1978.
 * @throws {InvalidValueError} unless `length` is a whole number above 0
 */
export function atr(length = 14): Indicator<Input> {
  requireLength('atr', length);
  const average = wilder(length);
  const last = { close: NaN };
  return {
    warmUp: length,
    next(bar) {
      const range = trueRange(bar, last.close);
      last.close = bar.close;
      return average.next(range);
    },
  };
}
