import { cash, notionalOf, shares as asShares, type Cash, type Price } from '../../core/amount.ts';
import type { AccountState } from '../../domain/account/accountState.ts';
import { UNALLOCATED } from '../../domain/account/ledger.ts';
import type { Ticker } from '../../domain/instrument.ts';

/** Latest prices. `version`: counts their changes; absent if a price may change unnoticed. */
export type Prices = Readonly<{ price(symbol: Ticker): Price | null; version?: number | undefined }>;

/** Shares of one stock at the latest price. `worth`: 0 while no price is known; `counted` is their cost then. */
export type StockMark = Readonly<{ shares: bigint; price: Price | null; worth: Cash; counted: bigint }>;

/**
 * Cash and shares at the latest prices. `worth`: of all stocks together; `booked`: the same, but stock without a price
 * counts at its cost, because a missing price is no loss and its return no profit; `counted`: as exposures count it,
 * including the cost of stock that has left the venue and has no price.
 */
export type Marks = Readonly<{
  cash: bigint;
  stocks: ReadonlyMap<Ticker, StockMark>;
  worth: bigint;
  booked: bigint;
  counted: bigint;
}>;

const NOTHING = cash(0n);

/** `account`: number of changes of ledger and positions when the marks were made. */
type CachedMarks = Readonly<{ marks: Marks; account: number; market: number | undefined }>;

/** Owners of everything at the venue, and of what exposures count: all but stock that the account held before. */
const WHOLE = Symbol('whole');
const COUNTED = Symbol('counted');

/** Values of the account, computed on demand and once per state of ledger and prices. */
export class AccountSnapshot {
  readonly #accountState: AccountState;
  readonly #market: Prices;
  readonly #known = new Map<string | symbol, CachedMarks>();

  constructor(accountState: AccountState, market: Prices) {
    this.#accountState = accountState;
    this.#market = market;
  }

  /** Holdings of a strategy, or the unallocated ones. */
  of(strategyId: string): Marks {
    return this.#current(strategyId);
  }

  /** All holdings at the venue. */
  get whole(): Marks {
    return this.#current(WHOLE);
  }

  /** Holdings that count in the exposure of all strategies and manual orders. */
  get counted(): Marks {
    return this.#current(COUNTED);
  }

  #current(owner: string | symbol): Marks {
    const known = this.#known.get(owner);
    const { ledger, positions } = this.#accountState;
    const [account, market] = [ledger.version + positions.version, this.#market.version];
    if (
      known?.account === account &&
      (market === undefined ? this.#isPriced(known.marks) : known.market === market)
    )
      return known.marks;
    const marks = this.#marksOf(owner);
    this.#known.set(owner, { marks, account, market });
    return marks;
  }

  /** True while the prices of the marks are still the latest. */
  #isPriced({ stocks }: Marks): boolean {
    for (const [symbol, { price }] of stocks) if (this.#market.price(symbol) !== price) return false;
    return true;
  }

  #marksOf(owner: string | symbol): Marks {
    const { ledger } = this.#accountState;
    const stocks = new Map<Ticker, StockMark>();
    let [worth, booked, counted] = [0n, 0n, 0n];
    for (const [asset, quantity] of ledger.amountsOf(typeof owner === 'string' ? owner : null)) {
      if (asset === 'mUSD') continue;
      const shares = owner === COUNTED ? quantity - this.#heldBefore(asset) : quantity;
      const price = this.#market.price(asset);
      const own = price === null || shares === 0n ? NOTHING : notionalOf(asShares(shares), price, 'down');
      const value = price === null ? this.#costOf(owner, asset) : own;
      if (shares === 0n && value === 0n) continue;
      stocks.set(asset, { shares, price, worth: own, counted: value });
      worth += own;
      counted += value;
      if (shares !== 0n) booked += value;
    }
    const held = typeof owner === 'string' ? ledger.held(owner, 'mUSD') : ledger.total('mUSD');
    return { cash: held, stocks, worth, booked, counted };
  }

  /** Unallocated shares that were not bought by manual orders. */
  #heldBefore(asset: Ticker): bigint {
    const { ledger, positions } = this.#accountState;
    const held = ledger.held(UNALLOCATED, asset);
    if (held === 0n) return 0n;
    const { quantity } = positions.of(UNALLOCATED, asset);
    return quantity < held ? held - quantity : 0n;
  }

  #costOf(owner: string | symbol, asset: Ticker): bigint {
    const { ledger, positions } = this.#accountState;
    let cost = 0n;
    for (const id of typeof owner === 'string' ? [owner] : ledger.strategyIds)
      cost += positions.of(id, asset).cost;
    return cost;
  }
}
