import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { orderView } from '../views.ts';
import { pageOf, pageQuery } from '../wire.ts';

/**
 * Orders linked to this API key, newest first. A row may be only the link to a transaction: `order` then
 * has the rest.
 *
 * Source: venue specification, "Orders"; wrapper, order and fields of the rows are assumed.
 *
 * @example
 * const { total, rows } = await client.orders({ query: { page: 1, limit: 100 } });
 */
export const orders = defineEndpoint({
  method: 'GET',
  path: '/api/v1/orders',
  access: 'READ_ONLY',
  repeat: 'always',
  lane: 'reconcile',
  polled: true,
  query: pageQuery,
  response: pageOf(orderView),
});

export type OrdersRequest = RequestOf<typeof orders>;
export type OrdersResponse = ResponseOf<typeof orders>;
