import type { VenueClient } from '../../api/client.ts';
import type { LoadedConfig } from '../config/load.ts';
import { readableOf } from '../moves/market.ts';
import { pinnedOf } from '../run/pins.ts';
import { againstStock, unlistedContracts } from '../moves/pinned.ts';
import { boundedFailure, mistake, ok, type Finding } from './finding.ts';

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
