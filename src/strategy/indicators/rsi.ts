import type { Indicator } from './indicator.ts';
import { requireLength } from './require.ts';
import { wilder } from './smoothing.ts';

/**
 * Relative strength index: `100 − 100 / (1 + rise / fall)`, 0 to 100, of the average rise and the average fall from value to
 * value. Both begin as the mean of the first `length` changes, and then each change counts for one part in `length`. 100
 * when nothing fell, 50 when nothing moved. The first answer comes with value number `length + 1`.
 *
 * Source: J. W. Wilder, New Concepts in Technical Trading Systems, 1978.
 * @throws {InvalidValueError} unless `length` is a whole number above 0
 */
export function rsi(length = 14): Indicator {
  requireLength('rsi', length);
  const [rises, falls] = [wilder(length), wilder(length)];
  const last = { value: NaN };
  return {
    warmUp: length + 1,
    next(value) {
      const change = value - last.value;
      last.value = value;
      if (Number.isNaN(change)) return NaN;
      const rise = rises.next(change > 0 ? change : 0);
      const fall = falls.next(change < 0 ? -change : 0);
      if (fall === 0) return rise === 0 ? 50 : 100;
      return 100 - 100 / (1 + rise / fall);
    },
  };
}
