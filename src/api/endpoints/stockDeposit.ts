import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { stockOperationView } from '../views.ts';
import { operationPath } from '../wire.ts';

/**
 * One deposit of stock by the indexer's id. Not found until the indexer has seen its transaction;
 * `processing` is not a failure.
 *
 * Source: venue specification, "Stock"; the fields are assumed.
 *
 * @example
 * const { operationStatus } = await client.stockDeposit({ path: { operationId } });
 */
export const stockDeposit = defineEndpoint({
  method: 'GET',
  path: '/api/v1/stock/deposits/{operationId}',
  access: 'READ_ONLY',
  repeat: 'always',
  lane: 'reconcile',
  params: operationPath,
  response: stockOperationView,
});

export type StockDepositRequest = RequestOf<typeof stockDeposit>;
export type StockDepositResponse = ResponseOf<typeof stockDeposit>;
