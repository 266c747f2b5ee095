import { ema } from './ema.ts';
import type { Indicator } from './indicator.ts';
import { requireLength } from './require.ts';

/**
 * TRIX, in percent: change of the triple `ema` of the values since the value before, `100 × (e₃ / last e₃ − 1)`. Each
 * average starts with the simple mean of its first `length` inputs. The first output comes with value number `3 ×
 * length − 1`. Its signal line is an `ema` of it.
 *
 * Source: J. K. Hutson, Good TRIX, 1983.
 * @throws {InvalidValueError} unless `length` is a whole number above 0
 */
export function trix(length = 15): Indicator {
  requireLength('trix', length);
  const [one, two, three] = [ema(length), ema(length), ema(length)];
  const last = { average: NaN };
  return {
    warmUp: 3 * length - 1,
    next(value) {
      const once = one.next(value);
      const twice = Number.isNaN(once) ? NaN : two.next(once);
      const average = Number.isNaN(twice) ? NaN : three.next(twice);
      const change = 100 * (average / last.average - 1);
      last.average = average;
      return change;
    },
  };
}
