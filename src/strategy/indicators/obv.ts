import type { Candle, Indicator } from './indicator.ts';

/**
 * On-balance volume, in shares: adds the volume of a bar that closes above the one before, and subtracts that of a bar
 * that closes below. It starts at 0 with the first bar, so only its changes are meaningful.
 *
 * Source: J. E. Granville, Granville's New Key to Stock Market Profits, 1963.
 */
export function obv(): Indicator<Pick<Candle, 'close' | 'volume'>> {
  const state = { close: NaN, balance: 0 };
  return {
    warmUp: 1,
    next({ close, volume }) {
      if (close > state.close) state.balance += volume;
      else if (close < state.close) state.balance -= volume;
      state.close = close;
      return state.balance;
    },
  };
}
