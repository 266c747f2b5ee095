import { InvariantError } from '../../core/errors.ts';
import type { Address, Ticker } from '../instrument.ts';
import type { Cash } from '../../core/amount.ts';

/** Traded asset: mUSD, or a stock by its symbol. */
export type Asset = 'mUSD' | Ticker;
/** Held asset: mUSD, a stock, or a cash token of the wallet by its lower-case address. */
export type Holding = Asset | Address;
/**
 * Buckets at the venue: `free` is available, `reserved` is bound by a live order, `owed` is negative by what one strategy
 * has spent of the others' money (see `ShortfallCover`), and `venue` is the contra account of every receipt and payment.
 *
 * Elsewhere: `wallet`; `queuedIn`, taken from the wallet by a deposit or repayment and not yet arrived; `queuedOut`, the
 * same for a withdrawal; `debt`, negative by the stock that deferred sells owe; and `outside`, the contra account of
 * wallet and debt.
 */
export type Bucket =
  | 'free'
  | 'reserved'
  | 'owed'
  | 'venue'
  | 'wallet'
  | 'queuedIn'
  | 'queuedOut'
  | 'debt'
  | 'outside';
/** Owner of an amount: a strategy id, or `UNALLOCATED`. */
export type StrategyId = string;

/** Part of the account that is not allocated to a strategy. */
export const UNALLOCATED: StrategyId = '';

/** Name shown for the unallocated part. */
export const UNALLOCATED_NAME = 'unallocated';

/** Name of an owner for people and programs. */
export const ownerName = (strategyId: StrategyId): string =>
  strategyId === UNALLOCATED ? UNALLOCATED_NAME : strategyId;

export type Posting = Readonly<{ strategyId: StrategyId; bucket: Bucket; asset: Holding; amount: bigint }>;

/** One owner's amounts of one asset, by bucket. */
type Account = Record<Bucket, bigint> & { readonly strategyId: StrategyId; readonly asset: Holding };

/** True for a cash token: stock symbols never start with a digit. */
export const isToken = (asset: Holding): asset is Address => asset.startsWith('0x');

/**
 * Double-entry ledger: every movement takes from one bucket what it adds to another, so each asset sums to zero over
 * all buckets, and no free, reserved or queued amount is ever negative.
 */
export class Ledger {
  private readonly accounts = new Map<StrategyId, Map<Holding, Account>>();
  readonly assets = new Set<Asset>(['mUSD']);
  readonly tokens = new Set<Address>();
  /** Account read last, because most reads want it again. */
  #latest: Account | undefined;
  /** Counts movements: amounts read at the same version are still valid. */
  readonly version: number = 0;

  balance(strategyId: StrategyId, bucket: Bucket, asset: Holding): bigint {
    return this.#known(strategyId, asset)?.[bucket] ?? 0n;
  }

  /** Total of all owners at the venue, free plus reserved, without amounts that a withdrawal is taking out. */
  total(asset: Asset): bigint {
    return -this.balance(UNALLOCATED, 'venue', asset) - this.balance(UNALLOCATED, 'queuedOut', asset);
  }

  at({ strategyId, bucket }: Place, asset: Holding): bigint {
    return this.balance(strategyId, bucket, asset);
  }

  /** One owner's free plus reserved amount. */
  held(strategyId: StrategyId, asset: Asset): bigint {
    const account = this.#known(strategyId, asset);
    return account ? account.free + account.reserved : 0n;
  }

  /** Total of each asset, or one owner's holding of it, in the order in which the account first got them. */
  amountsOf(strategyId: StrategyId | null): readonly (readonly [Asset, bigint])[] {
    return [...this.assets].map((asset) => [
      asset,
      strategyId === null ? this.total(asset) : this.held(strategyId, asset),
    ]);
  }

  /** Stocks that the account has or has had. */
  get stocks(): Ticker[] {
    return [...this.assets].filter((asset): asset is Ticker => asset !== 'mUSD');
  }

  /** Stocks held at the venue now. */
  get heldStocks(): Ticker[] {
    return this.stocks.filter((symbol) => this.total(symbol) !== 0n);
  }

  /** Owners that hold or have held something. */
  get strategyIds(): Iterable<StrategyId> {
    return this.accounts.keys();
  }

  /** @throws {InvariantError} if the postings do not balance or would leave a negative amount; nothing is posted then */
  post(cause: string, postings: readonly Posting[]): void {
    let checked: Holding | null = null;
    for (const { asset } of postings) {
      const sum = asset === checked ? 0n : sumOf(asset, postings);
      checked = asset;
      if (sum !== 0n)
        throw new InvariantError(`${cause} does not balance in ${asset}`, { cause, asset, sum });
    }
    (this as { version: number }).version++;
    const accounts: Account[] = [];
    for (const { strategyId, bucket, asset, amount } of postings) {
      const account = this.#account(strategyId, asset);
      accounts.push(account);
      add(account, bucket, amount);
    }
    const short = postings.find((place, index) => place.amount < 0n && isShort(accounts[index], place));
    if (!short) return;
    for (const { strategyId, bucket, asset, amount } of postings)
      add(this.#account(strategyId, asset), bucket, -amount);
    throw tooMuch(cause, short);
  }

  #known(strategyId: StrategyId, asset: Holding): Account | undefined {
    const latest = this.#latest;
    if (latest?.strategyId === strategyId && latest.asset === asset) return latest;
    return (this.#latest = this.accounts.get(strategyId)?.get(asset));
  }

  #account(strategyId: StrategyId, asset: Holding): Account {
    const known = this.#known(strategyId, asset);
    if (known) return known;
    const account = emptyAccount(strategyId, asset);
    const own = this.accounts.get(strategyId) ?? new Map<Holding, Account>();
    this.accounts.set(strategyId, own.set(asset, account));
    if (isToken(asset)) this.tokens.add(asset);
    else this.assets.add(asset);
    return account;
  }

  /** Moves an amount between two buckets of one asset. @throws {InvariantError} as above */
  move(cause: string, { asset, amount, from, to }: Movement): void {
    const source = this.#account(from.strategyId, asset);
    const goal = this.#account(to.strategyId, asset);
    (this as { version: number }).version++;
    add(source, from.bucket, -amount);
    add(goal, to.bucket, amount);
    const short = isShort(source, from) ? from : isShort(goal, to) ? to : null;
    if (!short) return;
    add(source, from.bucket, amount);
    add(goal, to.bucket, -amount);
    throw tooMuch(cause, { ...short, asset });
  }
}

/** Empty account. Written field by field, because objects created by a spread do not share their shape. */
const emptyAccount = (strategyId: StrategyId, asset: Holding): Account => ({
  strategyId,
  asset,
  free: 0n,
  reserved: 0n,
  owed: 0n,
  venue: 0n,
  wallet: 0n,
  queuedIn: 0n,
  queuedOut: 0n,
  debt: 0n,
  outside: 0n,
});

/** Adds to a bucket. The most used buckets are named, because a lookup by key takes ten times as long. */
function add(account: Account, bucket: Bucket, amount: bigint): void {
  if (bucket === 'free') account.free += amount;
  else if (bucket === 'reserved') account.reserved += amount;
  else if (bucket === 'venue') account.venue += amount;
  else account[bucket] += amount;
}

/** True when a guarded bucket has become negative. The wallet may: it belongs to a person, and is compared, not guarded. */
function isShort(account: Account | undefined, { bucket }: Place): boolean {
  const isGuarded =
    bucket === 'free' || bucket === 'reserved' || bucket === 'queuedIn' || bucket === 'queuedOut';
  return isGuarded && account !== undefined && account[bucket] < 0n;
}

const tooMuch = (cause: string, { strategyId, bucket, asset }: Place & Readonly<{ asset: Holding }>) =>
  new InvariantError(`${cause} takes more ${asset} than is ${bucket}`, { cause, asset, strategyId });

function sumOf(of: Holding, postings: readonly Posting[]): bigint {
  let sum = 0n;
  for (const { asset, amount } of postings) if (asset === of) sum += amount;
  return sum;
}

export type Place = Readonly<{ strategyId: StrategyId; bucket: Bucket }>;
export type Movement = Readonly<{ asset: Holding; amount: bigint; from: Place; to: Place }>;

export const VENUE: Place = { strategyId: UNALLOCATED, bucket: 'venue' };
export const OWED: Place = { strategyId: UNALLOCATED, bucket: 'owed' };
export const WALLET: Place = { strategyId: UNALLOCATED, bucket: 'wallet' };
export const QUEUED_IN: Place = { strategyId: UNALLOCATED, bucket: 'queuedIn' };
export const QUEUED_OUT: Place = { strategyId: UNALLOCATED, bucket: 'queuedOut' };
export const DEBT: Place = { strategyId: UNALLOCATED, bucket: 'debt' };
export const OUTSIDE: Place = { strategyId: UNALLOCATED, bucket: 'outside' };
export const freeOf = (strategyId: StrategyId): Place => ({ strategyId, bucket: 'free' });
export const reservedOf = (strategyId: StrategyId): Place => ({ strategyId, bucket: 'reserved' });

/** Place where ledger and venue may differ: the venue's account, the wallet, or the debts of deferred sells. */
export type Side = 'venue' | 'wallet' | 'debt';

/**
 * Balance accepted from the venue, by an operator or a config rule: `amount` (a wad) above the ledger, `value` in mUSD.
 * `txHash`: lower-case transaction by which the venue's list of transfers proves it.
 */
export type Acceptance = Readonly<{
  side: Side;
  asset: Holding;
  strategyId: StrategyId;
  amount: bigint;
  value: Cash;
  txHash?: string;
}>;
