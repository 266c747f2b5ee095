import type { Indicator } from './indicator.ts';
import { moments } from './moments.ts';
import { requireLength } from './require.ts';

/**
 * Population standard deviation of the last `length` values: `√(Σ (v − v̄)² / length)`. It needs no seed; the first
 * output comes with value number `length`.
 *
 * Source: K. Pearson, 1894.
 * @throws {InvalidValueError} unless `length` is a whole number above 0
 */
export function standardDeviation(length: number): Indicator {
  requireLength('standardDeviation', length);
  const window = moments(length);
  return {
    warmUp: length,
    next(value) {
      window.add(value);
      return Math.sqrt(window.squares / length);
    },
  };
}

/**
 * Distance of the latest value from the mean of the last `length` values, itself included, in standard deviations: `(v
 * − v̄) / deviation`, with the population's. NaN when all are the same. It needs no seed; the first output comes with
 * value number `length`.
 *
 * Source: the standard score of statistics.
 * @throws {InvalidValueError} unless `length` is a whole number above 1
 */
export function zScore(length: number): Indicator {
  requireLength('zScore', length, 2);
  const window = moments(length);
  return {
    warmUp: length,
    next(value) {
      window.add(value);
      return (value - window.mean) / Math.sqrt(window.squares / length);
    },
  };
}
