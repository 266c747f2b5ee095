import { z } from 'zod';
import { debtRow, repayBody } from '../assumptions/venueRules.ts';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { calldataEndpoint, sendEndpoint, READ } from './kinds.ts';
import { rowsOf, wire } from '../wire.ts';

/**
 * Stock that the bound user still owes after deferred sells, in shares. Rows are parsed one by one.
 *
 * Source: venue specification, "Deferred sell"; the fields of the rows are assumed.
 *
 * @example
 * const owed = await client.debts({ query: { stockAddress } });
 */
export const debts = defineEndpoint({
  ...READ,
  path: '/api/v1/deferred-sell/debts',
  query: z.strictObject({ stockAddress: wire.ownAddress.optional() }),
  response: rowsOf(debtRow),
});

export type DebtsRequest = RequestOf<typeof debts>;
export type DebtsResponse = ResponseOf<typeof debts>;

/**
 * Repays the debt of deferred sells in one stock through One Click, for the user bound to the key. Never
 * repeated.
 *
 * Takes stock from the wallet and burns it: the wallet must approve the router first, and stock on the exchange does
 * not count. `quantity` in shares. Too little stock is not refused: the transaction is mined
 * and reverts. Fails like `orderSend`.
 *
 * Source: venue specification, "Deferred sell"; body and wrapper of the answer are assumed.
 *
 * @example
 * const { txHash } = await client.repaySend({ body: { stockAddress, quantity: '1.5' } }, gate);
 */
export const repaySend = sendEndpoint('/api/v1/deferred-sell/repay/send', repayBody);

export type RepaySendRequest = RequestOf<typeof repaySend>;
export type RepaySendResponse = ResponseOf<typeof repaySend>;

/**
 * The transaction that repays the debt of deferred sells in one stock. Changes nothing by itself.
 *
 * Takes stock from the wallet and burns it: the wallet must approve the router first, and stock on the exchange does
 * not count. `quantity` in shares.
 *
 * Source: venue specification, "Deferred sell"; the body is assumed.
 *
 * @example
 * const { callData } = await client.repayCalldata({
 *   body: { userAddress: wallet, stockAddress, quantity: '1.5' },
 * });
 */
export const repayCalldata = calldataEndpoint(
  '/api/v1/deferred-sell/repay/calldata',
  repayBody.extend({ userAddress: wire.ownAddress }),
);

export type RepayCalldataRequest = RequestOf<typeof repayCalldata>;
export type RepayCalldataResponse = ResponseOf<typeof repayCalldata>;
