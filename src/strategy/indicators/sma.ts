import { InvalidValueError } from '../../core/errors.ts';
import type { Indicator } from './indicator.ts';

/**
 * Simple moving average: the mean of the last `length` values. It needs no seed; the first answer comes with value
 * number `length`. A NaN is answered with NaN for as long as it may still be in the sum: at most `2 × length − 1` values.
 * @throws {InvalidValueError} unless `length` is a whole number above 0
 */
export function sma(length: number): Indicator {
  if (!Number.isInteger(length) || length < 1)
    throw new InvalidValueError(`An average needs a whole number of values above 0, not ${length}`);
  const window = new Float64Array(length);
  let seen = 0;
  let sum = 0;
  return {
    next(value) {
      const slot = seen % length;
      sum += value - (window[slot] ?? 0);
      window[slot] = value;
      seen += 1;
      // Adding anew once a round keeps the rounding errors of the running sum from piling up.
      if (slot === length - 1) sum = window.reduce((total, each) => total + each, 0);
      return seen < length ? NaN : sum / length;
    },
  };
}
