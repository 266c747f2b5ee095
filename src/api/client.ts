import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Random } from '../core/random.ts';
import type { Secrets } from '../core/secrets.ts';
import type { SendGate } from '../domain/venue.ts';
import type { Access, Endpoint, Method, RequestOf, ResponseOf } from './endpoint.ts';
import type * as endpoints from './endpoints/index.ts';
import type { Envelope } from './envelope.ts';
import type { Transport } from './transport.ts';

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

export type RawParts = Readonly<{
  query?: Readonly<Record<string, string | number>>;
  /** Text is sent as it is, anything else as its JSON. */
  body?: string | object;
}>;

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
