import { recordBody, recorded } from '../assumptions/venueRules.ts';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';

/**
 * Links a deposit of cash that the wallet has submitted itself to this key. Asking again with the same key
 * gives the same link; a hash that another key has recorded is refused.
 *
 * Source: venue specification, "Cash"; the answer is assumed.
 *
 * @example
 * const link = await client.cashDepositRecordTx({ body: { txHash } });
 */
export const cashDepositRecordTx = defineEndpoint({
  method: 'POST',
  path: '/api/v1/cash/deposits/tx',
  access: 'WRITABLE',
  repeat: 'always',
  lane: 'send',
  body: recordBody,
  response: recorded,
});

export type CashDepositRecordTxRequest = RequestOf<typeof cashDepositRecordTx>;
export type CashDepositRecordTxResponse = ResponseOf<typeof cashDepositRecordTx>;
