import { sent, stockMoveBody } from '../assumptions/venueRules.ts';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { wire } from '../wire.ts';

/**
 * Moves a stock token from the exchange to the wallet, for the user bound to the key, through One Click.
 * Never repeated.
 *
 * `tokenAmount` in shares. `exchangeBalance` must cover it beyond what open orders lock; otherwise the
 * transaction is mined and reverts. Fails like `orderSend`.
 *
 * Source: venue specification, "Stock"; body and wrapper of the answer are assumed.
 *
 * @example
 * const { txHash } = await client.stockWithdrawalSend({ body: { tokenAddress, tokenAmount: '1.5' } }, gate);
 */
export const stockWithdrawalSend = defineEndpoint({
  method: 'POST',
  path: '/api/v1/stock/withdrawals/send',
  access: 'WRITABLE',
  repeat: 'never',
  lane: 'send',
  body: stockMoveBody.extend({ gasLimit: wire.gasLimit.optional() }),
  response: sent,
});

export type StockWithdrawalSendRequest = RequestOf<typeof stockWithdrawalSend>;
export type StockWithdrawalSendResponse = ResponseOf<typeof stockWithdrawalSend>;
