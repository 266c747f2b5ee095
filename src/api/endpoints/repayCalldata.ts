import { repayBody } from '../assumptions/venueRules.ts';
import { calldata } from '../transactions.ts';
import { defineEndpoint } from '../endpoint.ts';
import { wire } from '../wire.ts';

/**
 * The transaction that repays the debt of deferred sells in one stock. Changes nothing by itself.
 *
 * Takes stock from the wallet and burns it: the wallet approves the router first, and what lies on the
 * exchange does not count. `quantity` in shares.
 *
 * Source: venue specification, "Deferred sell"; the body is adopted.
 */
export const repayCalldata = defineEndpoint({
  method: 'POST',
  path: '/api/v1/deferred-sell/repay/calldata',
  access: 'WRITABLE',
  repeat: 'always',
  lane: 'send',
  body: repayBody.extend({ userAddress: wire.ownAddress }),
  response: calldata,
});
