import { z } from 'zod';
import { calldata } from '../transactions.ts';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { wire } from '../wire.ts';

/**
 * The transaction that moves cash tokens from the wallet into the cashier. Changes nothing by itself.
 *
 * `tokenAmount` in whole units of the token. Comes even when the wallet has not approved the spender for it:
 * the transaction then reverts. `walletAllowance` of `balance`, asked with the spender, shows it.
 *
 * Source: venue specification, "Cash".
 *
 * @example
 * const { callData } = await client.cashDepositCalldata({
 *   body: { userAddress: wallet, tokenAddress, tokenAmount: '250.5' },
 * });
 */
export const cashDepositCalldata = defineEndpoint({
  method: 'POST',
  path: '/api/v1/cash/deposits/calldata',
  access: 'WRITABLE',
  repeat: 'always',
  lane: 'send',
  body: z.strictObject({
    userAddress: wire.ownAddress,
    tokenAddress: wire.ownAddress,
    tokenAmount: wire.amount,
  }),
  response: calldata,
});

export type CashDepositCalldataRequest = RequestOf<typeof cashDepositCalldata>;
export type CashDepositCalldataResponse = ResponseOf<typeof cashDepositCalldata>;
