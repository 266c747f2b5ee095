import { cash, notionalOf, shares } from '../core/amount.ts';
import { InvariantError } from '../core/errors.ts';
import { hashHex } from '../core/random.ts';
import { buyCost } from '../sim/fees.ts';
import type { PlaceCall } from './call.ts';
import type { Asset } from './ledger.ts';
import type { Order, OrderChange, Transaction } from './state.ts';
import { listingOf, type World } from './world.ts';

type Terms = Pick<Order, 'side' | 'quantity' | 'notional' | 'price'>;

function termsOf(call: PlaceCall): Terms {
  const asked = call.kind === 'placeLimitOrder' ? call.quantity : call.amount;
  const side = asked > 0n ? 'buy' : 'sell';
  const size = asked > 0n ? asked : -asked;
  if (call.kind === 'placeMarketOrder' && side === 'buy')
    return { side, quantity: null, notional: cash(size), price: null };
  const price = call.kind === 'placeLimitOrder' ? call.price : null;
  return { side, quantity: shares(size), notional: null, price };
}

function reserveOf({ side, quantity, notional, price }: Terms): bigint {
  if (notional !== null) return buyCost(notional).total;
  if (quantity === null) throw new InvariantError('an order has a notional or a quantity');
  if (side === 'sell') return quantity;
  if (price === null) throw new InvariantError('a buy by shares has a price');
  return buyCost(notionalOf(quantity, price, 'up')).total;
}

/** The order that a call asks for, as it waits to be mined. Its id depends on its transaction alone. */
export function orderFrom(world: World, { hash, from }: Transaction, call: PlaceCall): Order {
  const terms = termsOf(call);
  return {
    txHash: hash,
    orderId: hashHex(`order ${hash}`),
    userAddress: from,
    symbol: listingOf(world, call.stock).symbol,
    type: call.kind === 'placeLimitOrder' ? 'limit' : 'market',
    ...terms,
    deadline: call.deadline,
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
