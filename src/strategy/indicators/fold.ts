import type { Indicator } from './indicator.ts';

/** Aggregate of a window. */
export type Aggregation = 'total' | 'maximum' | 'minimum';

/** Aggregate of no values. */
const NOTHING: Readonly<Record<Aggregation, number>> = { total: 0, maximum: -Infinity, minimum: Infinity };

/** Combines two parts of a window, in any order. A single function, so that it is inlined into the loops. */
const join = (folding: Aggregation, one: number, other: number): number =>
  folding === 'total' ? one + other : folding === 'maximum' ? Math.max(one, other) : Math.min(one, other);

/**
 * Aggregates the last `length` values in amortised constant time. The window is the end of one block of `length`
 * values, aggregated to its end, and the start of the next: nothing is subtracted, so no error accumulates.
 *
 * Source: M. van Herk, A fast algorithm for local minimum and maximum filters, 1992.
 */
export function fold(length: number, folding: Aggregation): Indicator {
  // The first `state.count` entries are values of this block, the others aggregates to the end of the block before.
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
