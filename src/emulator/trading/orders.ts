import { bpsOf, cash, roundTo, stepOf, type Cash, notionalOf, price, shares } from '../../core/amount.ts';
import type { VenueConstants } from '../state/constants.ts';
import { epochSeconds } from '../../core/brand.ts';
import { InvariantError } from '../../core/errors.ts';
import { hashHex } from '../../core/random.ts';
import type { Address } from '../../domain/instrument.ts';
import type { Side } from '../../domain/venue.ts';
import type { Call } from '../state/calls.ts';
import type { Order, OrderChange, Transaction, Asset } from '../state/state.ts';
import { listingOf, type VenueState } from '../state/venueState.ts';

/** Fees of an execution. Only buys have a `mintFee`. */
export type Charges = Readonly<{ mintFee: Cash; protocolFee: Cash }>;

/**
 * Fees of an execution, each rounded up to the venue's places (spec gaps, "fees"): a buy pays them on top, a sell out
 * of its proceeds.
 */
export function chargesOf(
  notional: Cash,
  side: 'buy' | 'sell',
  { fees, feePlaces }: VenueConstants,
): Charges {
  const of = (bps: number): Cash => cash(roundTo(bpsOf(notional, bps, 'up'), stepOf(feePlaces), 'up'));
  if (side === 'sell') return { mintFee: cash(0n), protocolFee: of(fees.sellProtocolFeeBps) };
  return { mintFee: of(fees.buyMintFeeBps), protocolFee: of(fees.buyProtocolFeeBps) };
}

/** Total cost of a buy of `notional` at the current fees. */
function buyTotal(notional: Cash, constants: VenueConstants): bigint {
  const { mintFee, protocolFee } = chargesOf(notional, 'buy', constants);
  return notional + mintFee + protocolFee;
}

/** The order that a call places. `size` is signed, in mUSD for a market buy and in shares otherwise; wads. */
type Placement = Readonly<{
  stock: Address;
  size: bigint;
  /** Null for a market order. */
  limit: Readonly<{ price: bigint; tif: number }> | null;
  deadline: number;
  deferred?: boolean;
  /** Side of a function that supports only one. */
  only?: Side;
}>;

/** Placement of a call; null for a call that places no order. */
export function placementOf(call: Call): Placement | null {
  switch (call.kind) {
    case 'placeMarketOrder':
      return { ...call, size: call.amount, limit: null };
    case 'placeLimitOrder':
      return { ...call, size: call.quantity, limit: call };
    case 'placeDeferredMarketSell':
      return { ...call, size: -call.quantity, limit: null, deferred: true };
    case 'placeDeferredLimitSell':
      return { ...call, size: -call.quantity, limit: call, deferred: true };
    case 'depositAndMarketBuy':
      return { ...call, size: call.usdAmount, limit: null, only: 'buy' };
    case 'depositAndLimitBuy':
      return { ...call, size: call.quantity, limit: call, only: 'buy' };
    case 'depositStockAndMarketSell':
      return { ...call, size: call.quantity, limit: null, only: 'sell' };
    case 'depositStockAndLimitSell':
      return { ...call, size: call.quantity, limit: call, only: 'sell' };
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

function reserveOf({ side, quantity, notional, price: limit }: Terms, constants: VenueConstants): bigint {
  if (notional !== null) return buyTotal(notional, constants);
  if (quantity === null) throw new InvariantError('an order has a notional or a quantity');
  if (side === 'sell') return quantity;
  if (limit === null) throw new InvariantError('a buy by shares has a price');
  return buyTotal(notionalOf(quantity, limit, 'up'), constants);
}

/** Time in force DAY, as the router encodes it. */
export const DAY = 0;

/** Reason why the contracts reject a placement, or null. */
export function placementProblem(venue: VenueState, { stock, size, limit, only }: Placement): string | null {
  if (!venue.listings.has(stock.toUpperCase())) return 'unknown stock';
  if (size === 0n) return 'amount is zero';
  if (only !== undefined && (only === 'buy') !== size > 0n) return `this function is for a ${only}`;
  if (!limit) return null;
  if (limit.tif !== DAY) return 'only DAY orders are supported';
  return limit.price === 0n ? 'price is zero' : null;
}

type Origin = Pick<Transaction, 'hash' | 'user'>;

/**
 * The order of a placement, before it is mined. Its id depends only on its transaction. Null if the contracts would
 * reject it.
 */
export function orderFrom(venue: VenueState, { hash, user }: Origin, placement: Placement): Order | null {
  if (user === 'venue' || placementProblem(venue, placement) !== null) return null;
  const terms = termsOf(placement);
  const deferred = placement.deferred ?? false;
  return {
    txHash: hash,
    orderId: hashHex(`order ${hash}`),
    userAddress: user,
    symbol: listingOf(venue, placement.stock).symbol,
    type: placement.limit ? 'limit' : 'market',
    ...terms,
    deadline: epochSeconds(placement.deadline),
    deferred,
    reserve: deferred ? 0n : reserveOf(terms, venue.state.constants),
    word: 'Pending',
    minedAt: null,
    filled: shares(0n),
    cost: cash(0n),
    closing: null,
    canceling: false,
    cancelBy: null,
    settlement: null,
    partly: null,
    settled: 0,
    fate: null,
    changes: [],
  };
}

/** Asset that the order locks and pays with. */
export const paidIn = ({ side, symbol }: Order): Asset => (side === 'buy' ? 'mUSD' : symbol);

/** Records a change of an order's status on the chain. */
export function note(order: Order, change: OrderChange): void {
  order.word = change.word;
  order.changes.push(change);
}
