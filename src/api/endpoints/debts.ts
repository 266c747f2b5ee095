import { z } from 'zod';
import { debtRow } from '../assumptions/venueRules.ts';
import { defineEndpoint } from '../endpoint.ts';
import { rowsOf, wire } from '../wire.ts';

/**
 * What the bound user still owes of each stock after deferred sells, in shares. Rows are read one by one.
 *
 * Source: venue specification, "Deferred sell"; the fields of the rows are adopted.
 */
export const debts = defineEndpoint({
  method: 'GET',
  path: '/api/v1/deferred-sell/debts',
  access: 'READ_ONLY',
  repeat: 'always',
  lane: 'reconcile',
  query: z.strictObject({ stockAddress: wire.ownAddress.optional() }),
  response: rowsOf(debtRow),
});
