import { z } from 'zod';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { orderView } from '../views.ts';

/** 32 bytes in hex, with or without `0x`. */
export const orderPath = z.strictObject({ orderId: z.string().regex(/^(0x)?[0-9a-fA-F]{64}$/) });

/**
 * One open or settled order by its on-chain id. Not found until the indexer has seen its transaction.
 *
 * Source: venue specification, "Orders"; the shape of the answer is assumed.
 *
 * @example
 * const { openOrder, historyOrder } = await client.order({ path: { orderId } });
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

export type OrderRequest = RequestOf<typeof order>;
export type OrderResponse = ResponseOf<typeof order>;
