import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { orderView } from '../views.ts';
import { wire } from '../wire.ts';

/**
 * The order of a transaction that this API key has recorded. That it is not found says only that it is not known yet.
 *
 * Source: venue specification, "Orders"; the shape of the answer is adopted.
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
