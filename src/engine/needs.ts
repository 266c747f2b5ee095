import { ConfigError } from '../core/errors.ts';
import { suggest } from '../core/suggest.ts';
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

/** All that the emulator lists: no other command reaches a venue that lives in the run. */
const LISTED_SHOWN = 30;

/** Remedy for a symbol that is not listed: the one that was probably meant, and what there is. */
function unlisted(symbol: string, known: readonly string[]): string {
  const meant = suggest(symbol, known);
  const more = known.length - LISTED_SHOWN;
  const rest = more > 0 ? ` and ${more} more (\`drover api GET /api/v1/symbols\`)` : '';
  return (
    `which is not listed at this venue.${meant === undefined ? '' : ` Did you mean ${meant}?`} ` +
    `Listed are ${known.slice(0, LISTED_SHOWN).join(', ')}${rest}. ` +
    'A row without a price, or one that cannot be read, counts as none: the log names it'
  );
}

/** @throws {ConfigError} when a strategy wants a symbol that the venue does not trade */
export function checkSymbols(
  strategies: readonly StrategySetup[],
  instruments: ReadonlyMap<Ticker, Instrument>,
): void {
  for (const { id, needs } of strategies) {
    for (const symbol of symbolsOf(needs)) {
      const instrument = instruments.get(ticker(symbol));
      if (instrument?.tradable) continue;
      const problem = instrument
        ? 'which is not tradable at this venue'
        : unlisted(symbol, [...instruments.keys()]);
      throw new ConfigError(`${id} asks for ${symbol}, ${problem}`, { strategy: id, symbol });
    }
  }
}
