import { z } from 'zod';
import { delegationChanged } from '../assumptions/venueRules.ts';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { READ, SEND, WRITE } from './kinds.ts';
import { wire } from '../wire.ts';

/**
 * State of the delegation (One Click), and the proxy wallet that acts under it.
 *
 * Source: venue specification, "One Click".
 *
 * @example
 * const { status, delegatee } = await client.oneClickStatus();
 */
export const oneClickStatus = defineEndpoint({
  ...READ,
  path: '/api/v1/1ct/status',
  response: z.object({ status: z.string(), delegatee: z.string().nullish() }),
});

export type OneClickStatusResponse = ResponseOf<typeof oneClickStatus>;

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
 * omit `types.EIP712Domain`, which follows from the fields of `domain`.
 *
 * Source: venue specification, "One Click resources".
 *
 * @example
 * const { signPayload } = await client.oneClickPrepare({ body: { deadline } });
 */
export const oneClickPrepare = defineEndpoint({
  ...WRITE,
  path: '/api/v1/1ct/prepare',
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

/**
 * Turns delegation on: from then on the `/send` endpoints act for the user. Never repeated.
 *
 * `deadline` must equal the one given to prepare; a signature of another wallet or an expired deadline is refused.
 *
 * Source: venue specification, "One Click"; the answer is assumed.
 *
 * @example
 * await client.oneClickEnable({ body: { signature, deadline } }, gate);
 */
export const oneClickEnable = defineEndpoint({
  ...SEND,
  path: '/api/v1/1ct/enable',
  body: z.strictObject({ signature: wire.signature, deadline: wire.deadline }),
  response: delegationChanged,
});

export type OneClickEnableRequest = RequestOf<typeof oneClickEnable>;
export type OneClickEnableResponse = ResponseOf<typeof oneClickEnable>;

/**
 * Turns delegation off: every later `/send` fails. Takes no body. Never repeated.
 *
 * Source: venue specification, "One Click"; the answer is assumed.
 *
 * @example
 * await client.oneClickDisable({}, gate);
 */
export const oneClickDisable = defineEndpoint({
  ...SEND,
  path: '/api/v1/1ct/disable',
  response: delegationChanged,
});

export type OneClickDisableResponse = ResponseOf<typeof oneClickDisable>;
