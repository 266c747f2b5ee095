import { delegationChanged } from '../assumptions/venueRules.ts';
import { defineEndpoint } from '../endpoint.ts';

/**
 * Turns delegation off: every later `/send` fails. Has no body.
 *
 * Source: venue specification, "One Click"; the answer is adopted.
 */
export const oneClickDisable = defineEndpoint({
  method: 'POST',
  path: '/api/v1/1ct/disable',
  access: 'WRITABLE',
  repeat: 'never',
  lane: 'send',
  response: delegationChanged,
});
