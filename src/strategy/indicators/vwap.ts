import { DAY_MS } from '../../core/brand.ts';
import { fold } from './fold.ts';
import type { Candle, Indicator } from './indicator.ts';
import { requireLength } from './require.ts';
import { typicalPrice } from './typicalPrice.ts';

type Input = Pick<Candle, 'high' | 'low' | 'close' | 'volume'>;

/**
 * Volume-weighted average price of the session: `Σ typical price × volume / Σ volume` since the first bar of its UTC
 * day, where typical price is (high + low + close) / 3. A New York session and the trading before it lie in one UTC
 * day; so does the trading after it, up to 19:00 in winter and 20:00 in summer. NaN until something has been traded;
 * the first output comes with bar number 1.
 *
 * Source: S. Berkowitz, D. Logue, E. Noser, The Total Cost of Transactions on the NYSE, 1988.
 */
export function vwap(): Indicator<Input & Pick<Candle, 'start'>> {
  const state = { money: 0, volume: 0, day: NaN };
  return {
    warmUp: 1,
    next(bar) {
      const day = Math.floor(bar.start / DAY_MS);
      if (day !== state.day) state.money = state.volume = 0;
      state.day = day;
      state.money += typicalPrice(bar) * bar.volume;
      state.volume += bar.volume;
      return state.money / state.volume;
    },
  };
}

/**
 * Volume-weighted average price of the last `length` bars: `Σ typical price × volume / Σ volume`, as for `vwap`. NaN if
 * nothing was traded in them. It needs no seed; the first output comes with bar number `length`.
 *
 * Source: as for `vwap`.
 * @throws {InvalidValueError} unless `length` is a whole number above 0
 */
export function rollingVwap(length: number): Indicator<Input> {
  requireLength('rollingVwap', length);
  const [money, volume] = [fold(length, 'total'), fold(length, 'total')];
  return {
    warmUp: length,
    next: (bar) => money.next(typicalPrice(bar) * bar.volume) / volume.next(bar.volume),
  };
}

/**
 * Volume-weighted moving average: `Σ close × volume / Σ volume` of the last `length` bars. NaN if nothing was traded in
 * them. It needs no seed; the first output comes with bar number `length`.
 *
 * Source: as `rollingVwap`, of closes, as used in B. Dormeier, Investing With Volume Analysis, 2011.
 * @throws {InvalidValueError} unless `length` is a whole number above 0
 */
export function vwma(length = 20): Indicator<Pick<Candle, 'close' | 'volume'>> {
  requireLength('vwma', length);
  const money = fold(length, 'total');
  const volume = fold(length, 'total');
  return {
    warmUp: length,
    next: (bar) => money.next(bar.close * bar.volume) / volume.next(bar.volume),
  };
}
