import { ConfigError } from '../core/errors.ts';
import { ticker, type Instrument, type Ticker } from '../domain/instrument.ts';
import type { BarNeed } from '../market/feed.ts';
import type { StrategySetup } from './host.ts';

export const barNeeds = ({ needs }: StrategySetup): BarNeed[] =>
  (needs.bars ?? []).map(({ symbol, interval, warmUp = 0 }) => ({
    symbol: ticker(symbol),
    interval,
    warmUp,
  }));

/** @throws {ConfigError} when a strategy wants a symbol that the venue does not trade */
export function checkSymbols(
  strategies: readonly StrategySetup[],
  instruments: ReadonlyMap<Ticker, Instrument>,
): void {
  for (const { id, needs } of strategies) {
    for (const symbol of [...(needs.quotes ?? []), ...(needs.bars ?? []).map((need) => need.symbol)]) {
      const instrument = instruments.get(ticker(symbol));
      const problem = !instrument ? 'listed' : !instrument.tradable ? 'tradable' : null;
      if (problem)
        throw new ConfigError(`${symbol} is not ${problem} at this venue`, { strategy: id, symbol });
    }
  }
}
