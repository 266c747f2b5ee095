import { calldata } from '../transactions.ts';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { checkDepositOrder, depositOrderBody } from './orderWithDepositSend.ts';

/**
 * The transaction that deposits from the wallet and places an order with it. Changes nothing by itself.
 *
 * Units: `tokenAmount` in whole units of what is deposited, the rest as in `orderSend`. A buy needs the
 * wallet's allowance of its cash token and an amount small enough for an instant deposit; a sell, allowance and
 * balance of the stock.
 *
 * Source: venue specification, "Orders", rule 4; the body is assumed.
 *
 * @example
 * const { callData } = await client.orderWithDepositCalldata({
 *   body: { stockAddress, side: 'Buy', type: 'Market', notional: '50', tokenAddress, tokenAmount: '51', deadline },
 * });
 */
export const orderWithDepositCalldata = defineEndpoint({
  method: 'POST',
  path: '/api/v1/orders/with-deposit/calldata',
  access: 'WRITABLE',
  repeat: 'always',
  lane: 'send',
  body: depositOrderBody.superRefine(checkDepositOrder),
  response: calldata,
});

export type OrderWithDepositCalldataRequest = RequestOf<typeof orderWithDepositCalldata>;
export type OrderWithDepositCalldataResponse = ResponseOf<typeof orderWithDepositCalldata>;
