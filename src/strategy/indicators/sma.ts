import type { Indicator } from './indicator.ts';
import { requireLength } from './require.ts';

/**
 * Simple moving average: the mean of the last `length` values. It needs no seed; the first output comes with value
 * number `length`. Output is NaN while an input NaN may still be in the sum: for at most `2 × length − 1` values.
 * @throws {InvalidValueError} unless `length` is a whole number above 0
 */
export function sma(length: number): Indicator {
  requireLength('sma', length);
  // The sum is stored after the window, because a number in a typed array is updated in place.
  const window = new Float64Array(length + 1);
  let slot = 0;
  let isFull = false;
  return {
    warmUp: length,
    next(value) {
      let sum = (window[length] ?? 0) + value - (window[slot] ?? 0);
      window[slot] = value;
      slot += 1;
      if (slot === length) {
        slot = 0;
        isFull = true;
        sum = sumOf(window, length);
      }
      window[length] = sum;
      return isFull ? sum / length : NaN;
    },
    series(values) {
      if (isFull || slot > 0) return null;
      const { means, sum } = meansOf(values, length);
      for (let index = Math.max(0, values.length - length); index < values.length; index++)
        window[index % length] = values[index] ?? NaN;
      window[length] = sum;
      slot = values.length % length;
      isFull = values.length >= length;
      return means;
    },
  };
}

/** Sum of the first values, recomputed once per round so that rounding errors of the running sum do not accumulate. */
function sumOf(values: Float64Array, length: number): number {
  let sum = 0;
  for (let each = 0; each < length; each++) sum += values[each] ?? 0;
  return sum;
}

/** Outputs of `next` for a series, with the same additions in the same order. `sum`: that of the last window. */
function meansOf(given: ArrayLike<number>, length: number) {
  const values = given instanceof Float64Array ? given : Float64Array.from(given);
  const means = new Float64Array(values.length);
  let sum = 0;
  for (let index = 0; index < length - 1 && index < values.length; index++) {
    sum += values[index] ?? NaN;
    means[index] = NaN;
  }
  for (let last = length - 1; last < values.length; last += length) {
    sum = 0;
    for (let index = last - length + 1; index <= last; index++) sum += values[index] ?? NaN;
    means[last] = sum / length;
    const end = Math.min(last + length, values.length);
    for (let index = last + 1; index < end; index++) {
      sum = sum + (values[index] ?? NaN) - (values[index - length] ?? NaN);
      means[index] = sum / length;
    }
  }
  return { means, sum };
}
