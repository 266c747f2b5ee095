import { z } from 'zod';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { orderView } from '../views.ts';
import { wire } from '../wire.ts';

/**
 * The order of a transaction that this API key has recorded. Not found means only
 * that the indexer has not seen it yet.
 *
 * Source: venue specification, "Orders"; the shape of the answer is assumed.
 *
 * @example
 * const view = await client.orderByTx({ path: { txHash } });
 */
export const orderByTx = defineEndpoint({
  method: 'GET',
  path: '/api/v1/orders/tx/{txHash}',
  access: 'READ_ONLY',
  repeat: 'always',
  lane: 'reconcile',
  params: z.strictObject({ txHash: wire.hash }),
  response: orderView.nullish(),
});

export type OrderByTxRequest = RequestOf<typeof orderByTx>;
export type OrderByTxResponse = ResponseOf<typeof orderByTx>;
