import { corporateActionQuery, corporateActionRow } from '../assumptions/venueRules.ts';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { rowsOf } from '../wire.ts';

/**
 * Splits, dividends and spin-offs, perhaps none. Dates are days of the exchange. Rows are read one by one.
 *
 * Source: venue specification, "Market data"; the query and the fields are assumed.
 *
 * @example
 * const actions = await client.corporateActions({ query: { start: '2026-01-01', end: '2026-12-31' } });
 */
export const corporateActions = defineEndpoint({
  method: 'GET',
  path: '/api/v1/corporate-action',
  access: 'READ_ONLY',
  repeat: 'always',
  lane: 'data',
  maxBytes: 4 * 2 ** 20,
  query: corporateActionQuery,
  response: rowsOf(corporateActionRow),
});

export type CorporateActionsRequest = RequestOf<typeof corporateActions>;
export type CorporateActionsResponse = ResponseOf<typeof corporateActions>;
