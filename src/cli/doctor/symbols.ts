import { isUnreadable } from '../../api/wire.ts';
import type { VenueClient } from '../../api/client.ts';
import { ConfigError, messageOf } from '../../core/errors.ts';
import { symbolsOf } from '../../engine/view.ts';
import type { LoadedConfig } from '../config/load.ts';
import { planStrategies } from '../run/plan.ts';
import { mistake, ok, warn, type Finding } from './finding.ts';

/** The strategies load, their parameters are right, and what they trade is listed and tradable. */
export async function checkStrategies(loaded: LoadedConfig, client: VenueClient | null): Promise<Finding[]> {
  const wanted = await wantedSymbols(loaded);
  if ('verdict' in wanted) return [wanted];
  const strategies = ok(
    'strategies',
    `${loaded.config.strategies.length} load, and their parameters are right`,
  );
  if (!client) return [strategies];
  const { stuck, partial } = await listed(client, wanted);
  if (stuck.length > 0)
    return [
      strategies,
      mistake('symbols', {
        detail: `not listed or not tradable: ${stuck.join(', ')}`,
        remedy: '`drover api GET /api/v1/symbols` lists what there is',
      }),
    ];
  if (partial.length > 0)
    return [
      strategies,
      warn('symbols', {
        detail: `only whole shares: ${partial.join(', ')}`,
        remedy: 'Buys by notional of these are refused; size them in whole shares',
      }),
    ];
  return [strategies, ok('symbols', `all ${wanted.size} are tradable`)];
}

async function wantedSymbols(loaded: LoadedConfig): Promise<ReadonlySet<string> | Finding> {
  try {
    const { strategies: planned, close } = await planStrategies(loaded, () => undefined);
    await close();
    return new Set(planned.flatMap(({ needs }) => [...symbolsOf(needs)]));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return mistake('strategies', { detail: messageOf(error), remedy: null });
  }
}

async function listed(client: VenueClient, wanted: ReadonlySet<string>) {
  const rows = (await client.symbols()).filter((row) => !isUnreadable(row));
  const found = new Map(rows.flatMap((row) => ('symbol' in row ? [[row.symbol, row]] : [])));
  const stuck = [...wanted].filter((symbol) => !found.get(symbol)?.tradable);
  return { stuck, partial: [...wanted].filter((symbol) => found.get(symbol)?.fractionable === false) };
}
