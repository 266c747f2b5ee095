import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { cashWithdrawalView } from '../views.ts';
import { operationPath } from '../wire.ts';

/**
 * One withdrawal of cash by the indexer's id. Not found until the indexer has seen its transaction;
 * `processing` is not a failure.
 *
 * Source: venue specification, "Cash operation detail"; `withdrawalOperation` and the status words are
 * adopted.
 *
 * @example
 * const { operationStatus } = await client.cashWithdrawal({ path: { operationId } });
 */
export const cashWithdrawal = defineEndpoint({
  method: 'GET',
  path: '/api/v1/cash/withdrawals/{operationId}',
  access: 'READ_ONLY',
  repeat: 'always',
  lane: 'reconcile',
  params: operationPath,
  response: cashWithdrawalView,
});

export type CashWithdrawalRequest = RequestOf<typeof cashWithdrawal>;
export type CashWithdrawalResponse = ResponseOf<typeof cashWithdrawal>;
