import { z } from 'zod';
import { sent } from '../adopted.ts';
import { defineEndpoint } from '../endpoint.ts';
import { wire } from '../wire.ts';

export const orderBody = z.strictObject({
  stockAddress: wire.address,
  side: z.enum(['Buy', 'Sell']),
  type: z.enum(['Market', 'Limit']),
  /** Of a limit order and of a market sell. */
  quantity: wire.decimal.optional(),
  /** Of a market buy. */
  notional: wire.decimal.optional(),
  /** Of a limit order. */
  price: wire.decimal.optional(),
  /** Of a limit order; the venue takes no other. */
  timeInForce: z.literal('DAY').optional(),
  deadline: wire.deadline,
  /** Only with `Sell`, and only for addresses that the venue has listed for it. */
  deferred: z.boolean().optional(),
});

/** Whether an order has what its kind needs: the venue refuses it otherwise. */
export function isComplete(order: z.output<typeof orderBody>): boolean {
  const { side, type, quantity, notional, price, timeInForce, deferred } = order;
  if (deferred && side === 'Buy') return false;
  if (type === 'Market') return (side === 'Buy' ? notional : quantity) !== undefined;
  return quantity !== undefined && price !== undefined && timeInForce !== undefined;
}

/**
 * Places an order through One Click, for the user bound to the key. Never repeated.
 *
 * Units: `quantity` in shares, `notional` in mUSD, `price` in mUSD a share, `deadline` (the last moment at which the
 * transaction may be mined) in Unix seconds. Too little balance is no refusal: the transaction is mined and reverts.
 *
 * Fails with `NotSentError` before anything is sent, `UnreachableError` when nothing left this machine,
 * `VenueRefusedError` for a documented refusal, `UnauthorizedError`, and `OutcomeUnknownError` otherwise: the order may
 * then exist, and only looking can tell.
 *
 * Source: venue specification, "Order body"; the wrapper of the answer is adopted.
 */
export const orderSend = defineEndpoint({
  method: 'POST',
  path: '/api/v1/orders/send',
  access: 'WRITABLE',
  repeat: 'never',
  lane: 'send',
  body: orderBody
    .extend({
      /** The venue estimates when absent or 0. */
      gasLimit: z.int().min(0).optional(),
    })
    .refine(isComplete, 'lacks what an order of its side and type needs'),
  deadlineIn: 'body',
  response: sent,
});
