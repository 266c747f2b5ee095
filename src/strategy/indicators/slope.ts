import type { Indicator } from './indicator.ts';
import { moments } from './moments.ts';
import { requireLength } from './require.ts';

/**
 * Slope per bar of the least-squares line through the last `length` values: `Σ (i − ī)(v − v̄) / Σ (i − ī)²` over the
 * positions i. It needs no seed; the first output comes with value number `length`.
 *
 * Source: A.-M. Legendre, Nouvelles méthodes, 1805.
 * @throws {InvalidValueError} unless `length` is a whole number above 1
 */
export function slope(length: number): Indicator {
  requireLength('slope', length, 2);
  const window = moments(length);
  const spread = (length * (length * length - 1)) / 12;
  return {
    warmUp: length,
    next(value) {
      window.add(value);
      return window.trend / spread;
    },
  };
}
