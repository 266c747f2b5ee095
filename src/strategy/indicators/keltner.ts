import { atr } from './atr.ts';
import { ema } from './ema.ts';
import type { Candle, Channel, Indicator } from './indicator.ts';
import { requireLength, requireMultiple } from './require.ts';

/**
 * Keltner channel: `middle` is the exponential average of the closes, `upper` and `lower` are `width` average true
 * ranges away, averaged over `rangeLength` bars. Seeds are those of `ema` and `atr`. `middle` comes with bar number
 * `length`, the rest with the larger of the two lengths.
 *
 * Source: C. W. Keltner, How To Make Money in Commodities, 1960, in the form of L. B. Raschke.
 * @throws {InvalidValueError} unless both lengths are whole numbers and `width` a number above 0
 */
export function keltner(
  length = 20,
  width = 2,
  rangeLength = 10,
): Indicator<Pick<Candle, 'high' | 'low' | 'close'>, Channel> {
  requireLength('keltner', length);
  requireLength('keltner', rangeLength);
  requireMultiple('keltner', width);
  const [average, range] = [ema(length), atr(rangeLength)];
  const channel = { upper: NaN, middle: NaN, lower: NaN };
  return {
    warmUp: Math.max(length, rangeLength),
    next(bar) {
      const half = width * range.next(bar);
      channel.middle = average.next(bar.close);
      channel.upper = channel.middle + half;
      channel.lower = channel.middle - half;
      return channel;
    },
  };
}
