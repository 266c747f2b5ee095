import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';

/**
 * Whether delegation is in force, and the proxy wallet that would act.
 *
 * Source: venue specification, "One Click".
 */
export const oneClickStatus = defineEndpoint({
  method: 'GET',
  path: '/api/v1/1ct/status',
  access: 'READ_ONLY',
  repeat: 'always',
  lane: 'reconcile',
  response: z.object({ status: z.string(), delegatee: z.string().nullish() }),
});
