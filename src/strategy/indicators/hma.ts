import type { Indicator } from './indicator.ts';
import { requireLength } from './require.ts';
import { wma } from './wma.ts';

/**
 * Hull moving average: the `wma` over `⌊√length⌋` of `2 × wma over ⌊length / 2⌋ − wma over length`. It needs no seed;
 * the first output comes with value number `length + ⌊√length⌋ − 1`.
 *
 * Source: A. Hull, Active Investing, 2005.
 * @throws {InvalidValueError} unless `length` is a whole number above 1
 */
export function hma(length = 16): Indicator {
  requireLength('hma', length, 2);
  const smoothed = Math.floor(Math.sqrt(length));
  const half = wma(Math.floor(length / 2));
  const whole = wma(length);
  const last = wma(smoothed);
  let seen = 0;
  return {
    warmUp: length + smoothed - 1,
    next(value) {
      const ahead = 2 * half.next(value) - whole.next(value);
      if (seen < length) seen++;
      return seen < length ? NaN : last.next(ahead);
    },
  };
}
