import { cashWithdrawalBody, sent } from '../assumptions/venueRules.ts';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';

/**
 * Takes cash out of the cashier, to the wallet of the user bound to the key, through One Click. Never
 * repeated.
 *
 * `creditAmount` in mUSD, paid out in the cash token after fees. mUSD is deducted at once; the tokens may
 * come only when a queued withdrawal settles. Fails like `orderSend`.
 *
 * Source: venue specification, "Cash"; body and wrapper of the answer are assumed.
 *
 * @example
 * const { txHash } = await client.cashWithdrawalSend({ body: { tokenAddress, creditAmount: '250.5' } }, gate);
 */
export const cashWithdrawalSend = defineEndpoint({
  method: 'POST',
  path: '/api/v1/cash/withdrawals/send',
  access: 'WRITABLE',
  repeat: 'never',
  lane: 'send',
  body: cashWithdrawalBody,
  response: sent,
});

export type CashWithdrawalSendRequest = RequestOf<typeof cashWithdrawalSend>;
export type CashWithdrawalSendResponse = ResponseOf<typeof cashWithdrawalSend>;
