import { stockMoveBody } from '../assumptions/venueRules.ts';
import { calldata } from '../transactions.ts';
import { defineEndpoint } from '../endpoint.ts';
import { wire } from '../wire.ts';

/**
 * The transaction that moves a stock token from the wallet onto the exchange. Changes nothing by itself.
 *
 * `tokenAmount` in shares. The wallet approves the router for the token first.
 *
 * Source: venue specification, "Stock".
 */
export const stockDepositCalldata = defineEndpoint({
  method: 'POST',
  path: '/api/v1/stock/deposits/calldata',
  access: 'WRITABLE',
  repeat: 'always',
  lane: 'send',
  body: stockMoveBody.extend({ userAddress: wire.ownAddress }),
  response: calldata,
});
