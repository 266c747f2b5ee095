import { z } from 'zod';
import { debtRow } from '../assumptions/venueRules.ts';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { rowsOf, wire } from '../wire.ts';

/**
 * Stock that the bound user still owes after deferred sells, in shares. Rows are read one by one.
 *
 * Source: venue specification, "Deferred sell"; the fields of the rows are assumed.
 *
 * @example
 * const owed = await client.debts({ query: { stockAddress } });
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

export type DebtsRequest = RequestOf<typeof debts>;
export type DebtsResponse = ResponseOf<typeof debts>;
