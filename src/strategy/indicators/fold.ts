import type { Indicator } from './indicator.ts';

/** Joins two parts of a window. The order of values does not count. */
export type Joining = Readonly<{ join: (one: number, other: number) => number; none: number }>;

export const TOTAL: Joining = { join: (one, other) => one + other, none: 0 };
export const MAXIMUM: Joining = { join: (one, other) => Math.max(one, other), none: -Infinity };
export const MINIMUM: Joining = { join: (one, other) => Math.min(one, other), none: Infinity };

/**
 * Folds the last `length` values into one, in constant time a value on average. The window is the end of one block of `length`
 * values, folded from each place to its end, and the beginning of the next: nothing is ever taken away, so no error piles up.
 *
 * Source: M. van Herk, A fast algorithm for local minimum and maximum filters, 1992.
 */
export function fold(length: number, { join, none }: Joining): Indicator {
  // Up to `state.count` the values of this block, from there on the ends of the block before.
  const values = new Float64Array(length);
  const state = { count: 0, begun: none };
  let isFull = false;
  return {
    warmUp: length,
    next(value) {
      values[state.count] = value;
      state.count++;
      state.begun = join(state.begun, value);
      if (state.count === length) {
        for (let place = length - 2; place >= 0; place--)
          values[place] = join(values[place] ?? NaN, values[place + 1] ?? NaN);
        state.count = 0;
        state.begun = none;
        isFull = true;
      }
      return isFull ? join(values[state.count] ?? NaN, state.begun) : NaN;
    },
  };
}
