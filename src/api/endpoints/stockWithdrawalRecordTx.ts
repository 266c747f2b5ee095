import { recordBody, recorded } from '../assumptions/venueRules.ts';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';

/**
 * Links a withdrawal of stock that the wallet has submitted itself to this key. Asking again with the same
 * key gives the same link; a hash that another key has recorded is refused.
 *
 * Source: venue specification, "Stock"; the answer is assumed.
 *
 * @example
 * const link = await client.stockWithdrawalRecordTx({ body: { txHash } });
 */
export const stockWithdrawalRecordTx = defineEndpoint({
  method: 'POST',
  path: '/api/v1/stock/withdrawals/tx',
  access: 'WRITABLE',
  repeat: 'always',
  lane: 'send',
  body: recordBody,
  response: recorded,
});

export type StockWithdrawalRecordTxRequest = RequestOf<typeof stockWithdrawalRecordTx>;
export type StockWithdrawalRecordTxResponse = ResponseOf<typeof stockWithdrawalRecordTx>;
