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

type Account = Record<Bucket, bigint>;

/**
 * Double entry: every movement takes from one bucket what it gives to another, so the sum of each asset over all
 * buckets is zero for ever, and neither what is free nor what is reserved is ever negative.
 */
export class Ledger {
  readonly #accounts = new Map<Owner, Map<Asset, Account>>();
  readonly #assets = new Set<Asset>(['mUSD']);
  #version = 0;

  /** Grows with every movement: what was read at the same version is still true. */
  get version(): number {
    return this.#version;
  }

  balance(owner: Owner, bucket: Bucket, asset: Asset): bigint {
    return this.#accounts.get(owner)?.get(asset)?.[bucket] ?? 0n;
  }

  /** Everything of ours, all owners, free and reserved. */
  total(asset: Asset): bigint {
    return -this.balance(UNALLOCATED, 'venue', asset);
  }

  /** Free and reserved of one owner. */
  held(owner: Owner, asset: Asset): bigint {
    const account = this.#accounts.get(owner)?.get(asset);
    return account ? account.free + account.reserved : 0n;
  }

  get assets(): ReadonlySet<Asset> {
    return this.#assets;
  }

  /** @throws {InvariantError} when the postings do not balance or would leave less than nothing; nothing is posted then */
  post(cause: string, postings: readonly Posting[]): void {
    let checked: Asset | null = null;
    for (const { asset } of postings) {
      const sum = asset === checked ? 0n : sumOf(asset, postings);
      checked = asset;
      if (sum !== 0n)
        throw new InvariantError(`${cause} does not balance in ${asset}`, { cause, asset, sum });
    }
    this.#add(postings, 1n);
    const short = postings.find((posting) => this.#isShort(posting));
    if (!short) return;
    this.#add(postings, -1n);
    const { owner, bucket, asset } = short;
    throw new InvariantError(`${cause} takes more ${asset} than is ${bucket}`, { cause, asset, owner });
  }

  #add(postings: readonly Posting[], sign: 1n | -1n): void {
    this.#version++;
    for (const { owner, bucket, asset, amount } of postings)
      this.#account(owner, asset)[bucket] += sign === 1n ? amount : -amount;
  }

  #isShort({ owner, bucket, asset }: Posting): boolean {
    return (bucket === 'free' || bucket === 'reserved') && this.balance(owner, bucket, asset) < 0n;
  }

  #account(owner: Owner, asset: Asset): Account {
    const known = this.#accounts.get(owner)?.get(asset);
    if (known) return known;
    const account = { free: 0n, reserved: 0n, owed: 0n, venue: 0n };
    const own = this.#accounts.get(owner) ?? new Map<Asset, Account>();
    this.#accounts.set(owner, own.set(asset, account));
    this.#assets.add(asset);
    return account;
  }

  /** Moves between two buckets of one asset. */
  move(cause: string, { asset, amount, from, to }: Movement): void {
    this.post(cause, [
      { ...from, asset, amount: -amount },
      { ...to, asset, amount },
    ]);
  }
}

function sumOf(of: Asset, postings: readonly Posting[]): bigint {
  let sum = 0n;
  for (const { asset, amount } of postings) if (asset === of) sum += amount;
  return sum;
}

type Place = Readonly<{ owner: Owner; bucket: Bucket }>;
export type Movement = Readonly<{ asset: Asset; amount: bigint; from: Place; to: Place }>;

export const VENUE: Place = { owner: UNALLOCATED, bucket: 'venue' };
export const OWED: Place = { owner: UNALLOCATED, bucket: 'owed' };
export const freeOf = (owner: Owner): Place => ({ owner, bucket: 'free' });
export const reservedOf = (owner: Owner): Place => ({ owner, bucket: 'reserved' });
