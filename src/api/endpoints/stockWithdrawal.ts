import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { stockOperationView } from '../views.ts';
import { operationPath } from '../wire.ts';

/**
 * One withdrawal of stock by the indexer's id. Not found until the indexer has seen its transaction;
 * `processing` is not a failure.
 *
 * Source: venue specification, "Stock"; the fields are assumed.
 *
 * @example
 * const { operationStatus } = await client.stockWithdrawal({ path: { operationId } });
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

export type StockWithdrawalRequest = RequestOf<typeof stockWithdrawal>;
export type StockWithdrawalResponse = ResponseOf<typeof stockWithdrawal>;
