import type { Candle, Indicator } from './indicator.ts';
import { requireLength } from './require.ts';
import { typicalPrice } from './typicalPrice.ts';

/** Scale that puts most values between −100 and 100. */
const SCALE = 0.015;

/**
 * Commodity channel index: `(typical price − its mean) / (0.015 × mean distance from that mean)` over the last `length`
 * bars; 0 when all are equal. Typical price: (high + low + close) / 3. It needs no seed; the first output comes with
 * bar number `length`. The mean distance is recomputed for each bar, in time proportional to `length`.
 *
 * Source: D. Lambert, Commodity Channel Index, 1980.
 * @throws {InvalidValueError} unless `length` is a whole number above 0
 */
export function cci(length = 20): Indicator<Pick<Candle, 'high' | 'low' | 'close'>> {
  requireLength('cci', length);
  const window = new Float64Array(length);
  let seen = 0;
  return {
    warmUp: length,
    next(bar) {
      const typical = typicalPrice(bar);
      window[seen % length] = typical;
      seen++;
      if (seen < length) return NaN;
      // Relative to one price of the window, so that the mean of equal prices is exact to the last bit.
      const one = window[0] ?? NaN;
      let total = 0;
      let distances = 0;
      for (let place = 0; place < length; place++) total += (window[place] ?? NaN) - one;
      const mean = one + total / length;
      for (let place = 0; place < length; place++) distances += Math.abs((window[place] ?? NaN) - mean);
      return distances === 0 ? 0 : (typical - mean) / ((SCALE * distances) / length);
    },
  };
}
