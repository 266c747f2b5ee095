import {
  cash,
  price as asPrice,
  shares,
  sharesFor,
  WAD,
  type Cash,
  type Price,
  type Shares,
} from '../core/amount.ts';
import { exactShares, type Order } from '../domain/order.ts';
import type { Settlement } from '../domain/venue.ts';
import type { FeeSchedule } from '../domain/documented.ts';
import { sellProceeds, type BuyCost } from '../sim/fees.ts';

/** An order at the simulated exchange, and what it has got so far. */
export type Resting = {
  readonly order: Order;
  /** When it reaches the market. */
  readonly arrival: number;
  /** Worst price it takes; a market order takes any. */
  readonly limit: number;
  filled: Shares;
  notional: Cash;
  /** What a buy pays for that; null for a sell, and before the first fill. */
  cost: BuyCost | null;
  /** What of the notional is slippage: how much worse its fills were than the market's price. */
  slipped: Cash;
  /** Whether it has stood in the market: the first price it met did not fill all of it. */
  rested: boolean;
  /** Of its first and latest fills: the places among the bars, and when. */
  firstPlace: number;
  lastPlace: number;
  firstAt: number;
  filledAt: number;
};

/** Shares still to come; those of a buy by notional at this price. */
export function restOf({ order: { terms }, filled, notional }: Resting, price: Price): Shares {
  const quantity = exactShares(terms);
  if (quantity !== null) return shares(quantity - filled);
  const all = terms.type === 'market' && terms.side === 'buy' ? terms.notional : cash(0n);
  return sharesFor(cash(all - notional), price, 'down');
}

/** What a buy costs beyond what it reserved; below 0 what is left of that. */
export const excessOf = ({ order }: Resting, cost: BuyCost | null): bigint =>
  order.terms.side === 'buy' ? (cost?.total ?? 0n) - order.reserve : 0n;

export function settlementOf({ order, filled, notional, cost }: Resting, fees: FeeSchedule): Settlement {
  const price = asPrice((notional * WAD) / filled);
  const { id: txHash } = order;
  if (cost) {
    const { total, mintFee, protocolFee } = cost;
    return { price, pay: total, receive: filled, mintFee, protocolFee, txHash };
  }
  const { net, mintFee, protocolFee } = sellProceeds(notional, fees);
  return { price, pay: filled, receive: net, mintFee, protocolFee, txHash };
}
