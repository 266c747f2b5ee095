import type { Indicator } from './indicator.ts';

/** What a window is folded into. */
export type Aggregation = 'total' | 'maximum' | 'minimum';

/** Result for no values. */
const NOTHING: Readonly<Record<Aggregation, number>> = { total: 0, maximum: -Infinity, minimum: Infinity };

/** Joins two parts of a window, in any order. One function for all, so that it is compiled into the loops. */
const join = (folding: Aggregation, one: number, other: number): number =>
  folding === 'total' ? one + other : folding === 'maximum' ? Math.max(one, other) : Math.min(one, other);

/**
 * Folds the last `length` values into one, in constant time a value on average. The window is the end of one block of `length`
 * values, folded from each place to its end, and the beginning of the next: nothing is ever taken away, so no error piles up.
 *
 * Source: M. van Herk, A fast algorithm for local minimum and maximum filters, 1992.
 */
export function fold(length: number, folding: Aggregation): Indicator {
  // Up to `state.count` the values of this block, from there on the ends of the block before.
  const values = new Float64Array(length);
  const state = { count: 0, begun: NOTHING[folding] };
  let isFull = false;
  return {
    warmUp: length,
    next(value) {
      values[state.count] = value;
      state.count++;
      state.begun = join(folding, state.begun, value);
      if (state.count === length) {
        for (let place = length - 2; place >= 0; place--)
          values[place] = join(folding, values[place] ?? NaN, values[place + 1] ?? NaN);
        state.count = 0;
        state.begun = NOTHING[folding];
        isFull = true;
      }
      return isFull ? join(folding, values[state.count] ?? NaN, state.begun) : NaN;
    },
  };
}
