import { z } from 'zod';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { userPath, wire } from '../wire.ts';

/**
 * The user behind an id, which is the wallet address.
 *
 * Source: venue specification, "User".
 *
 * @example
 * const { userAddress } = await client.user({ path: { userId: wallet } });
 */
export const user = defineEndpoint({
  method: 'GET',
  path: '/api/v1/users/{userId}',
  access: 'READ_ONLY',
  repeat: 'always',
  lane: 'data',
  params: userPath,
  response: z.object({ userId: z.string(), userAddress: wire.address }),
});

export type UserRequest = RequestOf<typeof user>;
export type UserResponse = ResponseOf<typeof user>;
