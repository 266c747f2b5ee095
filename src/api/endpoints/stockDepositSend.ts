import { sent, stockMoveBody } from '../assumptions/venueRules.ts';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { wire } from '../wire.ts';

/**
 * Moves a stock token from the wallet onto the exchange, for the user bound to the key, through One Click.
 * Never repeated.
 *
 * `tokenAmount` in shares. Needs the wallet's approval of the router for the token; without it the transaction is
 * mined and reverts. Fails like `orderSend`.
 *
 * Source: venue specification, "Stock"; body and wrapper of the answer are assumed.
 *
 * @example
 * const { txHash } = await client.stockDepositSend({ body: { tokenAddress, tokenAmount: '1.5' } }, gate);
 */
export const stockDepositSend = defineEndpoint({
  method: 'POST',
  path: '/api/v1/stock/deposits/send',
  access: 'WRITABLE',
  repeat: 'never',
  lane: 'send',
  body: stockMoveBody.extend({ gasLimit: wire.gasLimit.optional() }),
  response: sent,
});

export type StockDepositSendRequest = RequestOf<typeof stockDepositSend>;
export type StockDepositSendResponse = ResponseOf<typeof stockDepositSend>;
