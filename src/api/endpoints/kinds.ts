import type { z } from 'zod';
import { recordBody, recorded, sent } from '../assumptions/venueRules.ts';
import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import { calldata } from '../views.ts';
import { operationPath, pageOf, pageQuery } from '../wire.ts';

type Path = Endpoint['path'];
type Body = NonNullable<Endpoint['body']>;

/** Has the venue submit a transaction through One Click: it may be mined whatever becomes of the response. */
export const sendEndpoint = <const P extends Path, B extends Body>(path: P, body: B) =>
  defineEndpoint({
    method: 'POST',
    path,
    access: 'WRITABLE',
    repeat: 'never',
    lane: 'send',
    body,
    response: sent,
  });

/** Returns a transaction for the wallet to sign and submit. */
export const calldataEndpoint = <const P extends Path, B extends Body>(path: P, body: B) =>
  defineEndpoint({
    method: 'POST',
    path,
    access: 'WRITABLE',
    repeat: 'always',
    lane: 'send',
    body,
    response: calldata,
  });

/** Links a transaction that the wallet has submitted itself to the key. */
export const recordTxEndpoint = <const P extends Path>(path: P) =>
  defineEndpoint({
    method: 'POST',
    path,
    access: 'WRITABLE',
    repeat: 'always',
    lane: 'send',
    body: recordBody,
    response: recorded,
  });

/** Lists transfers of the key, by pages. */
export const transfersEndpoint = <const P extends Path, V extends z.ZodType>(path: P, view: V) =>
  defineEndpoint({
    method: 'GET',
    path,
    access: 'READ_ONLY',
    repeat: 'always',
    lane: 'reconcile',
    query: pageQuery,
    response: pageOf(view),
  });

/** Shows one transfer by the indexer's id. */
export const transferEndpoint = <const P extends Path, V extends z.ZodType>(path: P, view: V) =>
  defineEndpoint({
    method: 'GET',
    path,
    access: 'READ_ONLY',
    repeat: 'always',
    lane: 'reconcile',
    params: operationPath,
    response: view,
  });
