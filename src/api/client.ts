import * as endpoints from './endpoints/index.ts';
import { z } from 'zod';
import { type Cancel, type Clock, systemClock } from '../core/clock.ts';
import { ConfigError, NotSentError } from '../core/errors.ts';
import { type Log, silentLog } from '../core/log.ts';
import { type Random, systemRandom } from '../core/random.ts';
import { Secrets } from '../core/secrets.ts';
import { ALLOWED_GROUPS, isAllowedGroup, type AllowedGroup, type DeniedCall } from './allowList.ts';
import { type Assumptions, ASSUMED } from './assumptions/assumptions.ts';
import {
  type Access,
  type Endpoint,
  type Method,
  type Route,
  labelOf,
  type RequestOf,
  type ResponseOf,
  type RequestParts,
} from './endpoint.ts';
import type { Transport } from './transport.ts';
import { excessOf } from '../core/nesting.ts';
import type { TransferGate } from '../domain/transfers/transfer.ts';
import type { SendGate } from '../domain/venue.ts';
import { dialectOf } from './assumptions/dialect.ts';
import { parseBaseUrl, createUndiciTransport } from './undiciTransport.ts';
import { Budget, type BudgetUse } from './budget.ts';
import { Requester, type Exchange, type Gate } from './requester.ts';
import type { Envelope } from './envelope.ts';
import { failureOf, noAnswer, withoutSignature } from './failures.ts';
import { ClockOffset } from './offset.ts';
import { prepareRaw, type RawParts } from './bodies.ts';
import { memoise } from './responseCache.ts';
import { createSigner, SigningGate } from './signing.ts';

export type VenueClientOptions = Readonly<{
  /** Base URL without `/api/v1`; it may have a context path. https, or http on loopback. */
  baseUrl: string;
  chainId: number;
  /** Case-sensitive, as the venue spells it. */
  product: string;
  apiKey: string;
  secret: string;
  /** Permission of the key. With `READ_ONLY`, a write fails before it is queued. Default `WRITABLE`. */
  access?: Access;
  /**
   * Groups that may be signed besides reads, orders and cancels. Default none: a call of any other group fails with a
   * `SafetyError` before it is signed.
   */
  allow?: readonly AllowedGroup[];
  /** Called before a call denied by `allow` fails. */
  onDenied?: (call: DeniedCall) => void;
  /** Maximum number of requests in any minute; `Infinity` disables the budget. Default 600. */
  requestsPerMinute?: number;
  /** Names and words of the venue, if they differ from the default assumptions. */
  assumptions?: Assumptions;
  clock?: Clock;
  /** Source of nonces and of back-off jitter. */
  random?: Random;
  transport?: Transport;
  log?: Log;
  /** Registry that masks the key's secret wherever a venue response is quoted. */
  secrets?: Secrets;
}>;

/** Minimum budget per minute: a smaller one would leave the bucket empty. */
const REQUESTS_MIN = 10;
/** Characters allowed in a header. */
const HEADER = /^[\x21-\x7e]+$/;

/** @throws {ConfigError} for an invalid key, scope, budget or group */
function checkOptions({
  apiKey,
  product,
  secret,
  chainId,
  allow = [],
  requestsPerMinute = REQUESTS_MIN,
}: VenueClientOptions): void {
  if (!HEADER.test(apiKey) || !HEADER.test(product) || secret === '')
    throw new ConfigError('the API key, its secret and the product must be given, without spaces');
  if (!Number.isSafeInteger(chainId) || chainId < 1)
    throw new ConfigError('the chain id must be a whole number');
  if (!(requestsPerMinute >= REQUESTS_MIN))
    throw new ConfigError(`the request budget must be at least ${REQUESTS_MIN} a minute`);
  for (const group of allow)
    if (!isAllowedGroup(group))
      throw new ConfigError(`allow: must be one of ${ALLOWED_GROUPS.join(', ')}, got ${String(group)}`);
}

const isPath = (text: string): text is Endpoint['path'] => text.startsWith('/api/v1/');

const table = Object.values<Endpoint>(endpoints).map((endpoint) => ({
  endpoint,
  pattern: new RegExp(`^${endpoint.path.replace(/\{\w+\}/g, '[^/]+')}$`),
}));

/** Endpoint of a method and a path without query. */
export const matchEndpoint = (method: Method, path: string): Endpoint | undefined =>
  table.find(({ endpoint, pattern }) => endpoint.method === method && pattern.test(path))?.endpoint;

/** Route of a call with any path. Without a known endpoint a GET is a read, and anything else is never repeated. */
export function routeOf(method: Method, path: string): Route {
  const known = matchEndpoint(method, path);
  if (known) return known;
  if (!isPath(path)) throw new NotSentError(`${JSON.stringify(path)} does not start with /api/v1/`);
  return method === 'GET'
    ? { method, path, access: 'READ_ONLY', repeat: 'always', lane: 'data' }
    : { method, path, access: 'WRITABLE', repeat: 'never', lane: 'send' };
}

type Call<E extends Endpoint> =
  Partial<RequestOf<E>> extends RequestOf<E>
    ? (request?: RequestOf<E>) => Promise<ResponseOf<E>>
    : (request: RequestOf<E>) => Promise<ResponseOf<E>>;

type WithoutDeadline<Fields> = Omit<Fields, 'deadline'>;
/** The request without the deadline that its gate sets, and without a part that contains only the deadline. */
type WithoutGate<R> = {
  [Part in keyof R as keyof WithoutDeadline<R[Part]> extends never ? never : Part]: Part extends
    | 'query'
    | 'body'
    ? WithoutDeadline<R[Part]>
    : R[Part];
};

type GatedCall<E extends Endpoint> = E extends { deadlineIn: 'query' | 'body' }
  ? (request: WithoutGate<RequestOf<E>>, gate: SendGate) => Promise<ResponseOf<E>>
  : E extends { repeat: 'never' }
    ? (request: RequestOf<E>, gate: TransferGate) => Promise<ResponseOf<E>>
    : unknown;

type Endpoints = typeof endpoints;

/** One method per endpoint; those sent only once also take a gate, which sets the deadline if there is one. */
export type EndpointCalls = {
  readonly [Name in keyof Endpoints]: Call<Endpoints[Name]> & GatedCall<Endpoints[Name]>;
};

export type DryRun = Readonly<{ method: Method; url: string; headers: Record<string, string>; body: string }>;

/** Number of requests sent, counting each attempt, under names like `GET /api/v1/orders/{orderId}`. */
export type RequestCounts = Readonly<{ total: number; byEndpoint: Readonly<Record<string, number>> }>;

export interface VenueClient extends EndpointCalls {
  /** Sends one signed call with any path, and returns the envelope whatever its code. Throws if there is none. */
  call(method: Method, path: string, parts?: RawParts): Promise<Envelope>;
  /** Bytes that `call` would send, with secret values masked; unsigned if it would be denied. */
  dryRun(method: Method, path: string, parts?: RawParts): DryRun;
  /** Masks all secrets of this client in texts that quote the venue. */
  readonly redact: (text: string) => string;
  /** Venue time minus ours, from the latest response; null before the first. */
  readonly offsetMs: number | null;
  readonly requests: RequestCounts;
  /** Use of the request budget in the last minute. */
  readonly budget: BudgetUse;
  /** Calls `listener` with each request once it has a response or has failed, until cancelled. */
  watch(listener: (exchange: Exchange) => void): Cancel;
  /** Names and words of the venue assumed by this client. */
  readonly assumptions: Assumptions;
  /** Calls denied by `allow`. */
  readonly denied: number;
  /** Aborts requests in flight and closes the sockets. */
  close(): Promise<void>;
}

/**
 * Creates a client for the whole venue: one method per endpoint, typed from its schemas. Requests stay within the
 * budget and are signed at the last moment; reads are retried, calls that move money never.
 * @throws {ConfigError} for an invalid base URL, key, budget or group
 */
export function createVenueClient(options: VenueClientOptions): VenueClient {
  const { clock = systemClock, random = systemRandom, log = silentLog, secrets = new Secrets() } = options;
  const { access = 'WRITABLE', allow = [], requestsPerMinute = 600, baseUrl } = options;
  const { onDenied = () => undefined, assumptions = ASSUMED } = options;
  const { origin, prefix } = parseBaseUrl(baseUrl);
  checkOptions(options);
  for (const value of [options.secret, options.apiKey]) secrets.register(value);
  const transport = options.transport ?? createUndiciTransport({ baseUrl, clock });
  const budget = new Budget({ perMinute: requestsPerMinute, clock, random });
  const offset = new ClockOffset(log, assumptions.units.t);
  const sign = createSigner(options);
  const redact = (text: string) => withoutSignature(secrets.redact(text), (hash) => signing.hasMade(hash));
  const signing = new SigningGate({ sign, allowed: new Set(allow), clock, random, log, onDenied });
  const { chainId, product } = options;
  const dialect = assumptions === ASSUMED ? null : dialectOf(assumptions);
  const shared = { access, clock, random, log, redact, signing, budget, offset, transport };
  const caller = new Requester({ ...shared, scope: { chainId, product }, assumptions, dialect });
  return {
    ...endpointCalls(caller),
    async call(method, path, parts = {}) {
      const route = routeOf(method, path);
      const answer = await caller.answer(route, prepareRaw(method, path, parts));
      const { envelope, kind } = answer;
      if (!envelope || kind === 'limited' || kind === 'unusable')
        throw failureOf(answer, route, { redact, refusals: assumptions.refusals });
      const excess = excessOf(envelope.data);
      if (excess === null) return envelope;
      throw noAnswer(`${labelOf(route)}: the answer is ${excess}`, route.repeat);
    },
    dryRun(method, path, parts = {}) {
      const { uri, headers, body } = signing.show(prepareRaw(method, path, parts));
      const shown = Object.entries(headers).map(([name, value]): [string, string] => [name, redact(value)]);
      return { method, url: origin + prefix + uri, headers: Object.fromEntries(shown), body: redact(body) };
    },
    redact,
    assumptions,
    get offsetMs() {
      return offset.offsetMs;
    },
    get requests() {
      const byEndpoint = Object.fromEntries(caller.counts);
      return { total: Object.values(byEndpoint).reduce((sum, count) => sum + count, 0), byEndpoint };
    },
    get budget() {
      return budget.use;
    },
    watch: (listener) => caller.watch(listener),
    get denied() {
      return signing.denied;
    },
    close: async () => transport.close?.(),
  };
}

/** Methods of the endpoint table. Only here are their types, which derive from the table, asserted. */
const endpointCalls = (caller: Requester): EndpointCalls =>
  Object.fromEntries(
    Object.entries<Endpoint>(endpoints).map(([name, endpoint]) => [
      name,
      (asked: RequestParts = {}, gate?: Gate) => caller.run(compiled(endpoint), asked, gate),
    ]),
  ) as EndpointCalls;

/**
 * The endpoint with compiled schemas: compiled at its first call, because that takes milliseconds, and once for all
 * clients, because new code starts slowly.
 */
const compiled = memoise(({ params, query, body, response, ...rest }: Endpoint): Endpoint => ({
  ...rest,
  ...(params ? { params: z.compile(params) } : {}),
  ...(query ? { query: z.compile(query) } : {}),
  ...(body ? { body: z.compile(body) } : {}),
  response: z.compile(response),
}));
