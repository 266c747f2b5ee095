import type { Indicator } from './indicator.ts';
import { moments } from './moments.ts';
import { requireLength } from './require.ts';

/**
 * Linearly weighted moving average: the latest of the last `length` values has a weight of `length`, the one before 1
 * less, the oldest 1; divided by `length × (length + 1) / 2`. It needs no seed; the first output comes with value
 * number `length`.
 *
 * Source: J. J. Murphy, Technical Analysis of the Financial Markets, 1999.
 * @throws {InvalidValueError} unless `length` is a whole number above 0
 */
export function wma(length: number): Indicator {
  requireLength('wma', length);
  const window = moments(length);
  const weights = (length * (length + 1)) / 2;
  return {
    warmUp: length,
    next(value) {
      window.add(value);
      return window.mean + window.trend / weights;
    },
  };
}
