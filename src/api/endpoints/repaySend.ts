import { repayBody, sent } from '../assumptions/venueRules.ts';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { wire } from '../wire.ts';

/**
 * Repays the debt of deferred sells in one stock through One Click, for the user bound to the key. Never
 * repeated.
 *
 * Takes stock from the wallet and burns it: the wallet approves the router first, and stock on the exchange does
 * not count. `quantity` in shares. Too little stock is not refused: the transaction is mined
 * and reverts. Fails like `orderSend`.
 *
 * Source: venue specification, "Deferred sell"; body and wrapper of the answer are assumed.
 *
 * @example
 * const { txHash } = await client.repaySend({ body: { stockAddress, quantity: '1.5' } }, gate);
 */
export const repaySend = defineEndpoint({
  method: 'POST',
  path: '/api/v1/deferred-sell/repay/send',
  access: 'WRITABLE',
  repeat: 'never',
  lane: 'send',
  body: repayBody.extend({ gasLimit: wire.gasLimit.optional() }),
  response: sent,
});

export type RepaySendRequest = RequestOf<typeof repaySend>;
export type RepaySendResponse = ResponseOf<typeof repaySend>;
