import type { z } from 'zod';

export type Method = 'GET' | 'POST' | 'DELETE';
/** Permission that a key needs. A `READ_ONLY` key may use only GET. */
export type Access = 'READ_ONLY' | 'WRITABLE';
/** Priority of queued requests, most urgent first. */
export type Lane = 'cancel' | 'send' | 'reconcile' | 'data';
/**
 * `always`: repeating the request changes nothing more, so one without a response is signed again and retried.
 * `never`: the request moves money or rights; its bytes are sent once, on a separate connection.
 */
export type Repeat = 'always' | 'never';

/** Maximum response size in bytes, unless the endpoint states another: a page of 100 orders takes a tenth of it. */
export const ANSWER_BYTES_MAX = 2 ** 20;

/** An endpoint as data: the client handles all endpoints alike. */
export type Endpoint = Readonly<{
  method: Method;
  /** Path with parameters in braces, as in `/api/v1/prices/{symbol}`. */
  path: `/api/v1/${string}`;
  access: Access;
  repeat: Repeat;
  lane: Lane;
  /** Polled: while the response text is unchanged, the previously parsed value is returned (frozen). */
  polled?: true;
  /** Maximum response size in bytes; a list of all stocks is large. Default `ANSWER_BYTES_MAX`. */
  maxBytes?: number;
  /** Path parameters. Strict, like `query` and `body`: an unknown or mistyped field is never sent. */
  params?: z.ZodType<Readonly<Record<string, string>>>;
  query?: z.ZodType<Readonly<Record<string, string | number | undefined>>>;
  body?: z.ZodType<Readonly<Record<string, unknown>>>;
  /** Part of the request that contains the deadline, which a gate sets between a free slot and the first byte. */
  deadlineIn?: 'query' | 'body';
  /** Schema of `data`. Fields it does not name are dropped. */
  response: z.ZodType;
}>;

/** How a request is handled, independent of its contents: defined for any path, even without an endpoint. */
export type Route = Pick<Endpoint, 'method' | 'path' | 'access' | 'repeat' | 'lane' | 'polled' | 'maxBytes'>;

/** Name of an endpoint in logs and counters: `GET /api/v1/orders/{orderId}`. */
export const labelOf = ({ method, path }: Route): string => `${method} ${path}`;

/** Returns the endpoint with its narrowest types. */
export const defineEndpoint = <const E extends Endpoint>(endpoint: E): E => endpoint;

type Part<E, From extends string, To extends string> =
  E extends Readonly<Record<From, infer S extends z.ZodType>>
    ? Partial<z.input<S>> extends z.input<S>
      ? Readonly<Partial<Record<To, z.input<S>>>>
      : Readonly<Record<To, z.input<S>>>
    : unknown;

export type RequestOf<E extends Endpoint> = Part<E, 'params', 'path'> &
  Part<E, 'query', 'query'> &
  Part<E, 'body', 'body'>;

export type ResponseOf<E extends Endpoint> = z.output<E['response']>;

/** A request before signing: the parts that do not depend on the time. */
export type PreparedRequest = Readonly<{ method: Method; uri: string; body: string }>;

/** Parts of a request to an endpoint. */
export type RequestParts = Readonly<{ path?: object; query?: object; body?: object }>;
