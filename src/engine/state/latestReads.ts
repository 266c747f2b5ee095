import type { EpochMs } from '../../core/brand.ts';
import type { Asset, Holding } from '../../domain/account/ledger.ts';
import type { VenueTerms } from '../../domain/venue.ts';

/** The venue's account, order list and terms, as last read. */
export class LatestReads {
  /**
   * Amounts that the latest account read showed as missing, by asset. `uncovered`: shares missing in the wallet, or
   * owed beyond the ledger. `missing`: mUSD short at the venue by a difference that lasted long enough to count. `at`:
   * time at which its request was sent. Null before the first.
   */
  account: Readonly<{
    shortfalls: ReadonlyMap<Holding, bigint>;
    uncovered: ReadonlyMap<Holding, bigint>;
    missing: bigint;
    at: EpochMs;
  }> | null = null;
  /** Proceeds of orders settled since the last account read, by asset: they are reused only once a balance shows them. */
  readonly unshown = new Map<Asset, bigint>();
  /** Assets that an order needed and the venue does not show: such a difference is never dust, however small. */
  readonly needed = new Set<Asset>();
  /** Time at which the latest complete order list was requested. Null before the first. */
  sweptAt: EpochMs | null = null;
  /** Cash tokens by lower-case address, as last stated by the venue. */
  cashTokens: ReadonlyMap<string, VenueTerms['cashTokens'][number]> = new Map();
  /** False if the venue last reported One Click as off. */
  delegated = true;
}
