import { z } from 'zod';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { excessOf } from '../core/nesting.ts';
import { systemRandom } from '../core/random.ts';
import { Secrets } from '../core/secrets.ts';
import type { OperationGate } from '../domain/operation.ts';
import type { SendGate } from '../domain/venue.ts';
import { ASSUMED, type Assumptions } from './assumptions/assumptions.ts';
import { dialectOf } from './assumptions/dialect.ts';
import { parseBaseUrl } from './baseUrl.ts';
import { Budget } from './budget.ts';
import { Caller, type Gate } from './caller.ts';
import { checkOptions, type VenueClientOptions } from './clientOptions.ts';
import { labelOf, type Endpoint, type Method, type RequestOf, type ResponseOf } from './endpoint.ts';
import * as endpoints from './endpoints/index.ts';
import type { Envelope } from './envelope.ts';
import { failureOf, noAnswer, withoutSignature } from './failures.ts';
import { routeOf } from './match.ts';
import { ClockOffset } from './offset.ts';
import { prepareRaw, type Asked, type RawParts } from './prepare.ts';
import { onceEach } from './reread.ts';
import { createSigner } from './sign.ts';
import { SigningGate } from './signing.ts';
import { createUndiciTransport } from './undiciTransport.ts';

export type { VenueClientOptions } from './clientOptions.ts';

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
  : E extends { repeat: 'never' }
    ? (request: RequestOf<E>, gate: OperationGate) => Promise<ResponseOf<E>>
    : unknown;

type Endpoints = typeof endpoints;

/** One method for each endpoint; those that are sent once also take a gate, which sets the deadline where there is one. */
export type EndpointCalls = {
  readonly [Name in keyof Endpoints]: Call<Endpoints[Name]> & GatedCall<Endpoints[Name]>;
};

export type DryRun = Readonly<{ method: Method; url: string; headers: Record<string, string>; body: string }>;

/** Requests sent, every try counted. Endpoints are named like `GET /api/v1/orders/{orderId}`. */
export type RequestCounts = Readonly<{ total: number; byEndpoint: Readonly<Record<string, number>> }>;

export interface VenueClient extends EndpointCalls {
  /** One signed call of any path; gives the envelope whatever its code. Throws when there is none. */
  call(method: Method, path: string, parts?: RawParts): Promise<Envelope>;
  /** What `call` would send, byte for byte, with secret values masked. Unsigned when it would be denied. */
  dryRun(method: Method, path: string, parts?: RawParts): DryRun;
  /** Masks every secret that is known to this client: for what quotes the venue. */
  readonly redact: (text: string) => string;
  /** Venue time minus ours, by the latest answer; null before the first. */
  readonly offsetMs: number | null;
  readonly requests: RequestCounts;
  /** The venue's names and words, as this client takes them to be. */
  readonly assumptions: Assumptions;
  /** Calls that `allow` kept from being signed. */
  readonly denied: number;
  /** Gives up what is in flight and frees the sockets. */
  close(): Promise<void>;
}

/**
 * A client of the whole venue: one method for each endpoint, typed from the endpoint's schemas. Requests are kept within
 * the budget and signed at the last moment; reads are repeated, what moves money never.
 * @throws {ConfigError} for a base URL, key, budget or group that cannot be
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
  const caller = new Caller({ ...shared, scope: { chainId, product }, assumptions, dialect });
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
    get denied() {
      return signing.denied;
    },
    close: async () => transport.close?.(),
  };
}

/** The table turned into methods: the one place where their types, which derive from the table, are asserted. */
const endpointCalls = (caller: Caller): EndpointCalls =>
  Object.fromEntries(
    Object.entries<Endpoint>(endpoints).map(([name, endpoint]) => [
      name,
      (asked: Asked = {}, gate?: Gate) => caller.run(compiled(endpoint), asked, gate),
    ]),
  ) as EndpointCalls;

/**
 * The endpoint with its schemas turned into code: at its first call, because it takes milliseconds, and once for all clients,
 * because new code starts slow.
 */
const compiled = onceEach(({ params, query, body, response, ...rest }: Endpoint): Endpoint => ({
  ...rest,
  ...(params ? { params: z.compile(params) } : {}),
  ...(query ? { query: z.compile(query) } : {}),
  ...(body ? { body: z.compile(body) } : {}),
  response: z.compile(response),
}));
