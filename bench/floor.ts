import { z } from 'zod';
import { readAnswer } from '../src/api/envelope.ts';
import { matchEndpoint } from '../src/api/client.ts';
import { createSigner, signRequest } from '../src/api/signing.ts';
import { CHAIN_ID, PRODUCT } from '../src/emulator/state/constants.ts';
import type { Machine } from '../src/emulator/machine/machine.ts';
import type { ApiKey, Arrival } from '../src/emulator/state/state.ts';

/** A request to the venue with its response. */
export type Exchange = Readonly<{ request: Arrival['request']; status: number; body: string }>;

/** Records requests to a venue from now on, with their responses. */
export function recorded(machine: Machine): readonly Exchange[] {
  const exchanges: Exchange[] = [];
  const handle = machine.handle.bind(machine);
  machine.handle = (arrival, now) => {
    const outcome = handle(arrival, now);
    const { reply } = outcome;
    if (reply) exchanges.push({ request: arrival.request, status: reply.status, body: reply.body });
    return outcome;
  };
  return exchanges;
}

type Reader = (data: unknown) => void;

/** Compiled response schemas by method and path. */
function readers(): (request: Exchange['request']) => Reader {
  const known = new Map<string, Reader>();
  return ({ method, uri }) => {
    const path = uri.split('?', 1)[0] ?? '';
    const label = `${method} ${path}`;
    const reader = known.get(label) ?? readerOf(method as 'GET', path);
    known.set(label, reader);
    return reader;
  };
}

function readerOf(method: 'GET' | 'POST' | 'DELETE', path: string): Reader {
  const endpoint = matchEndpoint(method, path);
  const schema = endpoint && z.compile(endpoint.response);
  return (data) => void schema?.safeParse(data);
}

/**
 * Measures the bare cost of a day's requests, in microseconds of processor time: signing, verifying the signature,
 * parsing the response and checking its schema, without venue, engine, journal or clock.
 */
export function floorOf(exchanges: readonly Exchange[], { apiKey, secret }: ApiKey): number {
  const sign = createSigner({ apiKey, secret, chainId: CHAIN_ID, product: PRODUCT });
  const readerFor = readers();
  const from = process.cpuUsage();
  for (const { request, status, body } of exchanges) {
    const { method, uri, headers } = request;
    const [timestamp, nonce] = [headers['x-api-ts'] ?? '', headers['x-api-nonce'] ?? ''];
    const signed = { method, uri, timestamp, nonce, body: request.body };
    if (sign(signed)['x-api-sign'] !== signRequest({ ...signed, secret }))
      throw new Error(`two signatures of ${method} ${uri}`);
    readerFor(request)(readAnswer({ status, headers: {}, body }).envelope?.data);
  }
  const { user, system } = process.cpuUsage(from);
  return user + system;
}
