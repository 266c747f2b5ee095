import { z } from 'zod';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { wire } from '../wire.ts';

const fields = z.array(z.object({ name: z.string(), type: z.string() }));

const signPayload = z.object({
  domain: z.object({
    name: z.string(),
    version: z.string(),
    chainId: z.int(),
    verifyingContract: wire.address,
  }),
  types: z.object({ EIP712Domain: fields.optional(), Delegate: fields }),
  primaryType: z.literal('Delegate'),
  message: z.object({
    user: wire.address,
    delegatee: wire.address,
    /** Delegation nonce of the user, 0 or more. */
    nonce: z.int().min(0),
    /** Unix seconds, at most 4294967295. */
    deadline: wire.deadline,
  }),
});

/**
 * The typed data (EIP-712) that the user's wallet signs to allow delegation. Changes nothing by itself. Servers may
 * leave out `types.EIP712Domain`, which follows from the fields of `domain`.
 *
 * Source: venue specification, "One Click resources".
 *
 * @example
 * const { signPayload } = await client.oneClickPrepare({ body: { deadline } });
 */
export const oneClickPrepare = defineEndpoint({
  method: 'POST',
  path: '/api/v1/1ct/prepare',
  access: 'WRITABLE',
  repeat: 'always',
  lane: 'send',
  body: z.strictObject({ deadline: wire.deadline }),
  response: z.object({
    delegatee: wire.address,
    signPayload,
    nonce: z.int().min(0),
    deadline: wire.deadline,
  }),
});

export type OneClickPrepareRequest = RequestOf<typeof oneClickPrepare>;
export type OneClickPrepareResponse = ResponseOf<typeof oneClickPrepare>;
