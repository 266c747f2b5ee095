import { defineEndpoint } from '../endpoint.ts';
import { stockOperationView } from '../views.ts';
import { operationPath } from '../wire.ts';

/**
 * One withdrawal of stock by the indexer's id. Not found until the indexer has seen its transaction;
 * `processing` is no failure.
 *
 * Source: venue specification, "Stock"; the fields are adopted.
 */
export const stockWithdrawal = defineEndpoint({
  method: 'GET',
  path: '/api/v1/stock/withdrawals/{operationId}',
  access: 'READ_ONLY',
  repeat: 'always',
  lane: 'reconcile',
  params: operationPath,
  response: stockOperationView,
});
