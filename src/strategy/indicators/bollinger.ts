import type { Channel, Indicator } from './indicator.ts';
import { moments } from './moments.ts';
import { requireLength, requireMultiple } from './require.ts';

/**
 * Bollinger bands: `middle` is the mean of the last `length` values, `upper` and `lower` are `width` population
 * standard deviations away. They need no seed; the first output comes with value number `length`.
 *
 * Source: J. Bollinger, Bollinger on Bollinger Bands, 2001.
 * @throws {InvalidValueError} unless `length` is a whole number and `width` a number above 0
 */
export function bollinger(length = 20, width = 2): Indicator<number, Channel> {
  requireLength('bollinger', length);
  requireMultiple('bollinger', width);
  const window = moments(length);
  const bands = { upper: NaN, middle: NaN, lower: NaN };
  return {
    warmUp: length,
    next(value) {
      window.add(value);
      const half = width * Math.sqrt(window.squares / length);
      bands.middle = window.mean;
      bands.upper = window.mean + half;
      bands.lower = window.mean - half;
      return bands;
    },
  };
}
