import { cash, formatDecimal, shares, sharesFor, type Cash, type Shares } from '../core/amount.ts';
import type { EpochMs } from '../core/brand.ts';
import { ConfigError, invariant } from '../core/errors.ts';
import {
  netOf,
  paymentFor,
  rescale,
  wayOf,
  type DividendRules,
  type Payment,
  type Split,
} from '../domain/corporateAction.ts';
import type { Quote, Ticker } from '../domain/instrument.ts';
import type { Asset } from '../domain/account/ledger.ts';
import { reserveFor, assetOf } from '../domain/orders/order.ts';
import type { OrderTerms, Settlement } from '../domain/venue.ts';
import { buyCost } from '../domain/fees.ts';

export type SimulatedOrder = Readonly<{
  txHash: string;
  terms: OrderTerms;
  /** Amount locked while it is open: mUSD for a buy, shares for a sell. */
  reserve: bigint;
  createdAt: EpochMs;
  /** Close of its session. */
  expiresAt: EpochMs;
  status: 'open' | 'filled' | 'cancelled' | 'expired' | 'reverted';
  settlement: Settlement | null;
  /** Reason why it reverted. */
  cause?: string;
}>;

/** mUSD due at an instant for a payment after its ex-date; paid in shares of `symbol` if given. */
type Due = Readonly<{ at: EpochMs; amount: Cash; symbol?: Ticker }>;

/** Balances net of locks, as wads. */
type Account = Readonly<{
  opening: Cash;
  openedAt: EpochMs;
  free: Readonly<Partial<Record<Asset, bigint>>>;
  /** Ids of the splits and payments applied. */
  booked: readonly string[];
  due: readonly Due[];
}>;

/** Store that outlives the process: plain values by name, in the order in which they were first saved. */
export interface BookStore {
  all(): Iterable<readonly [name: string, value: unknown]>;
  /** Saves all of the values or none; durable when it returns. */
  save(changed: readonly (readonly [name: string, value: unknown])[]): void;
}

const ACCOUNT = 'account';

/** Stored account. One from before splits and payments were simulated lacks the other fields. */
type StoredAccount = Pick<Account, 'opening' | 'free'> & Partial<Account>;

export type NewOrder = Pick<SimulatedOrder, 'txHash' | 'terms' | 'createdAt' | 'expiresAt'>;

/** Account and orders of a simulated venue. Every change is durable before it becomes visible. */
export class SimulatedBook {
  readonly #store: BookStore;
  readonly #orders = new Map<string, SimulatedOrder>();
  #account: Account;

  /**
   * Continues a stored account; a new one begins at `now` with `opening` and no stock.
   * @throws {ConfigError} when the stored account was opened with another amount
   */
  constructor(store: BookStore, { opening, now }: Readonly<{ opening: Cash; now: EpochMs }>) {
    this.#store = store;
    let known: StoredAccount | null = null;
    for (const [name, value] of store.all())
      if (name === ACCOUNT) known = value as StoredAccount;
      else this.#orders.set(name, value as SimulatedOrder);
    if (known !== null && known.opening !== opening)
      throw new ConfigError(
        `dryRun.cash is ${formatDecimal(opening)}, and the account of this state folder was opened with ` +
          `${formatDecimal(known.opening)}. Put that back, or start with another state folder`,
      );
    this.#account = {
      openedAt: now,
      booked: [],
      due: [],
      ...(known ?? { opening, free: { mUSD: opening } }),
    };
    if (known === null) store.save([[ACCOUNT, this.#account]]);
  }

  get cash(): Cash {
    return cash(this.#freeOf('mUSD'));
  }

  get openedAt(): EpochMs {
    return this.#account.openedAt;
  }

  hasBooked(action: string): boolean {
    return this.#account.booked.includes(action);
  }

  /** Free shares by symbol, excluding those locked by sells. */
  get holdings(): ReadonlyMap<Ticker, Shares> {
    const entries = Object.entries(this.#account.free) as [Asset, bigint][];
    return new Map(
      entries.flatMap(([asset, amount]) => (asset === 'mUSD' ? [] : [[asset, shares(amount)] as const])),
    );
  }

  /** All orders, oldest first. */
  get orders(): readonly SimulatedOrder[] {
    return [...this.#orders.values()];
  }

  get open(): readonly SimulatedOrder[] {
    return this.orders.filter(({ status }) => status === 'open');
  }

  order(txHash: string): SimulatedOrder | undefined {
    return this.#orders.get(txHash);
  }

  /** Locks the most that the order can use. If the balance is too low it reverts, as on a chain, and locks nothing. */
  place(order: NewOrder): void {
    invariant(!this.#orders.has(order.txHash), 'a transaction is new', { txHash: order.txHash });
    const { terms } = order;
    const reserve = reserveFor(terms, (notional) => buyCost(cash(notional)).total);
    const asset = assetOf(order);
    const common = { ...order, reserve, settlement: null };
    if (this.#freeOf(asset) < reserve)
      return this.#keep(this.#account, [{ ...common, status: 'reverted', cause: `too little ${asset}` }]);
    this.#keep(this.#with([[asset, -reserve]]), [{ ...common, status: 'open' }]);
  }

  /** Cancels an order and unlocks its amount. Returns false when it is not open. */
  cancel(txHash: string): boolean {
    const order = this.#orders.get(txHash);
    if (order?.status !== 'open') return false;
    this.#keep(this.#with([[assetOf(order), order.reserve]]), [{ ...order, status: 'cancelled' }]);
    return true;
  }

  /** Expires orders that are open at their session's close. */
  expire(now: EpochMs): void {
    for (const order of this.open)
      if (order.expiresAt <= now)
        this.#keep(this.#with([[assetOf(order), order.reserve]]), [{ ...order, status: 'expired' }]);
  }

  /** Closes an open order with its fill: a full one or, with `status`, a partial one. */
  fill(
    order: SimulatedOrder,
    settlement: Settlement,
    status: Extract<SimulatedOrder['status'], 'filled' | 'cancelled' | 'expired'> = 'filled',
  ): void {
    invariant(this.#orders.get(order.txHash)?.status === 'open', 'only an open order fills', {
      txHash: order.txHash,
    });
    const { symbol, side } = order.terms;
    const moves: Move[] = [
      [assetOf(order), order.reserve - settlement.pay],
      [side === 'buy' ? symbol : 'mUSD', settlement.receive],
    ];
    this.#keep(this.#with(moves), [{ ...order, status, settlement }]);
  }

  /** Rescales the shares held. Open orders of the stock end, because they were for pre-split shares. */
  split(id: string, split: Split): void {
    const { symbol } = split;
    const ended = this.open.filter(({ terms }) => terms.symbol === symbol);
    const unlocked = this.#with(ended.map((order) => [assetOf(order), order.reserve]));
    const held = unlocked.free[symbol] ?? 0n;
    this.#keep(
      {
        ...unlocked,
        free: { ...unlocked.free, [symbol]: rescale(held, split) },
        booked: [...unlocked.booked, id],
      },
      ended.map((order) => ({ ...order, status: 'cancelled' })),
    );
  }

  /** Books a payment as due for the shares held now, locked ones included; nothing if the price already contains it. */
  entitle(
    id: string,
    payment: Payment,
    { at, rules }: Readonly<{ at: EpochMs; rules: DividendRules }>,
  ): void {
    const { symbol } = payment;
    const locked = this.open
      .filter(({ terms }) => terms.symbol === symbol && terms.side === 'sell')
      .reduce((sum, { reserve }) => sum + reserve, 0n);
    const way = wayOf(rules, symbol);
    const whole = paymentFor(this.#freeOf(symbol) + locked, { perShare: netOf(payment, rules) });
    const amount = way === 'price' ? cash(0n) : whole;
    const owed = { at, amount, ...(way === 'tokens' ? { symbol } : {}) };
    const { booked, due } = this.#account;
    this.#keep({ ...this.#account, booked: [...booked, id], due: amount > 0n ? [...due, owed] : due }, []);
  }

  /** Credits payments that have become due; those in shares wait for a quote from the due time or later. */
  payDue(now: EpochMs, quotes: ReadonlyMap<Ticker, Quote>): void {
    const come = this.#account.due.flatMap((due): { due: Due; move: Move }[] => {
      const { at, amount, symbol } = due;
      if (at > now) return [];
      if (symbol === undefined) return [{ due, move: ['mUSD', amount] }];
      const quote = quotes.get(symbol);
      if (!quote || quote.at < at || quote.price === 0n) return [];
      return [{ due, move: [symbol, sharesFor(amount, quote.price, 'down')] }];
    });
    if (come.length === 0) return;
    const gone = new Set(come.map(({ due }) => due));
    const paid = this.#with(come.map(({ move }) => move));
    this.#keep({ ...paid, due: paid.due.filter((due) => !gone.has(due)) }, []);
  }

  #freeOf(asset: Asset): bigint {
    return this.#account.free[asset] ?? 0n;
  }

  #with(moves: readonly Move[]): Account {
    const free = { ...this.#account.free };
    for (const [asset, amount] of moves) free[asset] = (free[asset] ?? 0n) + amount;
    return { ...this.#account, free };
  }

  /** Stores a change before it takes effect: if the store throws, nothing has changed. */
  #keep(account: Account, changed: readonly SimulatedOrder[]): void {
    this.#store.save([[ACCOUNT, account], ...changed.map((order) => [order.txHash, order] as const)]);
    this.#account = account;
    for (const order of changed) this.#orders.set(order.txHash, order);
  }
}

type Move = readonly [asset: Asset, amount: bigint];
