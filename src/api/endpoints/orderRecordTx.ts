import { recordBody, recorded } from '../assumptions/venueRules.ts';
import { defineEndpoint } from '../endpoint.ts';

/**
 * Links an order transaction that the wallet has submitted itself to this key. Asking again with the same
 * key gives the same link; a hash that another key has recorded is refused.
 *
 * Source: venue specification, "Orders"; the answer is adopted.
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
