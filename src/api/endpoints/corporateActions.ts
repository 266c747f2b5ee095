import { corporateActionQuery, corporateActionRow } from '../assumptions/venueRules.ts';
import { defineEndpoint } from '../endpoint.ts';
import { rowsOf } from '../wire.ts';

/**
 * Splits, dividends and spin-offs, perhaps none. Dates are days of the exchange. Rows are read one by one.
 *
 * Source: venue specification, "Market data"; the query and the fields are adopted.
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
