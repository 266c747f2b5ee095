import { defineEndpoint } from '../endpoint.ts';
import { cashWithdrawalView } from '../views.ts';
import { pageOf, pageQuery } from '../wire.ts';

/**
 * Withdrawals of cash linked to this API key. A row may be the link alone, until the indexer has seen the
 * transaction.
 *
 * Source: venue specification, "Cash"; wrapper and fields of the rows are adopted.
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
