import { tradingCalendar } from '../../calendar/index.ts';
import { epochMs } from '../../core/brand.ts';
import { fold, TOTAL } from './fold.ts';
import type { Candle, Indicator } from './indicator.ts';
import { requireLength } from './require.ts';
import { typicalPrice } from './typicalPrice.ts';

type Input = Pick<Candle, 'high' | 'low' | 'close' | 'volume'>;

/**
 * Volume-weighted average price of the session: `Σ typical price × volume / Σ volume` since the bar that began at or after the
 * open of the regular session, typical price being (high + low + close) / 3. Bars between two sessions count with the
 * session before them. NaN while nothing has been traded; the first answer comes with bar number 1.
 *
 * Source: S. Berkowitz, D. Logue, E. Noser, The Total Cost of Transactions on the NYSE, 1988.
 * @throws {InvalidValueError} by `next`, of a bar outside 2000 to 2050
 */
export function vwap(): Indicator<Input & Pick<Candle, 'start'>> {
  const state = { money: 0, volume: 0, until: -Infinity };
  return {
    warmUp: 1,
    next(bar) {
      if (bar.start >= state.until) {
        state.money = state.volume = 0;
        state.until = tradingCalendar.nextSession(epochMs(bar.start)).open;
      }
      state.money += typicalPrice(bar) * bar.volume;
      state.volume += bar.volume;
      return state.money / state.volume;
    },
  };
}

/**
 * Volume-weighted average price of the last `length` bars: `Σ typical price × volume / Σ volume`, typical price being (high + low
 * + close) / 3. NaN while nothing was traded in them. It needs no seed; the first answer comes with bar number `length`.
 *
 * Source: as for `vwap`.
 * @throws {InvalidValueError} unless `length` is a whole number above 0
 */
export function rollingVwap(length: number): Indicator<Input> {
  requireLength('rollingVwap', length);
  const [money, volume] = [fold(length, TOTAL), fold(length, TOTAL)];
  return {
    warmUp: length,
    next: (bar) => money.next(typicalPrice(bar) * bar.volume) / volume.next(bar.volume),
  };
}
