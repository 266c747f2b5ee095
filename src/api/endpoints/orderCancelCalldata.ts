import { z } from 'zod';
import { calldata } from '../transactions.ts';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { wire } from '../wire.ts';
import { orderPath } from './order.ts';

/**
 * The transaction that cancels an open limit order of this key, for the wallet to sign and submit. Changes
 * nothing by itself.
 *
 * `deadline` in Unix seconds. Fails with `VenueRefusedError` for an order that is not open, not a limit
 * order or not this key's.
 *
 * Source: venue specification, "Orders", rule 3.
 *
 * @example
 * const { callData } = await client.orderCancelCalldata({ path: { orderId }, query: { deadline } });
 */
export const orderCancelCalldata = defineEndpoint({
  method: 'DELETE',
  path: '/api/v1/orders/{orderId}/calldata',
  access: 'WRITABLE',
  repeat: 'always',
  lane: 'cancel',
  params: orderPath,
  query: z.strictObject({ deadline: wire.deadline }),
  response: calldata,
});

export type OrderCancelCalldataRequest = RequestOf<typeof orderCancelCalldata>;
export type OrderCancelCalldataResponse = ResponseOf<typeof orderCancelCalldata>;
