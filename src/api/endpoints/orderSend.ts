import { z } from 'zod';
import { sent } from '../assumptions/venueRules.ts';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { wire } from '../wire.ts';

export const orderBody = z.strictObject({
  /** Stock token. */
  stockAddress: wire.ownAddress,
  side: z.enum(['Buy', 'Sell']),
  type: z.enum(['Market', 'Limit']),
  /** Shares, above 0, at most 18 decimals: of a limit order or a market sell. */
  quantity: wire.amount.optional(),
  /** mUSD, above 0, at most 18 decimals: of a market buy. */
  notional: wire.amount.optional(),
  /** mUSD a share, above 0: of a limit order. */
  price: wire.amount.optional(),
  /** Required for a limit order; the venue accepts no other. */
  timeInForce: z.literal('DAY').optional(),
  /** Last second at which the transaction may be mined: Unix seconds, at most 4294967295. */
  deadline: wire.deadline,
  /** True only with `Sell`, and only for addresses that the venue has listed for deferred sells. */
  deferred: z.boolean().optional(),
});

/** Terms that differ between kinds of orders. */
const TERMS = ['quantity', 'notional', 'price', 'timeInForce'] as const;

/**
 * Refuses an order that lacks a field of its kind, as the venue would, and one with a field of another kind: a market
 * order with a price is a mistyped limit order.
 */
export function checkOrder(order: z.output<typeof orderBody>, context: z.RefinementCtx<typeof order>): void {
  const { side, type, deferred } = order;
  const isMarket = type === 'Market';
  const size = isMarket && side === 'Buy' ? 'notional' : 'quantity';
  const kind = isMarket ? `a market ${side.toLowerCase()}` : 'a limit order';
  const refuse = (message: string) => context.addIssue({ code: 'custom', message });
  for (const term of TERMS) {
    const belongs = term === size || (!isMarket && term !== 'notional');
    if (belongs && order[term] === undefined) refuse(`${term} is missing: ${kind} needs it`);
    // The one time in force there is means nothing to a market order, and does it no harm.
    if (!belongs && term !== 'timeInForce' && order[term] !== undefined)
      refuse(`${term} does not go with ${kind}`);
  }
  if (deferred && side === 'Buy') refuse('deferred is only for a Sell');
}

/**
 * Places an order through One Click, for the user bound to the key. Never repeated.
 *
 * Units: `quantity` in shares, `notional` in mUSD, `price` in mUSD a share, `deadline` (the last moment at which the
 * transaction may be mined) in Unix seconds. Too little balance is not refused: the transaction is mined and reverts.
 *
 * Fails with `NotSentError` before anything is sent, `UnreachableError` when nothing left this machine,
 * `VenueRefusedError` for a documented refusal, `UnauthorizedError`, and `OutcomeUnknownError` otherwise: the order may
 * then exist, and only the order list can show whether it does.
 *
 * Source: venue specification, "Order body"; the wrapper of the answer is assumed.
 *
 * @example
 * const { txHash } = await client.orderSend(
 *   { body: { stockAddress, side: 'Buy', type: 'Limit', quantity: '2', price: '190.25', timeInForce: 'DAY' } },
 *   gate,
 * );
 */
export const orderSend = defineEndpoint({
  method: 'POST',
  path: '/api/v1/orders/send',
  access: 'WRITABLE',
  repeat: 'never',
  lane: 'send',
  body: orderBody.extend({ gasLimit: wire.gasLimit.optional() }).superRefine(checkOrder),
  deadlineIn: 'body',
  response: sent,
});

export type OrderSendRequest = RequestOf<typeof orderSend>;
export type OrderSendResponse = ResponseOf<typeof orderSend>;
