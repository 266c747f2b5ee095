import type { EpochMs } from '../../src/core/brand.ts';
import type { AccountState } from '../../src/domain/account/accountState.ts';
import type { Ticker } from '../../src/domain/instrument.ts';
import type { Asset } from '../../src/domain/account/ledger.ts';
import { balanceOf } from '../../src/emulator/state/ledger.ts';
import type { VenueSide } from './venueSide.ts';

/** So long a runner may take a difference for something that is about to be explained, with all its polls. */
const PATIENCE_MS = 12 * 60_000;

/** What the venue really has of an asset less what the ledger says. */
export function gapOf({ machine, key }: VenueSide, { ledger }: AccountState, asset: Asset): bigint {
  const read = (bucket: 'exchange' | 'locked') =>
    balanceOf(machine.state.balances, { holder: key.userAddress, bucket }, asset);
  return read('exchange') + read('locked') - ledger.total(asset);
}

/** Since when ledger and venue differ by the very same amount, with no order under way that could explain it. */
export class Standing {
  /** Whether one look that shows a difference is enough to stop orders, or a difference may be about to be explained. */
  readonly #atOnce: boolean;
  /** When the latest look at the positions has left of which the runner has the answer. */
  #looked = -Infinity;
  /** What it is now, with nothing remembered. */
  #gapNow: (asset: Asset) => bigint = () => 0n;
  readonly #gaps = new Map<Asset, Readonly<{ gap: bigint; since: EpochMs }>>();

  constructor(atOnce: boolean) {
    this.#atOnce = atOnce;
  }

  /** The runner is handed what the venue shows of its positions, asked at that time. */
  looked(begun: EpochMs): void {
    this.#looked = Math.max(this.#looked, begun);
  }

  /** A new process has to see everything for itself. */
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
      if (gap === 0n || live.has(asset)) this.#gaps.delete(asset);
      else if (this.#gaps.get(asset)?.gap !== gap) this.#gaps.set(asset, { gap, since: now });
    }
  }

  /** Whether no order of a symbol may leave by now. */
  isOverdue(symbol: Ticker, now: EpochMs): boolean {
    const known = this.#gaps.get(symbol);
    // Between two looks a booked split may have explained most of it: what is left has to stand for its own time.
    if (known === undefined || known.gap !== this.#gapNow(symbol)) return false;
    return now - known.since > PATIENCE_MS || (this.#atOnce && this.#looked > known.since);
  }
}
