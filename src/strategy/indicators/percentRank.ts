import type { Indicator } from './indicator.ts';
import { requireLength } from './require.ts';

/**
 * Percent rank, 0 to 100: how many of the `length` values before are not above this one, in percent. It needs no seed; the first
 * answer comes with value number `length + 1`. A value costs its window.
 *
 * Source: as `ta.percentrank` of TradingView; L. Connors, An Introduction to ConnorsRSI, 2012, counts only those that are below.
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
      // Fewer where one is NaN, or not there yet.
      return below + above === length ? (100 * below) / length : NaN;
    },
  };
}
