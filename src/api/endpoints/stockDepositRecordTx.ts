import { recordBody, recorded } from '../assumptions/venueRules.ts';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';

/**
 * Links a deposit of stock that the wallet has submitted itself to this key. Asking again with the same key
 * gives the same link; a hash that another key has recorded is refused.
 *
 * Source: venue specification, "Stock"; the answer is assumed.
 *
 * @example
 * const link = await client.stockDepositRecordTx({ body: { txHash } });
 */
export const stockDepositRecordTx = defineEndpoint({
  method: 'POST',
  path: '/api/v1/stock/deposits/tx',
  access: 'WRITABLE',
  repeat: 'always',
  lane: 'send',
  body: recordBody,
  response: recorded,
});

export type StockDepositRecordTxRequest = RequestOf<typeof stockDepositRecordTx>;
export type StockDepositRecordTxResponse = ResponseOf<typeof stockDepositRecordTx>;
