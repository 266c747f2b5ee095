import type { Indicator } from './indicator.ts';
import { past } from './past.ts';
import { requireLength } from './require.ts';

/**
 * Momentum, in the unit of the value: `value − value length bars ago`. It needs no seed; the first output comes with
 * value number `length + 1`.
 *
 * Source: J. J. Murphy, Technical Analysis of the Financial Markets, 1999.
 * @throws {InvalidValueError} unless `length` is a whole number above 0
 */
export function momentum(length = 10): Indicator {
  requireLength('momentum', length);
  const before = past(length);
  return {
    warmUp: length + 1,
    next: (value) => value - before.next(value),
  };
}
