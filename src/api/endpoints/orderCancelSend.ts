import { z } from 'zod';
import { sent } from '../assumptions/venueRules.ts';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { wire } from '../wire.ts';
import { orderPath } from './order.ts';

/**
 * Cancels an open limit order of this key through One Click. Never repeated: it has the same outcomes as placing one.
 *
 * Source: venue specification, "Orders", rule 3; the wrapper of the answer is assumed.
 *
 * @example
 * const { txHash } = await client.orderCancelSend({ path: { orderId } }, gate);
 */
export const orderCancelSend = defineEndpoint({
  method: 'DELETE',
  path: '/api/v1/orders/{orderId}/send',
  access: 'WRITABLE',
  repeat: 'never',
  lane: 'cancel',
  params: orderPath,
  query: z.strictObject({ deadline: wire.deadline }),
  deadlineIn: 'query',
  response: sent,
});

export type OrderCancelSendRequest = RequestOf<typeof orderCancelSend>;
export type OrderCancelSendResponse = ResponseOf<typeof orderCancelSend>;
