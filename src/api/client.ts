import { z } from 'zod';
import { systemClock, type Clock } from '../core/clock.ts';
import { ConfigError } from '../core/errors.ts';
import { silentLog, type Log } from '../core/log.ts';
import { systemRandom, type Random } from '../core/random.ts';
import { Secrets } from '../core/secrets.ts';
import type { SendGate } from '../domain/venue.ts';
import { parseBaseUrl } from './baseUrl.ts';
import { Budget } from './budget.ts';
import { Caller } from './caller.ts';
import type { Access, Endpoint, Method, RequestOf, ResponseOf } from './endpoint.ts';
import * as endpoints from './endpoints/index.ts';
import type { Envelope } from './envelope.ts';
import { failureOf } from './failures.ts';
import { routeOf } from './match.ts';
import { ClockOffset } from './offset.ts';
import { prepareRaw, type Asked, type RawParts } from './prepare.ts';
import { createSigner } from './sign.ts';
import type { Transport } from './transport.ts';
import { createUndiciTransport } from './undiciTransport.ts';

export type VenueClientOptions = Readonly<{
  /** Up to and without `/api/v1`; a context path may stand in it. https, or http on loopback. */
  baseUrl: string;
  chainId: number;
  /** Case-sensitive, as the venue spells it. */
  product: string;
  apiKey: string;
  secret: string;
  /** What the key may do. With `READ_ONLY` a write fails before it queues. Default `WRITABLE`. */
  access?: Access;
  /** Most requests in any minute; `Infinity` lifts the budget. Default 600. */
  requestsPerMinute?: number;
  clock?: Clock;
  /** Nonces and the jitter of back-offs. */
  random?: Random;
  transport?: Transport;
  log?: Log;
  /** Takes up the key's secret, and masks it wherever an answer of the venue is quoted. */
  secrets?: Secrets;
}>;

type Call<E extends Endpoint> =
  Partial<RequestOf<E>> extends RequestOf<E>
    ? (request?: RequestOf<E>) => Promise<ResponseOf<E>>
    : (request: RequestOf<E>) => Promise<ResponseOf<E>>;

type Undated<Fields> = Omit<Fields, 'deadline'>;
/** The request without the deadline that its gate will set, and without the part that carried nothing else. */
type Ungated<R> = {
  [Part in keyof R as keyof Undated<R[Part]> extends never ? never : Part]: Part extends 'query' | 'body'
    ? Undated<R[Part]>
    : R[Part];
};

type GatedCall<E extends Endpoint> = E extends { deadlineIn: 'query' | 'body' }
  ? (request: Ungated<RequestOf<E>>, gate: SendGate) => Promise<ResponseOf<E>>
  : unknown;

type Endpoints = typeof endpoints;

/** One method for each endpoint; those that carry a deadline also take a gate. */
export type EndpointCalls = {
  readonly [Name in keyof Endpoints]: Call<Endpoints[Name]> & GatedCall<Endpoints[Name]>;
};

export type DryRun = Readonly<{ method: Method; url: string; headers: Record<string, string>; body: string }>;

/** Requests sent, every try counted. Endpoints are named like `GET /api/v1/orders/{orderId}`. */
export type RequestCounts = Readonly<{ total: number; byEndpoint: Readonly<Record<string, number>> }>;

export interface VenueClient extends EndpointCalls {
  /** One signed call of any path; gives the envelope whatever its code. Throws when there is none. */
  call(method: Method, path: string, parts?: RawParts): Promise<Envelope>;
  /** What `call` would send, byte for byte, with secret values masked. */
  dryRun(method: Method, path: string, parts?: RawParts): DryRun;
  /** Venue time minus ours, by the latest answer; null before the first. */
  readonly offsetMs: number | null;
  readonly requests: RequestCounts;
  /** Gives up what is in flight and frees the sockets. */
  close(): Promise<void>;
}

/**
 * A client of the whole venue: one method for each endpoint, typed from the endpoint's schemas. Requests are kept within
 * the budget and signed at the last moment; reads are repeated, what moves money never.
 * @throws {ConfigError} for a base URL, key or budget that cannot be
 */
export function createVenueClient(options: VenueClientOptions): VenueClient {
  const { clock = systemClock, random = systemRandom, log = silentLog, secrets = new Secrets() } = options;
  const { access = 'WRITABLE', requestsPerMinute = 600, baseUrl } = options;
  const { origin, prefix } = parseBaseUrl(baseUrl);
  checkOptions(options);
  for (const value of [options.secret, options.apiKey]) secrets.register(value);
  const transport = options.transport ?? createUndiciTransport({ baseUrl, clock });
  const budget = new Budget({ perMinute: requestsPerMinute, clock, random });
  const offset = new ClockOffset(log);
  const redact = (text: string) => secrets.redact(text);
  const sign = createSigner(options);
  const caller = new Caller({ access, clock, random, log, redact, sign, budget, offset, transport });
  return {
    ...endpointCalls(caller),
    async call(method, path, parts = {}) {
      const route = routeOf(method, path);
      const answer = await caller.answer(route, prepareRaw(method, path, parts));
      if (answer.envelope && answer.kind !== 'limited' && answer.kind !== 'unusable') return answer.envelope;
      throw failureOf(answer, route, redact);
    },
    dryRun(method, path, parts = {}) {
      const { uri, headers, body } = caller.sign(prepareRaw(method, path, parts));
      const shown = Object.entries(headers).map(([name, value]): [string, string] => [name, redact(value)]);
      return { method, url: origin + prefix + uri, headers: Object.fromEntries(shown), body: redact(body) };
    },
    get offsetMs() {
      return offset.offsetMs;
    },
    get requests() {
      const byEndpoint = Object.fromEntries(caller.counts);
      return { total: Object.values(byEndpoint).reduce((sum, count) => sum + count, 0), byEndpoint };
    },
    close: async () => transport.close?.(),
  };
}

/** Below this the bucket would hold nothing. */
const REQUESTS_MIN = 10;
/** What can stand in a header. */
const HEADER = /^[\x21-\x7e]+$/;

function checkOptions({
  apiKey,
  product,
  secret,
  chainId,
  requestsPerMinute = REQUESTS_MIN,
}: VenueClientOptions): void {
  if (!HEADER.test(apiKey) || !HEADER.test(product) || secret === '')
    throw new ConfigError('the API key, its secret and the product must be given, without spaces');
  if (!Number.isSafeInteger(chainId) || chainId < 1)
    throw new ConfigError('the chain id must be a whole number');
  if (!(requestsPerMinute >= REQUESTS_MIN))
    throw new ConfigError(`the request budget must be at least ${REQUESTS_MIN} a minute`);
}

/** The table turned into methods: the one place where their types, which derive from the table, are asserted. */
const endpointCalls = (caller: Caller): EndpointCalls =>
  Object.fromEntries(
    Object.entries<Endpoint>(endpoints).map(([name, endpoint]) => {
      let compiled: Endpoint | undefined;
      return [
        name,
        (asked: Asked = {}, gate?: SendGate) => caller.run((compiled ??= compile(endpoint)), asked, gate),
      ];
    }),
  ) as EndpointCalls;

/** The endpoint with its large schemas turned into code: done at its first call, for it takes milliseconds. */
const compile = (endpoint: Endpoint): Endpoint => ({
  ...endpoint,
  ...(endpoint.body ? { body: z.compile(endpoint.body) } : {}),
  response: z.compile(endpoint.response),
});
