import { stockMoveBody } from '../assumptions/venueRules.ts';
import { calldata } from '../transactions.ts';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { wire } from '../wire.ts';

/**
 * The transaction that moves a stock token from the exchange to the wallet. Changes nothing by itself.
 *
 * `tokenAmount` in shares. `exchangeBalance` must cover it beyond what open orders lock.
 *
 * Source: venue specification, "Stock"; the body is assumed.
 *
 * @example
 * const { callData } = await client.stockWithdrawalCalldata({
 *   body: { userAddress: wallet, tokenAddress, tokenAmount: '1.5' },
 * });
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

export type StockWithdrawalCalldataRequest = RequestOf<typeof stockWithdrawalCalldata>;
export type StockWithdrawalCalldataResponse = ResponseOf<typeof stockWithdrawalCalldata>;
