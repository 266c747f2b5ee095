import { cash, notionalOf, price, shares } from '../core/amount.ts';
import { epochSeconds } from '../core/brand.ts';
import { InvariantError } from '../core/errors.ts';
import { hashHex } from '../core/random.ts';
import type { Address } from '../domain/instrument.ts';
import { buyCost } from '../sim/fees.ts';
import type { ContractCall } from './chain/call.ts';
import type { Asset } from './ledger.ts';
import type { Order, OrderChange, Transaction } from './state.ts';
import type { World } from './world.ts';

/** The order that a call asks for. `size` has its sign, in mUSD for a market buy and in shares otherwise; wads. */
export type Placement = Readonly<{
  stock: Address;
  size: bigint;
  /** Null for a market order. */
  limit: Readonly<{ price: bigint; tif: number }> | null;
  deadline: number;
}>;

/** Null for a call that asks for no order. */
export function placementOf(call: ContractCall): Placement | null {
  switch (call.kind) {
    case 'placeMarketOrder':
      return { stock: call.stock, size: call.amount, limit: null, deadline: call.deadline };
    case 'placeLimitOrder': {
      const { stock, quantity: size, price: at, tif, deadline } = call;
      return { stock, size, limit: { price: at, tif }, deadline };
    }
    default:
      return null;
  }
}

type Terms = Pick<Order, 'side' | 'quantity' | 'notional' | 'price'>;

function termsOf({ size: signed, limit }: Placement): Terms {
  const side = signed > 0n ? 'buy' : 'sell';
  const size = signed > 0n ? signed : -signed;
  if (!limit && side === 'buy') return { side, quantity: null, notional: cash(size), price: null };
  return { side, quantity: shares(size), notional: null, price: limit && price(limit.price) };
}

function reserveOf({ side, quantity, notional, price: limit }: Terms): bigint {
  if (notional !== null) return buyCost(notional).total;
  if (quantity === null) throw new InvariantError('an order has a notional or a quantity');
  if (side === 'sell') return quantity;
  if (limit === null) throw new InvariantError('a buy by shares has a price');
  return buyCost(notionalOf(quantity, limit, 'up')).total;
}

/** Time in force, as the router counts it. */
export const DAY = 0;

/**
 * The order of a placement, as it waits to be mined. Its id depends on its transaction alone. Null when the contracts
 * would not take it for one.
 */
export function orderFrom(world: World, { hash, user }: Transaction, placement: Placement): Order | null {
  const listing = world.listings.get(placement.stock.toUpperCase());
  const { size, limit } = placement;
  if (!listing || user === 'venue' || size === 0n || (limit && (limit.price === 0n || limit.tif !== DAY)))
    return null;
  const terms = termsOf(placement);
  return {
    txHash: hash,
    orderId: hashHex(`order ${hash}`),
    userAddress: user,
    symbol: listing.symbol,
    type: limit ? 'limit' : 'market',
    ...terms,
    deadline: epochSeconds(placement.deadline),
    reserve: reserveOf(terms),
    word: 'Pending',
    minedAt: null,
    filled: shares(0n),
    cost: cash(0n),
    closing: null,
    canceling: false,
    settlement: null,
    changes: [],
  };
}

/** What the order locks and pays with. */
export const paidIn = ({ side, symbol }: Order): Asset => (side === 'buy' ? 'mUSD' : symbol);

/** Changes what the chain tells of an order. */
export function note(order: Order, change: OrderChange): void {
  order.word = change.word;
  order.changes.push(change);
}
