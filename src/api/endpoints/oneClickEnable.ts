import { z } from 'zod';
import { delegationChanged } from '../assumptions/venueRules.ts';
import { defineEndpoint } from '../endpoint.ts';
import { wire } from '../wire.ts';

/**
 * Turns delegation on: from here the `/send` endpoints act for the user.
 *
 * `deadline` equals the one given to prepare; a signature of another wallet or an expired deadline is refused.
 *
 * Source: venue specification, "One Click"; the answer is adopted.
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
