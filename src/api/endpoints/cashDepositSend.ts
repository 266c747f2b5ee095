import { z } from 'zod';
import { sent } from '../assumptions/venueRules.ts';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { wire } from '../wire.ts';

/**
 * Moves cash tokens from the wallet of the user bound to the key into the cashier, through One Click. Never
 * repeated.
 *
 * `tokenAmount` in whole units of the token. Needs the wallet's approval of the spender; without it the send
 * fails or its transaction reverts. A deposit that is not instant stays `processing` until it settles. Fails
 * like `orderSend`.
 *
 * Source: venue specification, "Cash"; the wrapper of the answer is assumed.
 *
 * @example
 * const { txHash } = await client.cashDepositSend({ body: { tokenAddress, tokenAmount: '250.5' } }, gate);
 */
export const cashDepositSend = defineEndpoint({
  method: 'POST',
  path: '/api/v1/cash/deposits/send',
  access: 'WRITABLE',
  repeat: 'never',
  lane: 'send',
  body: z.strictObject({
    tokenAddress: wire.ownAddress,
    tokenAmount: wire.amount,
    gasLimit: wire.gasLimit.optional(),
  }),
  response: sent,
});

export type CashDepositSendRequest = RequestOf<typeof cashDepositSend>;
export type CashDepositSendResponse = ResponseOf<typeof cashDepositSend>;
