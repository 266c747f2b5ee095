import type { z } from 'zod';

export type Method = 'GET' | 'POST' | 'DELETE';
/** What a key must be allowed to do. A `READ_ONLY` key may use GET alone. */
export type Access = 'READ_ONLY' | 'WRITABLE';
/** Who goes first when requests queue, from the most urgent on. */
export type Lane = 'cancel' | 'send' | 'reconcile' | 'data';
/**
 * `always`: asking twice changes nothing more than asking once, so an unanswered request is signed anew and repeated.
 * `never`: the request moves money or rights; its bytes leave once, on a connection of their own.
 */
export type Repeat = 'always' | 'never';

/** Bytes that an answer may have, unless its endpoint says otherwise: a page of 100 orders has a tenth of it. */
export const ANSWER_BYTES_MAX = 2 ** 20;

/** An endpoint is data: the client signs, sends, times out, parses and maps the errors of all of them alike. */
export type Endpoint = Readonly<{
  method: Method;
  /** Parts that vary stand in braces: `/api/v1/prices/{symbol}`. */
  path: `/api/v1/${string}`;
  access: Access;
  repeat: Repeat;
  lane: Lane;
  /** Asked every few seconds: while the venue's text is the same, what was read of it is given again, frozen. */
  polled?: true;
  /** Largest answer that is read, in bytes: one that lists all stocks is large. Default `ANSWER_BYTES_MAX`. */
  maxBytes?: number;
  /** The parts in braces. Strict, like `query` and `body`: an unknown or mistyped field is never sent. */
  params?: z.ZodType<Readonly<Record<string, string>>>;
  query?: z.ZodType<Readonly<Record<string, string | number | undefined>>>;
  body?: z.ZodType<Readonly<Record<string, unknown>>>;
  /** Where the deadline stands that a gate sets between a free slot and the first byte. */
  deadlineIn?: 'query' | 'body';
  /** Of `data`. Fields it does not name are dropped. */
  response: z.ZodType;
}>;

/** How a request goes, whatever it says: known of any path, an endpoint's or not. */
export type Route = Pick<Endpoint, 'method' | 'path' | 'access' | 'repeat' | 'lane' | 'polled' | 'maxBytes'>;

/** What people and counters call it: `GET /api/v1/orders/{orderId}`. */
export const labelOf = ({ method, path }: Route): string => `${method} ${path}`;

/** Gives the endpoint back with its types at their narrowest. */
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
