import { calldata } from '../transactions.ts';
import { defineEndpoint } from '../endpoint.ts';
import { checkDepositOrder, depositOrderBody } from './orderWithDepositSend.ts';

/**
 * The transaction that deposits from the wallet and places an order with it. Changes nothing by itself.
 *
 * Units: `tokenAmount` in whole units of what is deposited, the rest as in `orderSend`. A buy needs the
 * wallet's allowance of its cash token and an amount that the cashier takes at once; a sell, allowance and
 * balance of the stock.
 *
 * Source: venue specification, "Orders", rule 4; the body is adopted.
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
