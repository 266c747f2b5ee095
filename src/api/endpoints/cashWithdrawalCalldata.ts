import { z } from 'zod';
import { calldata } from '../transactions.ts';
import { defineEndpoint } from '../endpoint.ts';
import { wire } from '../wire.ts';

/**
 * The transaction that takes cash out of the cashier, to the wallet. Changes nothing by itself.
 *
 * `creditAmount` in mUSD. Fees and limits are told by `config`.
 *
 * Source: venue specification, "Cash".
 */
export const cashWithdrawalCalldata = defineEndpoint({
  method: 'POST',
  path: '/api/v1/cash/withdrawals/calldata',
  access: 'WRITABLE',
  repeat: 'always',
  lane: 'send',
  body: z.strictObject({
    userAddress: wire.ownAddress,
    tokenAddress: wire.ownAddress,
    creditAmount: wire.amount,
  }),
  response: calldata,
});
