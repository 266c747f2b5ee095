import type { EpochMs } from '../../core/brand.ts';
import type { Asset, Holding } from '../../domain/account/ledger.ts';
import type { VenueTerms } from '../../domain/venue.ts';

/** Account, order list and terms of the venue, as its latest reads have shown them. */
export class LatestReads {
  /**
   * Amounts that the latest read of the account found missing there, by asset. `uncovered`: shares that it found missing in the wallet,
   * and owed beyond the ledger. `missing`: mUSD short at the venue by a difference that has counted. `at`: when its request left. Null
   * before the first.
   */
  account: Readonly<{
    shortfalls: ReadonlyMap<Holding, bigint>;
    uncovered: ReadonlyMap<Holding, bigint>;
    missing: bigint;
    at: EpochMs;
  }> | null = null;
  /** Proceeds of orders that settled since the account was last read, by asset: reused only once a balance shows them. */
  readonly unshown = new Map<Asset, bigint>();
  /** Assets of which an order needed what the venue does not show: the difference is no dust, however small. */
  readonly needed = new Set<Asset>();
  /** Time at which the request for the latest complete order list left. Null before the first. */
  sweptAt: EpochMs | null = null;
  /** Cash tokens by their addresses in lower case, as the venue last stated them. */
  cashTokens: ReadonlyMap<string, VenueTerms['cashTokens'][number]> = new Map();
  /** False when the venue last reported that One Click is off. */
  delegated = true;
}
