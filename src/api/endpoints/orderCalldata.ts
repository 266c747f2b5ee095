import { calldata } from '../transactions.ts';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { checkOrder, orderBody } from './orderSend.ts';

/**
 * The transaction that places an order, for the wallet to sign and submit; `orderRecordTx` then links it to
 * the key. Changes nothing by itself.
 *
 * Units as in `orderSend`. Fails with `NotSentError` before anything is sent, and with `VenueRefusedError`
 * for what the venue refuses: a market order outside the regular session, a deferred sell that is not
 * allowed, an expired deadline.
 *
 * Source: venue specification, "Order body".
 *
 * @example
 * const { toAddress, callData } = await client.orderCalldata({
 *   body: { stockAddress, side: 'Sell', type: 'Market', quantity: '1.5', deadline },
 * });
 */
export const orderCalldata = defineEndpoint({
  method: 'POST',
  path: '/api/v1/orders/calldata',
  access: 'WRITABLE',
  repeat: 'always',
  lane: 'send',
  body: orderBody.superRefine(checkOrder),
  response: calldata,
});

export type OrderCalldataRequest = RequestOf<typeof orderCalldata>;
export type OrderCalldataResponse = ResponseOf<typeof orderCalldata>;
