import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { cashDepositView } from '../views.ts';
import { pageOf, pageQuery } from '../wire.ts';

/**
 * Deposits of cash linked to this API key. A row is only the link to its transaction until the indexer
 * has seen that transaction.
 *
 * Source: venue specification, "Cash"; wrapper and fields of the rows are assumed.
 *
 * @example
 * const { total, rows } = await client.cashDeposits({ query: { page: 1, limit: 100 } });
 */
export const cashDeposits = defineEndpoint({
  method: 'GET',
  path: '/api/v1/cash/deposits',
  access: 'READ_ONLY',
  repeat: 'always',
  lane: 'reconcile',
  query: pageQuery,
  response: pageOf(cashDepositView),
});

export type CashDepositsRequest = RequestOf<typeof cashDeposits>;
export type CashDepositsResponse = ResponseOf<typeof cashDeposits>;
