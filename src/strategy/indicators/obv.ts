import type { Candle, Indicator } from './indicator.ts';

/**
 * On-balance volume, in shares: the volume of a bar that closes above the one before is added, of one that closes below
 * taken away. It begins with 0 at the first bar, so only its changes have a meaning.
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
