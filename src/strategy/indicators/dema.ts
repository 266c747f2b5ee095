import { ema } from './ema.ts';
import type { Indicator } from './indicator.ts';
import { requireLength } from './require.ts';

/**
 * Double exponential moving average: `2 × e₁ − e₂`, where e₁ is the `ema` of the values and e₂ the `ema` of e₁. It lags
 * less than either. Each starts with the simple mean of its first `length` inputs. The first output comes with value
 * number `2 × length − 1`.
 *
 * Source: P. G. Mulloy, Smoothing Data With Faster Moving Averages, 1994.
 * @throws {InvalidValueError} unless `length` is a whole number above 0
 */
export function dema(length: number): Indicator {
  requireLength('dema', length);
  const [one, two] = [ema(length), ema(length)];
  return {
    warmUp: 2 * length - 1,
    next(value) {
      const once = one.next(value);
      return Number.isNaN(once) ? NaN : 2 * once - two.next(once);
    },
  };
}

/**
 * Triple exponential moving average: `3 × e₁ − 3 × e₂ + e₃`, each being the `ema` of the one before. Seeds as for
 * `dema`. The first output comes with value number `3 × length − 2`.
 *
 * Source: as for `dema`.
 * @throws {InvalidValueError} unless `length` is a whole number above 0
 */
export function tema(length: number): Indicator {
  requireLength('tema', length);
  const [one, two, three] = [ema(length), ema(length), ema(length)];
  return {
    warmUp: 3 * length - 2,
    next(value) {
      const once = one.next(value);
      if (Number.isNaN(once)) return NaN;
      const twice = two.next(once);
      return Number.isNaN(twice) ? NaN : 3 * once - 3 * twice + three.next(twice);
    },
  };
}
