import type { Indicator } from './indicator.ts';
import { requireLength } from './require.ts';
import { smoothing } from './smoothing.ts';

/**
 * Exponential moving average: `last + α × (value − last)`, α = 2 / (length + 1). The first output comes with value
 * number `length`, and is the simple mean of the values so far.
 *
 * Source: R. G. Brown, Exponential Smoothing for Predicting Demand, 1956; α as in J. J. Murphy, Technical Analysis of
 * the Financial Markets, 1999.
 * @throws {InvalidValueError} unless `length` is a whole number above 0
 */
export function ema(length: number): Indicator {
  requireLength('ema', length);
  return smoothing(length, 2 / (length + 1));
}
