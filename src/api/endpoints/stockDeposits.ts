import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { stockOperationView } from '../views.ts';
import { pageOf, pageQuery } from '../wire.ts';

/**
 * Deposits of stock linked to this API key. A row is only the link to its transaction until the indexer
 * has seen that transaction.
 *
 * Source: venue specification, "Stock"; wrapper and fields of the rows are assumed.
 *
 * @example
 * const { total, rows } = await client.stockDeposits({ query: { page: 1, limit: 100 } });
 */
export const stockDeposits = defineEndpoint({
  method: 'GET',
  path: '/api/v1/stock/deposits',
  access: 'READ_ONLY',
  repeat: 'always',
  lane: 'reconcile',
  query: pageQuery,
  response: pageOf(stockOperationView),
});

export type StockDepositsRequest = RequestOf<typeof stockDeposits>;
export type StockDepositsResponse = ResponseOf<typeof stockDeposits>;
