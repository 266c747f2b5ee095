import type { Indicator } from './indicator.ts';
import { requireLength } from './require.ts';

/**
 * Percent rank, 0 to 100: percentage of the previous `length` values that are not above this one. Each value takes time
 * proportional to `length`. It needs no seed; the first output comes with value number `length + 1`.
 *
 * Source: `ta.percentrank` of TradingView; L. Connors, An Introduction to ConnorsRSI, 2012, counts only those below.
 * @throws {InvalidValueError} unless `length` is a whole number above 0
 */
export function percentRank(length: number): Indicator {
  requireLength('percentRank', length);
  const window = new Float64Array(length).fill(NaN);
  let slot = 0;
  return {
    warmUp: length + 1,
    next(value) {
      let below = 0;
      let above = 0;
      for (let place = 0; place < length; place++) {
        const each = window[place] ?? NaN;
        if (each <= value) below++;
        else if (each > value) above++;
      }
      window[slot] = value;
      slot = slot + 1 === length ? 0 : slot + 1;
      // The sum is smaller if one is NaN or missing.
      return below + above === length ? (100 * below) / length : NaN;
    },
  };
}
