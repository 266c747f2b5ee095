import { sent, stockMoveBody } from '../assumptions/venueRules.ts';
import { defineEndpoint } from '../endpoint.ts';
import { wire } from '../wire.ts';

/**
 * Moves a stock token from the exchange to the wallet, for the user bound to the key, through One Click.
 * Never repeated.
 *
 * `tokenAmount` in shares. Needs so much `exchangeBalance` that no open order locks; without it the transaction is
 * mined and reverts. Fails like `orderSend`.
 *
 * Source: venue specification, "Stock"; body and wrapper of the answer are adopted.
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
