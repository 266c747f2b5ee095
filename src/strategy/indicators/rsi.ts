import type { Indicator } from './indicator.ts';
import { requireLength } from './require.ts';

/**
 * Relative strength index: `100 × rise / (rise + fall)`, 0 to 100, of the average rise and fall between values. Both
 * start as the mean of the first `length` changes, and then each change has a weight of 1 / `length`. 100 when nothing
 * fell, 50 when nothing moved. The first output comes with value number `length + 1`.
 *
 * Source: J. W. Wilder, New Concepts in Technical Trading Systems, 1978.
 * @throws {InvalidValueError} unless `length` is a whole number above 0
 */
export function rsi(length = 14): Indicator {
  requireLength('rsi', length);
  const weight = 1 / length;
  // Updated together rather than as two averages, because a backtest calls this at every bar.
  const state = { last: NaN, rise: 0, fall: 0, seen: 0 };
  return {
    warmUp: length + 1,
    next(value) {
      const change = value - state.last;
      state.last = value;
      if (Number.isNaN(change)) return NaN;
      const part = state.seen < length ? 1 / (state.seen + 1) : weight;
      state.rise += part * ((change > 0 ? change : 0) - state.rise);
      state.fall += part * ((change < 0 ? -change : 0) - state.fall);
      if (state.seen < length) state.seen++;
      if (state.seen < length) return NaN;
      const both = state.rise + state.fall;
      return both === 0 ? 50 : (100 * state.rise) / both;
    },
  };
}
