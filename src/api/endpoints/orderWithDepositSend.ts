import type { z } from 'zod';
import { sent, withDepositFields } from '../assumptions/venueRules.ts';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { wire } from '../wire.ts';
import { checkOrder, orderBody } from './orderSend.ts';

/** An order that is never deferred, with its deposit. */
export const depositOrderBody = orderBody.omit({ deferred: true }).extend(withDepositFields);

/** Checks as `checkOrder` does, and that a buy, but not a sell, names its cash token. */
export function checkDepositOrder(
  order: z.output<typeof depositOrderBody>,
  context: z.RefinementCtx<z.output<typeof depositOrderBody>>,
): void {
  checkOrder(order, context);
  if (order.side === 'Buy' && order.tokenAddress === undefined)
    context.addIssue({ code: 'custom', message: 'tokenAddress is missing: a buy deposits a cash token' });
  if (order.side === 'Sell' && order.tokenAddress !== undefined)
    context.addIssue({
      code: 'custom',
      message: 'tokenAddress does not go with a sell: it deposits its stock',
    });
}

/**
 * Deposits from the wallet and places an order with it, through One Click, for the user bound to the key.
 * Never repeated.
 *
 * Units: `tokenAmount` in whole units of what is deposited, the rest as in `orderSend`. A buy needs the
 * wallet's allowance of its cash token and an amount small enough for an instant deposit; a sell, allowance and
 * balance of the stock. Without them the transaction is mined and reverts. Fails like `orderSend`.
 *
 * Source: venue specification, "Orders", rule 4; the body and the wrapper of the answer are assumed.
 *
 * @example
 * const { txHash } = await client.orderWithDepositSend(
 *   { body: { stockAddress, side: 'Sell', type: 'Market', quantity: '1.5', tokenAmount: '1.5' } },
 *   gate,
 * );
 */
export const orderWithDepositSend = defineEndpoint({
  method: 'POST',
  path: '/api/v1/orders/with-deposit/send',
  access: 'WRITABLE',
  repeat: 'never',
  lane: 'send',
  body: depositOrderBody.extend({ gasLimit: wire.gasLimit.optional() }).superRefine(checkDepositOrder),
  deadlineIn: 'body',
  response: sent,
});

export type OrderWithDepositSendRequest = RequestOf<typeof orderWithDepositSend>;
export type OrderWithDepositSendResponse = ResponseOf<typeof orderWithDepositSend>;
