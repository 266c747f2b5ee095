import { fold } from './fold.ts';
import type { Candle, Indicator } from './indicator.ts';
import { requireLength } from './require.ts';
import { typicalPrice } from './typicalPrice.ts';

/**
 * Money flow index: `100 − 100 / (1 + money in / money out)`, 0 to 100. The money of a bar is its typical price, (high
 * + low + close) / 3, times its volume. It counts as in when that price rose since the bar before, and as out when it
 * fell, over the last `length` changes. 100 when nothing went out, 50 when nothing moved. It needs no seed; the first
 * output comes with bar number `length + 1`.
 *
 * Source: G. Quong, A. Soudack, Volume-weighted RSI: Money Flow, 1989.
 * @throws {InvalidValueError} unless `length` is a whole number above 0
 */
export function mfi(length = 14): Indicator<Pick<Candle, 'high' | 'low' | 'close' | 'volume'>> {
  requireLength('mfi', length);
  const [inflow, outflow] = [fold(length, 'total'), fold(length, 'total')];
  const last = { typical: NaN };
  return {
    warmUp: length + 1,
    next(bar) {
      const typical = typicalPrice(bar);
      const change = typical - last.typical;
      last.typical = typical;
      if (Number.isNaN(change)) return NaN;
      const money = typical * bar.volume;
      const gained = inflow.next(change > 0 ? money : 0);
      const lost = outflow.next(change < 0 ? money : 0);
      if (lost === 0) return gained === 0 ? 50 : 100;
      return 100 - 100 / (1 + gained / lost);
    },
  };
}
