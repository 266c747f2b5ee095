import { delegationChanged } from '../assumptions/venueRules.ts';
import { defineEndpoint, type ResponseOf } from '../endpoint.ts';

/**
 * Turns delegation off: every later `/send` fails. Takes no body. Never repeated.
 *
 * Source: venue specification, "One Click"; the answer is assumed.
 *
 * @example
 * await client.oneClickDisable({}, gate);
 */
export const oneClickDisable = defineEndpoint({
  method: 'POST',
  path: '/api/v1/1ct/disable',
  access: 'WRITABLE',
  repeat: 'never',
  lane: 'send',
  response: delegationChanged,
});

export type OneClickDisableResponse = ResponseOf<typeof oneClickDisable>;
