import { fold } from './fold.ts';
import type { Indicator } from './indicator.ts';
import { requireLength } from './require.ts';

/**
 * Highest of the last `length` values, including the latest. It needs no seed; the first output comes with value number
 * `length`.
 *
 * Source: the moving maximum.
 * @throws {InvalidValueError} unless `length` is a whole number above 0
 */
export function highest(length: number): Indicator {
  requireLength('highest', length);
  return fold(length, 'maximum');
}

/**
 * Lowest of the last `length` values, including the latest. It needs no seed; the first output comes with value number
 * `length`.
 *
 * Source: the moving minimum.
 * @throws {InvalidValueError} unless `length` is a whole number above 0
 */
export function lowest(length: number): Indicator {
  requireLength('lowest', length);
  return fold(length, 'minimum');
}
