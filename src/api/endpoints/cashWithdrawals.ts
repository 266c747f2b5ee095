import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { cashWithdrawalView } from '../views.ts';
import { pageOf, pageQuery } from '../wire.ts';

/**
 * Withdrawals of cash linked to this API key. A row is only the link to its transaction until the indexer
 * has seen that transaction.
 *
 * Source: venue specification, "Cash"; wrapper and fields of the rows are assumed.
 *
 * @example
 * const { total, rows } = await client.cashWithdrawals({ query: { page: 1, limit: 100 } });
 */
export const cashWithdrawals = defineEndpoint({
  method: 'GET',
  path: '/api/v1/cash/withdrawals',
  access: 'READ_ONLY',
  repeat: 'always',
  lane: 'reconcile',
  query: pageQuery,
  response: pageOf(cashWithdrawalView),
});

export type CashWithdrawalsRequest = RequestOf<typeof cashWithdrawals>;
export type CashWithdrawalsResponse = ResponseOf<typeof cashWithdrawals>;
