import { z } from 'zod';
import { calldata } from '../transactions.ts';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { wire } from '../wire.ts';

/**
 * The transaction that takes cash out of the cashier, to the wallet. Changes nothing by itself.
 *
 * `creditAmount` in mUSD. `config` has fees and limits.
 *
 * Source: venue specification, "Cash".
 *
 * @example
 * const { callData } = await client.cashWithdrawalCalldata({
 *   body: { userAddress: wallet, tokenAddress, creditAmount: '250.5' },
 * });
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

export type CashWithdrawalCalldataRequest = RequestOf<typeof cashWithdrawalCalldata>;
export type CashWithdrawalCalldataResponse = ResponseOf<typeof cashWithdrawalCalldata>;
