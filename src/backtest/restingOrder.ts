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

/** Order at the simulated exchange with its fills so far. */
export type RestingOrder = {
  readonly order: Order;
  /** Time of arrival in the market. */
  readonly arrival: number;
  /** Limit price; null for a market order. */
  readonly limit: number;
  /** Price within a bar that triggered it; null for any other order. */
  readonly touch: Touch | null;
  filled: Shares;
  notional: Cash;
  /** Cost of a buy with its fees; null for a sell, and before the first fill. */
  cost: BuyCost | null;
  /** Slippage included in `notional`: how much worse the fills were than the market price. */
  slipped: Cash;
  /** True once it has rested in the market: the first price did not fill all of it. */
  rested: boolean;
  /** True once its bar of arrival has passed its limit, perhaps before it arrived: it then fills at no better price. */
  isPassed: boolean;
  /** Positions of the first and latest fills among the bars, and their times. */
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

/** Same reports, with those of a stock first and due at an instant. */
export function reportedBy(ended: readonly OrderEnd[], symbol: Ticker, due: EpochMs): OrderEnd[] {
  const isOwn = ({ resting }: OrderEnd) => resting.order.terms.symbol === symbol;
  const own = ended.filter(isOwn).map((each) => ({ ...each, due }));
  return [...own, ...ended.filter((each) => !isOwn(each))];
}

/** Price that a bar has touched on its path. `index`: position of the bar. */
export type Touch = Readonly<{ price: number; index: number }>;

/** Bar of a tape by its position, and an instant within it. */
export type Moment = Readonly<{ tape: Tape; index: number; at: number }>;

/** `place`: 3 at the open of bar 3, 3.5 within it, 4 at its close. */
export type MatchMoment = Moment & Readonly<{ place: number }>;

export const WITHIN = 0.5;

/** New order without fills, sent at `at`. */
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

/** Orders of one stock, and the prices that a bar must reach to fill one of them. */
export class RestingOrders {
  /** In order of arrival. */
  readonly all: RestingOrder[] = [];
  /** Highest buy limit and lowest sell limit; NaN while not known. */
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

  /** True when a bar changes nothing: its prices reach no order, and all orders have rested before. */
  areOutOfReach({ open, high, low, close }: BarColumns, index: number): boolean {
    if (Number.isNaN(this.#highestBuy)) this.#readBounds();
    const first = open[index] ?? NaN;
    const last = close[index] ?? NaN;
    const bottom = Math.min(low[index] ?? NaN, first, last);
    const top = Math.max(high[index] ?? NaN, first, last);
    return bottom > this.#highestBuy && top < this.#lowestSell;
  }

  /** Computes the bounds, unless an order may fill at any price or has yet to meet its first one. */
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

/** Terms of an order that determine its fill price. */
export type FillTerms = Readonly<{ side: Side; limit: Price | null }>;

export const fillTermsOf = ({ order: { terms } }: Pick<RestingOrder, 'order'>): FillTerms => ({
  side: terms.side,
  limit: terms.type === 'limit' ? terms.price : null,
});

/** Price at which an order may fill, and its remaining shares at that price. */
export type FillCandidate = Readonly<{ price: number; shares: Shares }>;

/** Price for an order triggered by a touch: in the worst case, the rest of the bar is never better than the touch. */
export function noBetterThanTouch({ touch, order }: RestingOrder, price: number): number {
  if (touch === null) return price;
  return order.terms.side === 'buy' ? Math.max(price, touch.price) : Math.min(price, touch.price);
}

/** Price, or the limit if that is better for the trader. */
export const noWorse = (price: Price, { side, limit }: FillTerms): Price =>
  limit !== null && (side === 'buy' ? price > limit : price < limit) ? limit : price;

/** True while an order is valid at the exchange: a session order during the session, a phase order until it expires. */
export const isIn = ({ order: { until } }: RestingOrder, isOutside: boolean, at: number): boolean =>
  until === undefined ? !isOutside : at <= until;

/** Limit price or, if the whole bar is beyond the limit, the worst price of the bar. */
export function withinBar(
  limit: Price,
  side: Side,
  { low = NaN, high = NaN }: Readonly<{ low?: number | undefined; high?: number | undefined }>,
): Price {
  const worst = asPrice(wadFromNumber(side === 'buy' ? high : low));
  return (side === 'buy' ? worst < limit : worst > limit) ? worst : limit;
}

/** Remaining shares; for a buy by notional, at this price. */
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

/** Row as the venue's order list would show it, with our own id as the order id. */
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
