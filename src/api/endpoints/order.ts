import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { orderView } from '../views.ts';

/** 32 bytes in hex, with or without `0x`. */
export const orderPath = z.strictObject({ orderId: z.string().regex(/^(0x)?[0-9a-fA-F]{64}$/) });

/**
 * One open or settled order by its on-chain id. Not found until the indexer has seen its transaction.
 *
 * Source: venue specification, "Orders"; the shape of the answer is adopted.
 */
export const order = defineEndpoint({
  method: 'GET',
  path: '/api/v1/orders/{orderId}',
  access: 'READ_ONLY',
  repeat: 'always',
  lane: 'reconcile',
  params: orderPath,
  response: orderView,
});
