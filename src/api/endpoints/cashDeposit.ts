import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { cashDepositView } from '../views.ts';
import { operationPath } from '../wire.ts';

/**
 * One deposit of cash by the indexer's id. Not found until the indexer has seen its transaction;
 * `processing` is not a failure.
 *
 * Source: venue specification, "Cash operation detail"; the status words are assumed.
 *
 * @example
 * const { operationStatus } = await client.cashDeposit({ path: { operationId } });
 */
export const cashDeposit = defineEndpoint({
  method: 'GET',
  path: '/api/v1/cash/deposits/{operationId}',
  access: 'READ_ONLY',
  repeat: 'always',
  lane: 'reconcile',
  params: operationPath,
  response: cashDepositView,
});

export type CashDepositRequest = RequestOf<typeof cashDeposit>;
export type CashDepositResponse = ResponseOf<typeof cashDeposit>;
