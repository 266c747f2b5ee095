import { repayBody } from '../assumptions/venueRules.ts';
import { calldata } from '../transactions.ts';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { wire } from '../wire.ts';

/**
 * The transaction that repays the debt of deferred sells in one stock. Changes nothing by itself.
 *
 * Takes stock from the wallet and burns it: the wallet approves the router first, and stock on the exchange does
 * not count. `quantity` in shares.
 *
 * Source: venue specification, "Deferred sell"; the body is assumed.
 *
 * @example
 * const { callData } = await client.repayCalldata({
 *   body: { userAddress: wallet, stockAddress, quantity: '1.5' },
 * });
 */
export const repayCalldata = defineEndpoint({
  method: 'POST',
  path: '/api/v1/deferred-sell/repay/calldata',
  access: 'WRITABLE',
  repeat: 'always',
  lane: 'send',
  body: repayBody.extend({ userAddress: wire.ownAddress }),
  response: calldata,
});

export type RepayCalldataRequest = RequestOf<typeof repayCalldata>;
export type RepayCalldataResponse = ResponseOf<typeof repayCalldata>;
