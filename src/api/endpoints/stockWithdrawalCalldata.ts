import { stockMoveBody } from '../assumptions/venueRules.ts';
import { calldata } from '../transactions.ts';
import { defineEndpoint } from '../endpoint.ts';
import { wire } from '../wire.ts';

/**
 * The transaction that moves a stock token from the exchange to the wallet. Changes nothing by itself.
 *
 * `tokenAmount` in shares. Needs so much `exchangeBalance` that no open order locks.
 *
 * Source: venue specification, "Stock"; the body is adopted.
 */
export const stockWithdrawalCalldata = defineEndpoint({
  method: 'POST',
  path: '/api/v1/stock/withdrawals/calldata',
  access: 'WRITABLE',
  repeat: 'always',
  lane: 'send',
  body: stockMoveBody.extend({ userAddress: wire.ownAddress }),
  response: calldata,
});
