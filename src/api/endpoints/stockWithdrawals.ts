import { defineEndpoint } from '../endpoint.ts';
import { stockOperationView } from '../views.ts';
import { pageOf, pageQuery } from '../wire.ts';

/**
 * Withdrawals of stock linked to this API key. A row may be the link alone, until the indexer has seen the
 * transaction.
 *
 * Source: venue specification, "Stock"; wrapper and fields of the rows are adopted.
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
