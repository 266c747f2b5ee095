import type { Indicator } from './indicator.ts';

/**
 * Average that moves by `weight` of the distance towards each value, starting as the mean of the first `length` values.
 * Base of `ema` and of Wilder's averages.
 */
export function smoothing(length: number, weight: number): Indicator {
  const state = { seen: 0, average: 0 };
  return {
    warmUp: length,
    next(value) {
      if (state.seen === length) return (state.average += weight * (value - state.average));
      state.average += value;
      if (++state.seen < length) return NaN;
      return (state.average /= length);
    },
  };
}

/** Wilder's average: each value has a weight of 1 / `length`. */
export const wilder = (length: number): Indicator => smoothing(length, 1 / length);
