import { z } from 'zod';
import { defineEndpoint, type ResponseOf } from '../endpoint.ts';

/**
 * State of the delegation (One Click), and the proxy wallet that acts under it.
 *
 * Source: venue specification, "One Click".
 *
 * @example
 * const { status, delegatee } = await client.oneClickStatus();
 */
export const oneClickStatus = defineEndpoint({
  method: 'GET',
  path: '/api/v1/1ct/status',
  access: 'READ_ONLY',
  repeat: 'always',
  lane: 'reconcile',
  response: z.object({ status: z.string(), delegatee: z.string().nullish() }),
});

export type OneClickStatusResponse = ResponseOf<typeof oneClickStatus>;
