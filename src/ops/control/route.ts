import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Caller } from './request.ts';

/** Maximum number of rows in a response, and the default number. */
const ROWS_MAX = 500;
const ROWS = 100;

/** A request that passed its listener's checks. */
export type Call = Readonly<{
  caller: Caller;
  params: Readonly<Record<string, string>>;
  query: unknown;
  body: unknown;
}>;

/** `body`: a value sent as JSON, or a text of `type`. */
export type Reply = Readonly<{ status: 200 | 202 | 503; body: unknown; type?: string }>;

/** An endpoint of the API. Its method decides the role: GET needs `read`, any other `operate`. */
export type Route = Readonly<{
  method: 'GET' | 'POST' | 'DELETE';
  /** Path, with `:name` for parameters. */
  path: string;
  summary: string;
  query?: z.ZodType;
  body?: z.ZodType;
  /** Null for an endpoint that responds with text, of the type `media`. */
  answer: z.ZodType | null;
  media?: string;
  /** True for manual orders and transfers. */
  isMoney?: boolean;
  /** True for an endpoint that needs no role. */
  isOpen?: boolean;
  /** True for an endpoint that supervisors may poll freely, without a rate limit. */
  isHealth?: boolean;
  /** True if a 503 of this endpoint has its usual response shape. */
  mayBeUnwell?: boolean;
  /** Null if it writes the raw response itself. */
  handle: (call: Call, reply: FastifyReply) => Reply | null | Promise<Reply | null>;
}>;

/** An endpoint that responds only by returning a value. */
export type ValueRoute = Omit<Route, 'handle'> & Readonly<{ handle: (call: Call) => Reply | Promise<Reply> }>;

/** Pattern of an endpoint's URLs; its groups are the parameters. */
export const patternOf = ({ path }: Pick<Route, 'path'>): RegExp =>
  new RegExp(`^${path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);

/** A read endpoint without its handler. */
export type ReadRoute = Pick<Route, 'path' | 'summary' | 'query'> & Readonly<{ answer: z.ZodType }>;

export const ok = (body: unknown): Reply => ({ status: 200, body });

/** Any text in a query. */
export const text = z.string();

/** Whole number in a query, within bounds. */
export const numberIn = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,16}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(least).max(most));

export const count = numberIn(1, ROWS_MAX).default(ROWS).describe('maximum number of rows');
