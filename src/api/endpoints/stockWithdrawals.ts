import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { stockOperationView } from '../views.ts';
import { pageOf, pageQuery } from '../wire.ts';

/**
 * Withdrawals of stock linked to this API key. A row is only the link to its transaction until the indexer
 * has seen that transaction.
 *
 * Source: venue specification, "Stock"; wrapper and fields of the rows are assumed.
 *
 * @example
 * const { total, rows } = await client.stockWithdrawals({ query: { page: 1, limit: 100 } });
 */
export const stockWithdrawals = defineEndpoint({
  method: 'GET',
  path: '/api/v1/stock/withdrawals',
  access: 'READ_ONLY',
  repeat: 'always',
  lane: 'reconcile',
  query: pageQuery,
  response: pageOf(stockOperationView),
});

export type StockWithdrawalsRequest = RequestOf<typeof stockWithdrawals>;
export type StockWithdrawalsResponse = ResponseOf<typeof stockWithdrawals>;
