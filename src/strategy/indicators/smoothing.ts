import type { Indicator } from './indicator.ts';

/**
 * An average that moves by `weight` of the way towards each value; its first is the mean of the first `length` values.
 * The base of `ema` and of all that Wilder smoothed.
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

/** Wilder's: each value counts for one part in `length`. */
export const wilder = (length: number): Indicator => smoothing(length, 1 / length);
