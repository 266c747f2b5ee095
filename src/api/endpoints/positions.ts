import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { rowsOf, userPath } from '../wire.ts';
import { spenderQuery, tokenBalance } from './balance.ts';

/**
 * The stock tokens of the user, net of what open orders lock. Rows are read one by one.
 *
 * Source: venue specification, "Positions".
 *
 * @example
 * const holdings = await client.positions({ path: { userId: wallet } });
 */
export const positions = defineEndpoint({
  method: 'GET',
  path: '/api/v1/users/{userId}/positions',
  access: 'READ_ONLY',
  repeat: 'always',
  lane: 'reconcile',
  maxBytes: 4 * 2 ** 20,
  params: userPath,
  query: spenderQuery,
  response: rowsOf(tokenBalance),
});

export type PositionsRequest = RequestOf<typeof positions>;
export type PositionsResponse = ResponseOf<typeof positions>;
