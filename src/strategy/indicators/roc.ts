import type { Indicator } from './indicator.ts';
import { past } from './past.ts';
import { requireLength } from './require.ts';

/**
 * Rate of change, in percent: `100 × (value / value length bars ago − 1)`. It needs no seed; the first output comes
 * with value number `length + 1`.
 *
 * Source: J. J. Murphy, Technical Analysis of the Financial Markets, 1999.
 * @throws {InvalidValueError} unless `length` is a whole number above 0
 */
export function roc(length: number): Indicator {
  requireLength('roc', length);
  const before = past(length);
  return {
    warmUp: length + 1,
    next: (value) => 100 * (value / before.next(value) - 1),
  };
}
