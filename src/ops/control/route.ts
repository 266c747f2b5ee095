import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Caller } from './request.ts';

/** Maximum number of rows of one answer, and their number if none is asked for. */
const ROWS_MAX = 500;
const ROWS = 100;

/** A request that has passed the checks of its listener. */
export type Call = Readonly<{
  caller: Caller;
  params: Readonly<Record<string, string>>;
  query: unknown;
  body: unknown;
}>;

/** `body`: a value sent as JSON, or a text of `type`. */
export type Reply = Readonly<{ status: 200 | 202 | 503; body: unknown; type?: string }>;

/** An endpoint of the API. Its method decides the role: GET needs `read`, every other one `operate`. */
export type Route = Readonly<{
  method: 'GET' | 'POST' | 'DELETE';
  /** With `:name` for parameters. */
  path: string;
  summary: string;
  query?: z.ZodType;
  body?: z.ZodType;
  /** Null for one that answers in text, of the type `media`. */
  answer: z.ZodType | null;
  media?: string;
  /** True for manual orders and transfers. */
  isMoney?: boolean;
  /** True for an endpoint that needs no role. */
  isOpen?: boolean;
  /** True for one that a supervisor asks as often as it likes: no rate counts it. */
  isHealth?: boolean;
  /** True for one whose 503 has the shape of its answer. */
  mayBeUnwell?: boolean;
  /** Null when it answers by the raw response. */
  handle: (call: Call, reply: FastifyReply) => Reply | null | Promise<Reply | null>;
}>;

/** An endpoint that answers by value alone. */
export type ValueRoute = Omit<Route, 'handle'> & Readonly<{ handle: (call: Call) => Reply | Promise<Reply> }>;

/** Addresses of an endpoint; their groups are its parameters. */
export const patternOf = ({ path }: Pick<Route, 'path'>): RegExp =>
  new RegExp(`^${path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);

/** A read endpoint without its handler. */
export type ReadRoute = Pick<Route, 'path' | 'summary' | 'query'> & Readonly<{ answer: z.ZodType }>;

export const ok = (body: unknown): Reply => ({ status: 200, body });

/** Any text of a query. */
export const text = z.string();

/** Whole number of a query within bounds. */
export const numberIn = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,16}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(least).max(most));

export const count = numberIn(1, ROWS_MAX).default(ROWS).describe('maximum number of rows');
