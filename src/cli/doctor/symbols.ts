import { isUnreadable } from '../../api/wire.ts';
import type { VenueClient } from '../../api/client.ts';
import { ConfigError, messageOf } from '../../core/errors.ts';
import { symbolsOf } from '../../engine/strategy/view.ts';
import type { LoadedConfig } from '../config/load.ts';
import { planStrategies } from '../environment/plan.ts';
import { mistake, ok, warn, type Finding, boundedFailure } from './finding.ts';
import { readableOf } from '../transfers/market.ts';
import { pinnedOf } from '../environment/pins.ts';
import { againstStock, unlistedContracts } from '../transfers/pinned.ts';

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

/** Compares what the venue lists with venue.contracts and with the journal of the state folder. */
export async function checkContracts(client: VenueClient, loaded: LoadedConfig): Promise<Finding> {
  const rows = readableOf(await client.symbols());
  const pinned = pinnedOf(loaded);
  const unlisted = unlistedContracts(rows, pinned);
  if (unlisted !== null)
    return mistake('contracts', { detail: unlisted, remedy: 'Correct the name in venue.contracts' });
  const changed = rows.flatMap(({ symbol }) => {
    const why = againstStock(rows, symbol, pinned);
    return why === null ? [] : [`${symbol}: ${why}`];
  });
  if (changed.length === 0) return ok('contracts', `${rows.length} stocks: the pinned ones are as they were`);
  return boundedFailure('contracts', {
    detail: changed.join('\n'),
    remedy:
      'Nothing is sent for these. Ask the venue why; `drover release SYMBOL --accept-terms --reason TEXT` takes the new ' +
      'terms over',
  });
}
