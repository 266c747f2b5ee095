import { ALLOWED_GROUPS } from '../../src/api/allowList.ts';
import type { Assumptions } from '../../src/api/assumptions/assumptions.ts';
import { createVenueClient, type VenueClient } from '../../src/api/client.ts';
import { signRequest } from '../../src/api/signing.ts';
import type { RawResponse, Transport, TransportRequest } from '../../src/api/transport.ts';
import { createUndiciTransport } from '../../src/api/undiciTransport.ts';
import { epochMs } from '../../src/core/brand.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import type { Stage } from './stage.ts';

export type Tree = Record<string, unknown>;
export const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A request that can be rewritten: its query and body are objects. */
export type Wire = { method: string; path: string; query: Record<string, string>; body: Tree };
export type Envelope = Tree & { code: number; errMsg: string; data: unknown };

/** Differences of a venue from the emulator. Both functions change their arguments. */
export type Difference = Readonly<{
  /** From the names of that venue to the emulator's. */
  request?: (wire: Wire) => void;
  /** From the emulator's names to those of that venue. */
  answer?: (envelope: Envelope, wire: Wire) => void;
}>;

/**
 * The emulator as a venue that differs: rewrites requests before it and responses after it. Rewritten requests are signed
 * again, so that the emulator checks their signature as usual.
 */
const otherVenue = (inner: Transport, secret: string, difference: Difference): Transport => ({
  async send(request) {
    const wire = wireOf(request);
    difference.request?.(wire);
    const reply = await inner.send(signedAnew(request, wire, secret));
    return rewritten(reply, (envelope) => difference.answer?.(envelope, wire));
  },
  close: () => inner.close?.() ?? Promise.resolve(),
});

/** A client of the stage's emulator that is made to differ, with its assumptions about that venue. */
export function clientOfOther(stage: Stage, difference: Difference, assumptions?: Assumptions): VenueClient {
  const { baseUrl, chainId, product } = stage.info;
  const clock = new VirtualClock({ start: epochMs(stage.now()) });
  const key = stage.key(1);
  const transport = otherVenue(createUndiciTransport({ baseUrl, clock }), key.secret, difference);
  return createVenueClient({
    baseUrl,
    chainId,
    product,
    ...key,
    clock,
    transport,
    requestsPerMinute: Infinity,
    allow: ALLOWED_GROUPS,
    ...(assumptions ? { assumptions } : {}),
  });
}

function wireOf({ method, uri, body }: TransportRequest): Wire {
  const [path = '', query = ''] = uri.split('?');
  const parsed: unknown = body === '' ? {} : JSON.parse(body);
  return { method, path, query: Object.fromEntries(new URLSearchParams(query)), body: parsed as Tree };
}

function signedAnew(
  request: TransportRequest,
  { path, query, body }: Wire,
  secret: string,
): TransportRequest {
  const pairs = Object.entries(query).sort(([a], [b]) => (a < b ? -1 : 1));
  const uri = pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs).toString()}`;
  const text = request.body === '' ? '' : JSON.stringify(body);
  const { headers, method, nonce } = request;
  const timestamp = headers['x-api-ts'] ?? '';
  const signature = signRequest({ method, uri, timestamp, nonce, body: text, secret });
  return { ...request, uri, body: text, headers: { ...headers, 'x-api-sign': signature } };
}

function rewritten(reply: RawResponse, change: (envelope: Envelope) => void): RawResponse {
  const envelope = JSON.parse(reply.body) as Envelope;
  change(envelope);
  return { ...reply, body: JSON.stringify(envelope) };
}

/** Renames the keys of one object in place, in their order. */
export function rename(object: unknown, names: Readonly<Record<string, string>>): void {
  if (!isTree(object)) return;
  for (const [from, to] of Object.entries(names)) {
    if (!(from in object)) continue;
    object[to] = object[from];
    Reflect.deleteProperty(object, from);
  }
}

const listOf = (data: unknown): unknown[] =>
  Array.isArray(data) ? data : isTree(data) && Array.isArray(data['rows']) ? data['rows'] : [data];

/** The objects of a kind in the `data` of a response, by their place in the emulator's. */
export const found = {
  rows: (data: unknown): Tree[] => listOf(data).filter(isTree),
  /** The link: in its own field, or the row itself. */
  links: (data: unknown): Tree[] =>
    found.rows(data).map((row) => (isTree(row['mapping']) ? row['mapping'] : row)),
  under: (data: unknown, field: string): Tree[] =>
    found
      .rows(data)
      .map((row) => row[field])
      .filter(isTree),
};
