import { z } from 'zod';
import { delegationChanged } from '../assumptions/venueRules.ts';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { wire } from '../wire.ts';

/**
 * Turns delegation on: from then on the `/send` endpoints act for the user. Never repeated.
 *
 * `deadline` equals the one given to prepare; a signature of another wallet or an expired deadline is refused.
 *
 * Source: venue specification, "One Click"; the answer is assumed.
 *
 * @example
 * await client.oneClickEnable({ body: { signature, deadline } }, gate);
 */
export const oneClickEnable = defineEndpoint({
  method: 'POST',
  path: '/api/v1/1ct/enable',
  access: 'WRITABLE',
  repeat: 'never',
  lane: 'send',
  body: z.strictObject({ signature: wire.signature, deadline: wire.deadline }),
  response: delegationChanged,
});

export type OneClickEnableRequest = RequestOf<typeof oneClickEnable>;
export type OneClickEnableResponse = ResponseOf<typeof oneClickEnable>;
