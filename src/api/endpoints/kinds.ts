import type { z } from 'zod';
import { recordBody, recorded, sent } from '../assumptions/venueRules.ts';
import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import { calldata } from '../views.ts';
import { operationPath, pageOf, pageQuery, wire } from '../wire.ts';

/** `READ` uses the lane `reconcile`; `DATA_READ` uses the lane `data`, which waits for all others. */
export const READ = { method: 'GET', access: 'READ_ONLY', repeat: 'always', lane: 'reconcile' } as const;
export const DATA_READ = { ...READ, lane: 'data' } as const;
/** A write that may be repeated: a repetition has no further effect. */
export const WRITE = { method: 'POST', access: 'WRITABLE', repeat: 'always', lane: 'send' } as const;
/** A write that moves money or rights. */
export const SEND = { ...WRITE, repeat: 'never' } as const;

type Path = Endpoint['path'];
type Body = NonNullable<Endpoint['body']>;

/** Endpoint where the venue submits a transaction by One Click: it may be mined whatever happens to the response. */
export const sendEndpoint = <const P extends Path, S extends z.core.$ZodLooseShape>(
  path: P,
  body: z.ZodObject<S, z.core.$strict>,
) =>
  defineEndpoint({
    ...SEND,
    path,
    body: body.extend({ gasLimit: wire.gasLimit.optional() }),
    response: sent,
  });

/** Endpoint that returns a transaction for the wallet to sign and submit. */
export const calldataEndpoint = <const P extends Path, B extends Body>(path: P, body: B) =>
  defineEndpoint({
    ...WRITE,
    path,
    body,
    response: calldata,
  });

/** Endpoint that links a transaction submitted by the wallet itself to the key. */
export const recordTxEndpoint = <const P extends Path>(path: P) =>
  defineEndpoint({
    ...WRITE,
    path,
    body: recordBody,
    response: recorded,
  });

/** Endpoint that lists transfers of the key, in pages. */
export const transfersEndpoint = <const P extends Path, V extends z.ZodType>(path: P, view: V) =>
  defineEndpoint({
    ...READ,
    path,
    query: pageQuery,
    response: pageOf(view),
  });

/** Endpoint that shows one transfer by the indexer's id. */
export const transferEndpoint = <const P extends Path, V extends z.ZodType>(path: P, view: V) =>
  defineEndpoint({
    ...READ,
    path,
    params: operationPath,
    response: view,
  });
