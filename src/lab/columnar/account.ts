import {
  cash,
  notionalOf,
  price as asPrice,
  roundTo,
  shares,
  sharesFor,
  stepOf,
  toNumber,
  WAD,
  type Cash,
  type Price,
  type Shares,
} from '../../core/amount.ts';
import { paymentFor, rescale, type Payment, type Split } from '../../domain/corporateAction.ts';
import { buyCost, MIN_NOTIONAL, sellProceeds, SHARE_STEP, type FeeSchedule } from '../../domain/fees.ts';
import { isNothing, missingShares, missingValue, notionalFor } from '../../engine/intents/targets.ts';
import type { Prices } from './prices.ts';
import type { Target } from './target.ts';

type Holding = {
  /** Shares of the strategy, and those reserved for pending sells. */
  held: bigint;
  reserved: bigint;
  /** Fractions left over by the rounding of splits, which belong to no strategy. */
  loose: bigint;
  isKnown: boolean;
};

type FillPrices = Pick<Target, 'filled' | 'market'>;

const CENT = stepOf(2);
const ONE = Number(WAD);
const CENTS = 100;
/** Minimum size of an order in cents. */
export const ORDER_CENTS = (CENTS * Number(MIN_NOTIONAL)) / ONE;

/**
 * Relative error that float64 may have after some steps, with decimals of 15 digits. Amounts further than that from a
 * threshold of the exact rule are decided in float64; all others exactly.
 */
const DOUBT = 1e-12;
/** Price at or below which too few decimals are kept for that. */
const LEAST_PRICE = 1e-4;

/** Exact cash and shares, by the rules of the kernel. */
export class ExactAccount {
  cash: bigint;
  /** Cash of no strategy: payments on loose shares. */
  loose = 0n;
  /** Payments to holders not paid yet: the strategy's part, and that on loose shares. */
  receivable = 0n;
  looseReceivable = 0n;
  /** Slippage of all fills in mUSD. */
  slippage = 0n;
  /** Number of closed round trips. */
  trades = 0;
  readonly holdings: readonly Holding[];
  /** Symbols in the order in which they entered the account. */
  readonly known: number[] = [];
  readonly #fees: FeeSchedule;
  /** Largest fraction of a buy's notional taken by fees. */
  readonly #feePart: number;
  readonly #prices: Prices;
  readonly #start: bigint;
  /** Cost of one cent of a buy, fees included. */
  readonly #centCost: bigint;
  #reserved = 0n;
  /** Notionals of all buys and sells, and payments to holders. */
  #bought = 0n;
  #sold = 0n;
  #paid = 0n;
  readonly #costOf = (notional: bigint): bigint => buyCost(cash(notional), this.#fees).total;

  constructor(money: Cash, { fees, prices }: Readonly<{ fees: FeeSchedule; prices: Prices }>) {
    this.cash = this.#start = money;
    this.#fees = fees;
    this.#centCost = this.#costOf(CENT);
    this.#feePart = (fees.buyMintFeeBps + fees.buyProtocolFeeBps) / 10_000;
    this.#prices = prices;
    this.holdings = Array.from({ length: prices.count }, () => ({
      held: 0n,
      reserved: 0n,
      loose: 0n,
      isKnown: false,
    }));
  }

  /** Cash in the account, including that of no strategy. */
  get money(): bigint {
    return this.cash + this.loose;
  }

  get equity(): Cash {
    let total = this.cash + this.receivable;
    for (let symbol = 0; symbol < this.holdings.length; symbol++) total += this.worth(symbol);
    return cash(total);
  }

  /** Equity at current prices as float64, summed in the order of the kernel. */
  get equityNumber(): number {
    let equity = toNumber(this.money + this.receivable + this.looseReceivable);
    for (let index = 0; index < this.known.length; index++) {
      const symbol = this.known[index] ?? 0;
      const { held } = this.#holding(symbol);
      if (held !== 0n) equity += toNumber(held) * this.#prices.of(symbol);
    }
    return equity;
  }

  /** Market value of a holding and of some pending buys. */
  worth(symbol: number, buys: readonly Target[] = []): Cash {
    const coming = buys.length === 0 ? 0n : onTheWay(buys, this.#prices.exact(symbol));
    const held = (this.holdings[symbol]?.held ?? 0n) + coming;
    return held === 0n ? cash(0n) : notionalOf(shares(held), this.#prices.exact(symbol), 'down');
  }

  /**
   * Turns a target into an order and reserves what it needs. `wait`: an order of the other side is pending; `nothing`:
   * there is nothing to do.
   * @param underWay orders of the symbol that have not ended
   */
  order(target: Target, underWay: readonly Target[]): 'ordered' | 'wait' | 'nothing' {
    const { decision, symbol } = target;
    const to = { weight: decision.weight };
    const price = this.#prices.exact(symbol);
    const holding = this.#holding(symbol);
    const free = holding.held - holding.reserved;
    const at = { price, equity: this.equity, current: shares(holding.held + onTheWay(underWay, price)) };
    const value = missingValue(to, at);
    target.isBuy = value > 0n;
    if ((target.isBuy ? value : -value) < MIN_NOTIONAL) return 'nothing';
    for (const { isBuy } of underWay) if (isBuy !== target.isBuy) return 'wait';
    target.amount = target.isBuy
      ? notionalFor(value, cash(this.cash - this.#reserved), this.#costOf)
      : sharesToSell(to, shares(-missingShares(to, value, at)), free);
    const notional = target.isBuy ? target.amount : notionalOf(shares(target.amount), price, 'down');
    if (target.amount <= 0n || notional < MIN_NOTIONAL) return 'nothing';
    target.reserve = target.isBuy ? this.#costOf(target.amount) : target.amount;
    if (target.isBuy) this.#reserved += target.reserve;
    else holding.reserved += target.reserve;
    return 'ordered';
  }

  /** Releases the reserve of an order that has ended. */
  free({ isBuy, reserve, symbol }: Target): void {
    if (isBuy) this.#reserved -= reserve;
    else this.#holding(symbol).reserved -= reserve;
  }

  /**
   * Size in cents of a buy towards a weight at a price, without a pending order, where float64 is certain; NaN if
   * `order` has to decide: for a sale, or if the missing value or the available cash is too close to the next cent.
   * Sizes below `ORDER_CENTS` are not traded.
   */
  clearBuy(symbol: number, weight: number, price: number): number {
    const equity = this.#equityAt(symbol, price);
    const own = (Number(this.#holding(symbol).held) / ONE) * price;
    const free = Number(this.#reserved === 0n ? this.cash : this.cash - this.#reserved) / ONE;
    const cents = CENTS * Math.min(equity * weight - own, free / (1 + this.#feePart));
    const whole = Math.floor(cents);
    const doubt = CENTS * DOUBT * (equity + own);
    return whole >= 0 && cents - whole > doubt && whole + 1 - cents > doubt ? whole : NaN;
  }

  /** Value in cents of all shares of a symbol without a pending order, at a price; NaN as above. */
  clearSale(symbol: number, price: number): number {
    const cents = CENTS * (Number(this.#holding(symbol).held) / ONE) * price;
    // Below 1 mUSD per share, a holding's value does not show its last digits, and the kernel leaves them.
    return cents < ORDER_CENTS / 2 || (price >= 1 && cents > 2 * ORDER_CENTS) ? cents : NaN;
  }

  /** Equity as float64 with a symbol at a given price; NaN if any price has too few digits. */
  #equityAt(symbol: number, price: number): number {
    let equity = Number(this.cash + this.receivable) / ONE;
    for (let index = 0; index < this.holdings.length; index++) {
      const { held } = this.#holding(index);
      if (held === 0n) continue;
      const at = index === symbol ? price : this.#prices.of(index);
      if (!(at > LEAST_PRICE)) return NaN;
      equity += (Number(held) / ONE) * at;
    }
    return equity;
  }

  #holding(symbol: number): Holding {
    return this.holdings[symbol] as Holding;
  }

  /** Books the fill of an order. */
  settle(order: Target): void {
    const { symbol, isBuy, amount } = order;
    if (isBuy) this.#buy(symbol, { notional: amount, cost: this.#costOf(amount) }, order);
    else this.#sell(symbol, amount, order);
  }

  /** Books a buy of whole cents at a multiple of the cost of one: no fee on a cent is rounded. */
  buyCents(symbol: number, cents: number, at: FillPrices): void {
    const count = BigInt(cents);
    this.#buy(symbol, { notional: count * CENT, cost: count * this.#centCost }, at);
  }

  /** Books a sale of all shares. */
  sellAll(symbol: number, at: FillPrices): void {
    this.#sell(symbol, this.#holding(symbol).held, at);
  }

  #buy(
    symbol: number,
    { notional, cost }: Readonly<{ notional: bigint; cost: bigint }>,
    at: FillPrices,
  ): void {
    const quantity = sharesFor(cash(notional), at.filled, 'down');
    this.#note(symbol);
    this.cash -= cost;
    this.#bought += notional;
    this.#holding(symbol).held += quantity;
    if (at.filled !== at.market) this.slippage += slippageOf(quantity, { ...at, isBuy: true });
  }

  #sell(symbol: number, quantity: bigint, at: FillPrices): void {
    const holding = this.#holding(symbol);
    const { notional, net } = sellProceeds(notionalOf(shares(quantity), at.filled, 'down'), this.#fees);
    this.cash += net;
    this.#sold += notional;
    holding.held -= quantity;
    if (holding.held === 0n) this.trades++;
    if (at.filled !== at.market) this.slippage += slippageOf(shares(quantity), { ...at, isBuy: false });
  }

  #note(symbol: number): void {
    const holding = this.#holding(symbol);
    if (!holding.isKnown) this.known.push(symbol);
    holding.isKnown = true;
  }

  /** Fees so far in mUSD: the cash expected after all trades and payments less the actual cash. */
  get fees(): bigint {
    return this.#start + this.#paid + this.#sold - this.#bought - this.cash;
  }

  split(symbol: number, split: Split): void {
    const holding = this.#holding(symbol);
    this.#note(symbol);
    const whole = rescale(holding.held + holding.loose, split);
    holding.held = rescale(holding.held, split);
    holding.loose = whole - holding.held;
  }

  /** Books the right to a payment on the shares held. @returns the whole amount, and the strategy's part */
  entitle(symbol: number, payment: Payment): Readonly<{ whole: bigint; own: bigint }> {
    const { held, loose } = this.#holding(symbol);
    const due = { whole: paymentFor(held + loose, payment), own: paymentFor(held, payment) };
    this.receivable += due.own;
    this.looseReceivable += due.whole - due.own;
    return due;
  }

  pay({ whole, own }: Readonly<{ whole: bigint; own: bigint }>): void {
    this.cash += own;
    this.receivable -= own;
    this.#paid += own;
    this.loose += whole - own;
    this.looseReceivable -= whole - own;
  }
}

/** Slippage of a fill: how much worse its price was than the market's; negative if rounding to a tick helped. */
export const slippageOf = (
  quantity: Shares,
  { filled, market, isBuy }: Pick<Target, 'filled' | 'market' | 'isBuy'>,
): Cash => notionalOf(quantity, asPrice(isBuy ? filled - market : market - filled), 'down');

/** Shares to sell for a target. A target of 0 sells everything exactly, because rounding to a step would leave dust. */
function sharesToSell(to: Readonly<{ weight: number }>, excess: Shares, free: bigint): bigint {
  const most = excess < free ? excess : free;
  return isNothing(to) ? most : roundTo(most, SHARE_STEP, 'down');
}

/** Shares that pending orders of a symbol will add, or remove (negative). */
function onTheWay(orders: readonly Target[], price: Price): bigint {
  let net = 0n;
  for (const { isBuy, amount } of orders) net += isBuy ? sharesFor(cash(amount), price, 'down') : -amount;
  return net;
}
