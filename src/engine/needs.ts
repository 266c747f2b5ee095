import { ConfigError } from '../core/errors.ts';
import { ticker, type Instrument, type Ticker } from '../domain/instrument.ts';
import type { BarNeed } from '../market/feed.ts';
import type { StrategySetup } from './host.ts';
import { symbolsOf } from './view.ts';

export const barNeeds = ({ needs }: StrategySetup): BarNeed[] =>
  (needs.bars ?? []).map(({ symbol, interval, warmUp = 0 }) => ({
    symbol: ticker(symbol),
    interval,
    warmUp,
  }));

const UNLISTED =
  'is not listed at this venue. A row without a price, or one that cannot be read, counts as none: the log names it';

/** @throws {ConfigError} when a strategy wants a symbol that the venue does not trade */
export function checkSymbols(
  strategies: readonly StrategySetup[],
  instruments: ReadonlyMap<Ticker, Instrument>,
): void {
  for (const { id, needs } of strategies) {
    for (const symbol of symbolsOf(needs)) {
      const instrument = instruments.get(ticker(symbol));
      const problem = !instrument ? UNLISTED : !instrument.tradable ? 'is not tradable at this venue' : null;
      if (problem) throw new ConfigError(`${symbol} ${problem}`, { strategy: id, symbol });
    }
  }
}
