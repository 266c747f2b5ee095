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
  /** Shares of the strategy, and those of them that sells under way have reserved. */
  held: bigint;
  reserved: bigint;
  /** Fractions that the rounding of splits left over: they belong to nobody. */
  loose: bigint;
  isKnown: boolean;
};

type FillPrices = Pick<Target, 'filled' | 'market'>;

const CENT = stepOf(2);
const ONE = Number(WAD);
const CENTS = 100;
/** Minimum cents of an order. */
export const ORDER_CENTS = (CENTS * Number(MIN_NOTIONAL)) / ONE;

/**
 * Part of an amount by which float64 may be off after some steps, decimals of 15 digits included. What is further than that from
 * where the exact rule changes its mind is decided by numbers; everything else to the last digit.
 */
const DOUBT = 1e-12;
/** Price up to which the decimals that are kept are too few for that. */
const LEAST_PRICE = 1e-4;

/** Cash and shares to the last digit, by the rules of the kernel. */
export class ExactAccount {
  cash: bigint;
  /** Cash that belongs to nobody: of payments for loose shares. */
  loose = 0n;
  /** Payments to holders that are not paid yet: the strategy's part, and that for loose shares. */
  receivable = 0n;
  looseReceivable = 0n;
  /** mUSD of slippage of all fills. */
  slippage = 0n;
  /** Round trips that have closed. */
  trades = 0;
  readonly holdings: readonly Holding[];
  /** Symbols in the order in which they came into the account. */
  readonly known: number[] = [];
  readonly #fees: FeeSchedule;
  /** Largest part of a notional that the fees of a buy take. */
  readonly #feePart: number;
  readonly #prices: Prices;
  readonly #start: bigint;
  /** Cost of one cent of a buy, fees included. */
  readonly #centCost: bigint;
  #reserved = 0n;
  /** Notionals of all buys and sales, and payments to holders. */
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

  /** Cash on the account, that of nobody included. */
  get money(): bigint {
    return this.cash + this.loose;
  }

  get equity(): Cash {
    let total = this.cash + this.receivable;
    for (let symbol = 0; symbol < this.holdings.length; symbol++) total += this.worth(symbol);
    return cash(total);
  }

  /** The same at the prices of this moment as a number, added up as the kernel does. */
  get equityNumber(): number {
    let equity = toNumber(this.money + this.receivable + this.looseReceivable);
    for (let index = 0; index < this.known.length; index++) {
      const symbol = this.known[index] ?? 0;
      const { held } = this.#holding(symbol);
      if (held !== 0n) equity += toNumber(held) * this.#prices.of(symbol);
    }
    return equity;
  }

  /** Worth of what is held, and of some buys under way. */
  worth(symbol: number, buys: readonly Target[] = []): Cash {
    const coming = buys.length === 0 ? 0n : onTheWay(buys, this.#prices.exact(symbol));
    const held = (this.holdings[symbol]?.held ?? 0n) + coming;
    return held === 0n ? cash(0n) : notionalOf(shares(held), this.#prices.exact(symbol), 'down');
  }

  /**
   * Makes an order of a target, and reserves what it needs. `wait`: an order of the other side is under way; `nothing`: there is
   * nothing to do.
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

  /** Frees the reserve of an order that has ended. */
  free({ isBuy, reserve, symbol }: Target): void {
    if (isBuy) this.#reserved -= reserve;
    else this.#holding(symbol).reserved -= reserve;
  }

  /**
   * Cents of a buy towards a weight at a price, with no order under way, where numbers decide it without doubt; NaN if `order` has
   * to: for a sale, and where what is missing, or what the cash pays for, is not far enough from the next cent. Fewer than
   * `ORDER_CENTS` come to nothing.
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

  /** Value in cents of all shares of a symbol without an order under way, at a price; NaN as above. */
  clearSale(symbol: number, price: number): number {
    const cents = CENTS * (Number(this.#holding(symbol).held) / ONE) * price;
    // Below 1 mUSD a share, the worth of a holding does not show its last digits, and the kernel leaves them.
    return cents < ORDER_CENTS / 2 || (price >= 1 && cents > 2 * ORDER_CENTS) ? cents : NaN;
  }

  /** Equity with a symbol at a price, as a number; NaN if a price has too few digits for that. */
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

  /** Books a buy of whole cents, which costs so many times what one does: no fee of a cent is rounded. */
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

  /** mUSD of fees so far: what is missing of the cash after all that was bought, sold and paid to holders. */
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

  /** Books the right to a payment for the shares that are held. @returns all of it, and the strategy's part */
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

/** Slippage of a fill: how much worse its price was than the market's; negative where a tick made it better. */
export const slippageOf = (
  quantity: Shares,
  { filled, market, isBuy }: Pick<Target, 'filled' | 'market' | 'isBuy'>,
): Cash => notionalOf(quantity, asPrice(isBuy ? filled - market : market - filled), 'down');

/** Shares of a sale towards a target: a target of 0 sells to the last digit, because a step would leave dust. */
function sharesToSell(to: Readonly<{ weight: number }>, excess: Shares, free: bigint): bigint {
  const most = excess < free ? excess : free;
  return isNothing(to) ? most : roundTo(most, SHARE_STEP, 'down');
}

/** Shares that orders of a symbol will add, or take (negative). */
function onTheWay(orders: readonly Target[], price: Price): bigint {
  let net = 0n;
  for (const { isBuy, amount } of orders) net += isBuy ? sharesFor(cash(amount), price, 'down') : -amount;
  return net;
}
