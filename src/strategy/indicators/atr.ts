import type { Candle, Indicator } from './indicator.ts';
import { requireLength } from './require.ts';
import { wilder } from './smoothing.ts';

type Input = Pick<Candle, 'high' | 'low' | 'close'>;

/** True range of a bar, including the gap from the last close. Without a last close: high − low. */
export function rangeOf({ high, low }: Input, lastClose: number): number {
  if (Number.isNaN(lastClose)) return high - low;
  return Math.max(high, lastClose) - Math.min(low, lastClose);
}

/**
 * Average true range, in the unit of the price. True range: `max(high, last close) − min(low, last close)`, for the
 * first bar `high − low`. The average starts as the mean of the first `length` ranges, and then each range has a weight
 * of 1 / `length`. The first output comes with bar number `length`.
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
      const range = rangeOf(bar, last.close);
      last.close = bar.close;
      return average.next(range);
    },
  };
}

/**
 * Average true range as a percentage of the close, to compare stocks of different prices: `100 × atr / close`. Seed and
 * first output are those of `atr`.
 *
 * Source: J. Forman, Cross-Market Evaluations With Normalized Average True Range, 2006.
 * @throws {InvalidValueError} unless `length` is a whole number above 0
 */
export function natr(length = 14): Indicator<Input> {
  requireLength('natr', length);
  const range = atr(length);
  return {
    warmUp: length,
    next: (bar) => (100 * range.next(bar)) / bar.close,
  };
}

/**
 * True range of one bar, in the unit of the price: `max(high, last close) − min(low, last close)`, for the first bar
 * `high − low`. It needs no seed; the first output comes with bar number 1.
 *
 * Source: as for `atr`.
 */
export function trueRange(): Indicator<Input> {
  const last = { close: NaN };
  return {
    warmUp: 1,
    next(bar) {
      const range = rangeOf(bar, last.close);
      last.close = bar.close;
      return range;
    },
  };
}
