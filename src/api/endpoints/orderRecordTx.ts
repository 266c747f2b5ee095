import { recordBody, recorded } from '../assumptions/venueRules.ts';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';

/**
 * Links an order transaction that the wallet has submitted itself to this key. Asking again with the same
 * key gives the same link; a hash that another key has recorded is refused.
 *
 * Source: venue specification, "Orders"; the answer is assumed.
 *
 * @example
 * const link = await client.orderRecordTx({ body: { txHash } });
 */
export const orderRecordTx = defineEndpoint({
  method: 'POST',
  path: '/api/v1/orders/tx',
  access: 'WRITABLE',
  repeat: 'always',
  lane: 'send',
  body: recordBody,
  response: recorded,
});

export type OrderRecordTxRequest = RequestOf<typeof orderRecordTx>;
export type OrderRecordTxResponse = ResponseOf<typeof orderRecordTx>;
