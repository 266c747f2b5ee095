import { fold } from './fold.ts';
import type { Indicator } from './indicator.ts';
import { past } from './past.ts';
import { requireFaster, requireLength } from './require.ts';

/**
 * Kaufman's adaptive moving average: `last + pace × (value − last)`, fast in a straight trend and slow in a choppy
 * market. `pace` is the square of `efficiency × (2 / (fast + 1) − 2 / (slow + 1)) + 2 / (slow + 1)`; `efficiency` is
 * the net change over `length` values divided by the sum of absolute changes, 0 to 1, and 1 when nothing moved.
 *
 * Seed: the value number `length`; the first output comes with the next one, number `length + 1`.
 *
 * Source: P. J. Kaufman, Smarter Trading, 1995, with the seed of TA-Lib.
 * @throws {InvalidValueError} unless all three are whole numbers above 0, and `fast` is below `slow`
 */
export function kama(length = 10, fast = 2, slow = 30): Indicator {
  requireLength('kama', length);
  requireFaster('kama', fast, slow);
  const slowest = 2 / (slow + 1);
  const span = 2 / (fast + 1) - slowest;
  const before = past(length);
  const changes = fold(length, 'total');
  const state = { last: NaN, average: NaN, seen: 0 };
  return {
    warmUp: length + 1,
    next(value) {
      const start = before.next(value);
      const way = state.seen === 0 ? NaN : changes.next(Math.abs(value - state.last));
      if (state.seen === length) {
        const efficiency = way === 0 ? 1 : Math.min(Math.abs(value - start) / way, 1);
        state.average += (efficiency * span + slowest) ** 2 * (value - state.average);
        state.last = value;
        return state.average;
      }
      state.seen++;
      state.average = state.last = value;
      return NaN;
    },
  };
}
