import { z } from 'zod';
import { price, type Price } from '../../core/amount.ts';
import type { Address } from '../../domain/instrument.ts';
import { TOKEN_DECIMALS } from '../state/constants.ts';
import type { RouterCall } from '../state/calls.ts';
import { DAY } from '../trading/orders.ts';
import type { ListedSymbol } from '../market/index.ts';
import { invalid } from '../state/messages.ts';
import type { VenueState } from '../state/venueState.ts';
import { address, amount, deadline, gasLimit } from './fields.ts';

/** The body of an order (spec, "Order body"). */
export const orderBody = z.object({
  stockAddress: address,
  side: z.enum(['Buy', 'Sell'], 'must be Buy or Sell'),
  type: z.enum(['Market', 'Limit'], 'must be Market or Limit'),
  quantity: amount(TOKEN_DECIMALS).nullish(),
  notional: amount(TOKEN_DECIMALS).nullish(),
  price: amount(TOKEN_DECIMALS).nullish(),
  timeInForce: z
    .enum(['DAY', 'GTC', 'OPG', 'IOC', 'FOK', 'GTX', 'GTD', 'CLS'], 'must be a time in force')
    .nullish(),
  deadline,
  deferred: z.boolean('must be true or false').nullish(),
  gasLimit,
});
export type OrderBody = z.output<typeof orderBody>;

/** Terms of an order request, with only the fields for its kind. */
export type OrderRequest = Readonly<
  | { type: 'Market'; side: 'Buy'; notional: bigint }
  | { type: 'Market'; side: 'Sell'; quantity: bigint }
  | { type: 'Limit'; side: 'Buy' | 'Sell'; quantity: bigint; price: Price }
>;

/** Terms of an order. @throws {Refusal} when a field required for its kind is missing or zero */
export function orderOf({ type, side, quantity, notional, price: limit }: OrderBody): OrderRequest {
  if (type === 'Limit')
    return {
      type,
      side,
      quantity: needed('quantity', quantity, 'a limit order'),
      price: price(needed('price', limit, 'a limit order')),
    };
  if (side === 'Buy') return { type, side, notional: needed('notional', notional, 'a market buy') };
  return { type, side, quantity: needed('quantity', quantity, 'a market sell') };
}

function needed(field: string, value: bigint | null | undefined, order: string): bigint {
  if (value === null || value === undefined) throw invalid(`${field} is required for ${order}`);
  if (value === 0n) throw invalid(`${field} must be greater than 0`);
  return value;
}

/** The listing of the order's stock. @throws {Refusal} if it is not listed */
export function listingOfBody({ listings }: VenueState, { stockAddress }: OrderBody): ListedSymbol {
  const listing = listings.get(stockAddress.toUpperCase());
  if (!listing) throw invalid('stockAddress must be the contract of a listed stock token');
  return listing;
}

/** The router's call for an order: sells have negative amounts, deferred sells have their own functions. */
export function callOf(
  order: OrderRequest,
  { stockAddress: stock, deadline, deferred }: OrderBody,
): RouterCall {
  if (deferred && 'quantity' in order) return deferredCall(order, { stock, deadline });
  const signed = (size: bigint) => (order.side === 'Buy' ? size : -size);
  if (order.type === 'Limit') {
    const { price: limit, quantity } = order;
    return { kind: 'placeLimitOrder', stock, quantity: signed(quantity), price: limit, tif: DAY, deadline };
  }
  const amountAsked = 'notional' in order ? order.notional : order.quantity;
  return { kind: 'placeMarketOrder', stock, amount: signed(amountAsked), deadline };
}

function deferredCall(
  order: Extract<OrderRequest, { quantity: bigint }>,
  at: Readonly<{ stock: Address; deadline: number }>,
): RouterCall {
  const { quantity } = order;
  if (order.type === 'Market') return { kind: 'placeDeferredMarketSell', ...at, quantity };
  return { kind: 'placeDeferredLimitSell', ...at, quantity, price: order.price, tif: DAY };
}
