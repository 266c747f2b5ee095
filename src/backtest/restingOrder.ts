import {
  cash,
  price as asPrice,
  shares,
  sharesFor,
  toNumber,
  WAD,
  wadFromNumber,
  type Cash,
  type Price,
  type Shares,
} from '../core/amount.ts';
import { epochMs, type EpochMs } from '../core/brand.ts';
import type { Ticker } from '../domain/instrument.ts';
import { sellProceeds, type BuyCost, type FeeSchedule } from '../domain/fees.ts';
import { exactShares, type Order } from '../domain/orders/order.ts';
import type { OrderReport, Settlement, Side, VenueStatus } from '../domain/venue.ts';
import type { BarColumns } from '../domain/barColumns.ts';
import { settledAmounts } from '../sim/settlement.ts';
import type { Tape } from './tape.ts';

/** An order at the simulated exchange with its fills so far. */
export type RestingOrder = {
  readonly order: Order;
  /** Time of arrival in the market. */
  readonly arrival: number;
  /** Limit price; null for a market order. */
  readonly limit: number;
  /** Price within a bar whose touch has sent it; null for all others. */
  readonly touch: Touch | null;
  filled: Shares;
  notional: Cash;
  /** Cost of a buy with its fees; null for a sell, and before the first fill. */
  cost: BuyCost | null;
  /** Slippage within the notional: how much worse its fills were than the market's price. */
  slipped: Cash;
  /** True when it has rested in the market: the first price did not fill all of it. */
  rested: boolean;
  /** True once a bar in which it came has passed its limit, perhaps after it: it fills at that limit, and at nothing better. */
  isPassed: boolean;
  /** Positions of its first and latest fills among the bars, and their times. */
  firstPlace: number;
  lastPlace: number;
  firstAt: number;
  filledAt: number;
};

/** Outcome of an order at an instant, as the venue will report it at `due`. */
export type OrderEnd = Readonly<{ at: number; due: EpochMs; resting: RestingOrder; report: OrderReport }>;

/** Settlement that is not reported yet. */
export type Unsettled = Settlement & Readonly<{ symbol: Ticker; side: Side }>;

export const unsettledIn = (ended: readonly OrderEnd[]): Unsettled[] =>
  ended.flatMap(({ resting: { order }, report: { settlement } }) =>
    settlement ? [{ ...settlement, symbol: order.terms.symbol, side: order.terms.side }] : [],
  );

/** The same reports, with those of a stock first and due at an instant. */
export function reportedBy(ended: readonly OrderEnd[], symbol: Ticker, due: EpochMs): OrderEnd[] {
  const isOwn = ({ resting }: OrderEnd) => resting.order.terms.symbol === symbol;
  const own = ended.filter(isOwn).map((each) => ({ ...each, due }));
  return [...own, ...ended.filter((each) => !isOwn(each))];
}

/** Price that a bar has touched on its way. `index`: position of the bar. */
export type Touch = Readonly<{ price: number; index: number }>;

/** Bar of a tape by its position, and an instant of it. */
export type Moment = Readonly<{ tape: Tape; index: number; at: number }>;

/** `place`: 3 at the open of bar 3, 3.5 within it, 4 at its close. */
export type MatchMoment = Moment & Readonly<{ place: number }>;

export const WITHIN = 0.5;

/** An order without fills, sent at `at`. */
export const arrivingOrder = (
  order: Order,
  { at, arrival, touch }: Pick<RestingOrder, 'arrival' | 'touch'> & Readonly<{ at: number }>,
): RestingOrder => ({
  order,
  touch,
  arrival,
  limit:
    order.terms.type === 'limit' ? toNumber(order.terms.price) : order.terms.side === 'buy' ? Infinity : 0,
  filled: shares(0n),
  notional: cash(0n),
  cost: null,
  slipped: cash(0n),
  rested: false,
  isPassed: false,
  firstPlace: -1,
  lastPlace: -1,
  firstAt: at,
  filledAt: at,
});

/** Orders of one stock, and the prices that a bar has to reach before one of them fills. */
export class RestingOrders {
  /** In the order of their arrival. */
  readonly all: RestingOrder[] = [];
  /** Highest limit of the buys, and lowest of the sells; NaN while they are not known. */
  #highestBuy = NaN;
  #lowestSell = NaN;

  add(resting: RestingOrder): void {
    this.all.push(resting);
    this.#highestBuy = NaN;
  }

  delete(resting: RestingOrder): void {
    this.all.splice(this.all.indexOf(resting), 1);
    this.#highestBuy = NaN;
  }

  /** True when a bar changes nothing: no price of it reaches an order, and all have rested before. */
  areOutOfReach({ open, high, low, close }: BarColumns, index: number): boolean {
    if (Number.isNaN(this.#highestBuy)) this.#readBounds();
    const first = open[index] ?? NaN;
    const last = close[index] ?? NaN;
    const bottom = Math.min(low[index] ?? NaN, first, last);
    const top = Math.max(high[index] ?? NaN, first, last);
    return bottom > this.#highestBuy && top < this.#lowestSell;
  }

  /** Reads the bounds, unless an order is there that may fill at any price, or has yet to meet its first one. */
  #readBounds(): void {
    let buy = -Infinity;
    let sell = Infinity;
    for (const { order, limit, rested } of this.all) {
      if (!rested || order.terms.type !== 'limit') return;
      if (order.terms.side === 'buy') buy = Math.max(buy, limit);
      else sell = Math.min(sell, limit);
    }
    this.#highestBuy = buy;
    this.#lowestSell = sell;
  }
}

/** Terms of an order that decide the price of its fills. */
export type FillTerms = Readonly<{ side: Side; limit: Price | null }>;

export const fillTermsOf = ({ order: { terms } }: Pick<RestingOrder, 'order'>): FillTerms => ({
  side: terms.side,
  limit: terms.type === 'limit' ? terms.price : null,
});

/** Price at which an order may fill, and the shares that are left of it at that price. */
export type FillCandidate = Readonly<{ price: number; shares: Shares }>;

/** Price for an order that a touch has sent: the worst case is that the rest of the bar brings none better than that. */
export function noBetterThanTouch({ touch, order }: RestingOrder, price: number): number {
  if (touch === null) return price;
  return order.terms.side === 'buy' ? Math.max(price, touch.price) : Math.min(price, touch.price);
}

/** A price, or the limit if that is better for the trader. */
export const noWorse = (price: Price, { side, limit }: FillTerms): Price =>
  limit !== null && (side === 'buy' ? price > limit : price < limit) ? limit : price;

/** True while an order counts at the exchange: one of the session in it alone, one of a phase until its end. */
export const isIn = ({ order: { until } }: RestingOrder, isOutside: boolean, at: number): boolean =>
  until === undefined ? !isOutside : at <= until;

/** A limit, or the worst price of a bar that lies wholly beyond it. */
export function withinBar(
  limit: Price,
  side: Side,
  { low = NaN, high = NaN }: Readonly<{ low?: number | undefined; high?: number | undefined }>,
): Price {
  const worst = asPrice(wadFromNumber(side === 'buy' ? high : low));
  return (side === 'buy' ? worst < limit : worst > limit) ? worst : limit;
}

/** Remaining shares; for a buy by notional at this price. */
export function restOf({ order: { terms }, filled, notional }: RestingOrder, price: Price): Shares {
  const quantity = exactShares(terms);
  if (quantity !== null) return shares(quantity - filled);
  const all = terms.type === 'market' && terms.side === 'buy' ? terms.notional : cash(0n);
  return sharesFor(cash(all - notional), price, 'down');
}

/** Cost of a buy above its reserve; negative when some of the reserve is left. */
export const excessOf = ({ order }: RestingOrder, cost: BuyCost | null): bigint =>
  order.terms.side === 'buy' ? (cost?.total ?? 0n) - order.reserve : 0n;

export function settlementOf({ order, filled, notional, cost }: RestingOrder, fees: FeeSchedule): Settlement {
  const { mintFee, protocolFee } = cost ?? sellProceeds(notional, fees);
  const { side } = order.terms;
  const { pay, receive } = settledAmounts({ side, filled, notional, mintFee, protocolFee });
  return { price: asPrice((notional * WAD) / filled), pay, receive, mintFee, protocolFee, txHash: order.id };
}

/** The row that the venue's list would show, with our own id as the order id. */
export function reportOf(
  { order }: RestingOrder,
  status: VenueStatus,
  { at, settlement }: Readonly<{ at: number; settlement: Settlement | null }>,
): OrderReport {
  const locked = status === 'open' ? order.reserve : null;
  const createdAt = epochMs(at);
  const { id: txHash } = order;
  return { txHash, orderId: txHash, status, rawStatus: status, createdAt, terms: null, locked, settlement };
}
