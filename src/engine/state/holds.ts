import type { Ticker } from '../../domain/instrument.ts';
import type { Asset } from '../../domain/account/ledger.ts';

/** Cause of a hold: at most one of each kind on everything, and on each asset. */
export type HoldCause =
  | 'blind'
  | 'order list'
  | 'skew'
  | 'price'
  | 'corporate action'
  | 'contract'
  | 'other contract'
  | 'delegatee'
  | 'difference'
  | 'end'
  | `order ${string}`;

/**
 * Holds: reasons not to send orders, each until it is lifted. A hold applies to everything, to one symbol or, on mUSD,
 * to all buys. Unlike a freeze it ends by itself once the venue has shown the missing data; after a restart it is set
 * again if needed.
 */
export class Holds {
  readonly #all = new Map<HoldCause, string>();
  readonly #byAsset = new Map<Asset, Map<HoldCause, string>>();
  #count = 0;

  /** True while there are no holds. */
  get areNone(): boolean {
    return this.#count === 0;
  }

  /** Reason not to send anything, or null. */
  get everything(): string | null {
    return firstOf(this.#all);
  }

  /** Reason not to send an order of a stock, or null. `passes`: true for causes that do not stop this order. */
  against(symbol: Ticker, passes?: (cause: HoldCause) => boolean): string | null {
    return this.everything ?? firstOf(this.#byAsset.get(symbol), passes);
  }

  /** Reason not to send a buy, or null. */
  get onCash(): string | null {
    return firstOf(this.#byAsset.get('mUSD'));
  }

  /** True if a stock is only held until the account shows the latest fills and ends of its orders. */
  isPassing(symbol: Ticker): boolean {
    const causes = [...(this.#byAsset.get(symbol)?.keys() ?? [])];
    return this.everything === null && causes.every((cause) => cause === 'difference' || cause === 'end');
  }

  has(cause: HoldCause, asset?: Asset): boolean {
    return this.#of(asset)?.has(cause) ?? false;
  }

  /** Reason of a hold on everything, or null. */
  why(cause: HoldCause): string | null {
    return this.#all.get(cause) ?? null;
  }

  /** Adds a hold. False if it already existed. */
  put(cause: HoldCause, why: string, asset?: Asset): boolean {
    if (asset !== undefined && !this.#byAsset.has(asset)) this.#byAsset.set(asset, new Map());
    const isNew = !this.has(cause, asset);
    if (isNew) this.#count++;
    this.#of(asset)?.set(cause, why);
    return isNew;
  }

  /** Lifts a hold. False if it did not exist. */
  lift(cause: HoldCause, asset?: Asset): boolean {
    const wasThere = this.#of(asset)?.delete(cause) ?? false;
    if (wasThere) this.#count--;
    return wasThere;
  }

  #of(asset: Asset | undefined): Map<HoldCause, string> | undefined {
    return asset === undefined ? this.#all : this.#byAsset.get(asset);
  }
}

function firstOf(
  reasons: ReadonlyMap<HoldCause, string> | undefined,
  passes?: (cause: HoldCause) => boolean,
): string | null {
  for (const [cause, why] of reasons ?? []) if (!passes?.(cause)) return why;
  return null;
}
