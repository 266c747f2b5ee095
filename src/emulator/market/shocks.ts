import type { Ticker } from '../../domain/instrument.ts';
import type { Shock } from './types.ts';

/** The shocks of one stock, put together. */
export type Shocks = Readonly<{
  /** What prices are multiplied by at an instant. */
  factorAt(at: number): number;
  /** Instants of shocks after `start`, up to and with `end`. */
  within(start: number, end: number): readonly number[];
}>;

export const NO_SHOCKS: Shocks = { factorAt: () => 1, within: () => [] };

export function shocksOf(symbol: Ticker, all: readonly Shock[] = []): Shocks {
  const shocks = all.length === 0 ? all : all.filter((shock) => shock.symbol === symbol);
  if (shocks.length === 0) return NO_SHOCKS;
  return {
    factorAt: (at) => shocks.reduce((factor, shock) => (shock.at <= at ? factor * shock.factor : factor), 1),
    within: (start, end) => shocks.map((shock) => shock.at).filter((at) => at > start && at <= end),
  };
}
