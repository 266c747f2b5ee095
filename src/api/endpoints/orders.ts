import { defineEndpoint } from '../endpoint.ts';
import { orderView } from '../views.ts';
import { pageOf, pageQuery } from '../wire.ts';

/**
 * Orders linked to this API key, newest first. A row may be the link alone: the detail then tells the rest.
 *
 * Source: venue specification, "Orders"; wrapper, order and fields of the rows are adopted.
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
