import { InvariantError } from '../core/errors.ts';
import type { Ticker } from './instrument.ts';

/** mUSD, or a stock by its symbol. */
export type Asset = 'mUSD' | Ticker;
/**
 * `free` can be used, `reserved` waits for a live order. `venue` is the other side of what comes in and goes out. `owed` is
 * below nothing by what strategies have been promised and another has spent: see `Books`.
 */
export type Bucket = 'free' | 'reserved' | 'owed' | 'venue';
/** Whose money it is: a strategy by its id, or the part that no strategy was given. */
export type Owner = string;

/** What the account holds beyond what was given to strategies. */
export const UNALLOCATED: Owner = '';

export type Posting = Readonly<{ owner: Owner; bucket: Bucket; asset: Asset; amount: bigint }>;

const keyOf = (owner: Owner, bucket: Bucket, asset: Asset): string => `${owner}\n${bucket}\n${asset}`;

/**
 * Double entry: every movement takes from one bucket what it gives to another, so the sum of each asset over all
 * buckets is zero for ever, and neither what is free nor what is reserved is ever negative.
 */
export class Ledger {
  readonly #balances = new Map<string, bigint>();
  readonly #assets = new Set<Asset>(['mUSD']);

  balance(owner: Owner, bucket: Bucket, asset: Asset): bigint {
    return this.#balances.get(keyOf(owner, bucket, asset)) ?? 0n;
  }

  /** Everything of ours, all owners, free and reserved. */
  total(asset: Asset): bigint {
    return -this.balance(UNALLOCATED, 'venue', asset);
  }

  /** Free and reserved of one owner. */
  held(owner: Owner, asset: Asset): bigint {
    return this.balance(owner, 'free', asset) + this.balance(owner, 'reserved', asset);
  }

  get assets(): ReadonlySet<Asset> {
    return this.#assets;
  }

  /** @throws {InvariantError} when the postings do not balance or would leave less than nothing; nothing is posted then */
  post(cause: string, postings: readonly Posting[]): void {
    const sums = new Map<Asset, bigint>();
    for (const { asset, amount } of postings) sums.set(asset, (sums.get(asset) ?? 0n) + amount);
    for (const [asset, sum] of sums)
      if (sum !== 0n)
        throw new InvariantError(`${cause} does not balance in ${asset}`, { cause, asset, sum });
    const after = new Map<string, bigint>();
    for (const { owner, bucket, asset, amount } of postings) {
      const key = keyOf(owner, bucket, asset);
      after.set(key, (after.get(key) ?? this.#balances.get(key) ?? 0n) + amount);
    }
    for (const { owner, bucket, asset } of postings)
      if ((bucket === 'free' || bucket === 'reserved') && (after.get(keyOf(owner, bucket, asset)) ?? 0n) < 0n)
        throw new InvariantError(`${cause} takes more ${asset} than is ${bucket}`, { cause, asset, owner });
    for (const [key, amount] of after) this.#balances.set(key, amount);
    for (const { asset } of postings) this.#assets.add(asset);
  }

  /** Moves between two buckets of one asset. */
  move(cause: string, { asset, amount, from, to }: Movement): void {
    this.post(cause, [
      { ...from, asset, amount: -amount },
      { ...to, asset, amount },
    ]);
  }
}

type Place = Readonly<{ owner: Owner; bucket: Bucket }>;
export type Movement = Readonly<{ asset: Asset; amount: bigint; from: Place; to: Place }>;

export const VENUE: Place = { owner: UNALLOCATED, bucket: 'venue' };
export const OWED: Place = { owner: UNALLOCATED, bucket: 'owed' };
export const freeOf = (owner: Owner): Place => ({ owner, bucket: 'free' });
export const reservedOf = (owner: Owner): Place => ({ owner, bucket: 'reserved' });
