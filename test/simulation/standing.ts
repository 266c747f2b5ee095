import type { EpochMs } from '../../src/core/brand.ts';
import type { AccountState } from '../../src/domain/account/accountState.ts';
import type { Ticker } from '../../src/domain/instrument.ts';
import type { Asset } from '../../src/domain/account/ledger.ts';
import { balanceOf } from '../../src/emulator/state/ledger.ts';
import type { VenueSide } from './venueSide.ts';

/** Longest time for which a runner may wait for the explanation of a difference, including all its polls. */
const PATIENCE_MS = 12 * 60_000;

const amountAt = ({ machine, key }: VenueSide, bucket: 'exchange' | 'locked', asset: Asset): bigint =>
  balanceOf(machine.state.balances, { holder: key.userAddress, bucket }, asset);

/** Real amount of an asset at the venue less that of the ledger. */
export const gapOf = (venue: VenueSide, { ledger }: AccountState, asset: Asset): bigint =>
  amountAt(venue, 'exchange', asset) + amountAt(venue, 'locked', asset) - ledger.total(asset);

/**
 * True where the venue shows a difference of an asset without orders under way. It shows only the free amount: shares that
 * it still locks after their sale, because it moves balances late, look sold.
 */
const isShown = (venue: VenueSide, { ledger }: AccountState, asset: Asset): boolean =>
  amountAt(venue, 'exchange', asset) !== ledger.total(asset);

/** Differences between ledger and venue that the venue shows and no order under way explains, each with the time since which it is the same. */
export class Standing {
  /** True when a single reading of a difference must stop orders; false when an explanation may be on its way. */
  readonly #atOnce: boolean;
  /** Time at which the last answered request for positions left. */
  #looked = -Infinity;
  /** Present difference of an asset, without memory. */
  #gapNow: (asset: Asset) => bigint = () => 0n;
  readonly #gaps = new Map<Asset, Readonly<{ gap: bigint; since: EpochMs }>>();

  constructor(atOnce: boolean) {
    this.#atOnce = atOnce;
  }

  /** Handles positions that the runner receives, requested at that time. */
  looked(begun: EpochMs): void {
    this.#looked = Math.max(this.#looked, begun);
  }

  /** Starts a new process, which has to see everything for itself. */
  born(): void {
    this.#looked = -Infinity;
    this.#gaps.clear();
  }

  sample(venue: VenueSide, accountState: AccountState, now: EpochMs): void {
    this.#gapNow = (asset) => gapOf(venue, accountState, asset);
    const live = new Set([...accountState.live.values()].map(({ terms }) => terms.symbol));
    for (const asset of accountState.ledger.assets) {
      if (asset === 'mUSD') continue;
      const gap = gapOf(venue, accountState, asset);
      const isExcused = live.has(asset) || venue.isDeceived(asset, now);
      if (gap === 0n || isExcused || !isShown(venue, accountState, asset)) this.#gaps.delete(asset);
      else if (this.#gaps.get(asset)?.gap !== gap) this.#gaps.set(asset, { gap, since: now });
    }
  }

  /** True when the venue has no less of a symbol than the ledger: what the ledger has may be sold. */
  isSurplus(symbol: Ticker | undefined): boolean {
    return symbol !== undefined && this.#gapNow(symbol) >= 0n;
  }

  /** True when no order of a symbol may leave now, other than an exit. */
  isOverdue(symbol: Ticker, now: EpochMs): boolean {
    const known = this.#gaps.get(symbol);
    // Between two looks a booked split may have explained most of it: what is left has to stand for its own time.
    if (known === undefined || known.gap !== this.#gapNow(symbol)) return false;
    return now - known.since > PATIENCE_MS || (this.#atOnce && this.#looked > known.since);
  }
}
