import { stockMoveBody } from '../assumptions/venueRules.ts';
import { calldata } from '../transactions.ts';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { wire } from '../wire.ts';

/**
 * The transaction that moves a stock token from the wallet onto the exchange. Changes nothing by itself.
 *
 * `tokenAmount` in shares. The wallet approves the router for the token first.
 *
 * Source: venue specification, "Stock".
 *
 * @example
 * const { callData } = await client.stockDepositCalldata({
 *   body: { userAddress: wallet, tokenAddress, tokenAmount: '1.5' },
 * });
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

export type StockDepositCalldataRequest = RequestOf<typeof stockDepositCalldata>;
export type StockDepositCalldataResponse = ResponseOf<typeof stockDepositCalldata>;
