import { highest, lowest } from './extremes.ts';
import type { Candle, Channel, Indicator } from './indicator.ts';
import { requireLength } from './require.ts';

/**
 * Donchian channel: `upper` is the highest high and `lower` the lowest low of the last `length` bars, including the
 * latest; `middle` is halfway between. A breakout is a close beyond the previous bar's channel. It needs no seed; the
 * first output comes with bar number `length`.
 *
 * Source: R. Donchian, Commodities: High Finance in Copper, 1960.
 * @throws {InvalidValueError} unless `length` is a whole number above 0
 */
export function donchian(length = 20): Indicator<Pick<Candle, 'high' | 'low'>, Channel> {
  requireLength('donchian', length);
  const [top, bottom] = [highest(length), lowest(length)];
  const channel = { upper: NaN, middle: NaN, lower: NaN };
  return {
    warmUp: length,
    next({ high, low }) {
      channel.upper = top.next(high);
      channel.lower = bottom.next(low);
      channel.middle = (channel.upper + channel.lower) / 2;
      return channel;
    },
  };
}
