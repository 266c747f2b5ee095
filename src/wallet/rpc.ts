import { z } from 'zod';
import { epochMs, type EpochMs } from '../core/brand.ts';
import type { Clock } from '../core/clock.ts';
import {
  messageOf,
  NoAnswerError,
  OutcomeUnknownError,
  UnreachableError,
  VenueRefusedError,
  orElse,
} from '../core/errors.ts';
import { oneLine } from '../core/printable.ts';
import { parseBounded } from '../core/nesting.ts';
import { isRevert, revertData, type NodeError } from './revert.ts';
import type { Hex } from './routerAbi.ts';

/** A node of the chain, called with JSON-RPC 2.0. */
export interface Rpc {
  /**
   * Makes a read-only request, and retries it when there is no response, or the node refuses to answer.
   * @throws {VenueRefusedError} when the requested call reverts, with the node's message and, in `details`, its code and
   * the `data` written by the contract
   * @throws {NoAnswerError} without a usable response: silence, rate limit, overload, pruned state
   */
  ask<T>(method: string, params: readonly unknown[], shape: z.ZodType<T>): Promise<T>;
  /**
   * Performs a request once, on a separate connection, which nothing resends.
   * @throws {VenueRefusedError} with the node's own message, code and data, whatever they are
   * @throws {UnreachableError} when no connection could be made: nothing was sent
   * @throws {OutcomeUnknownError} for anything else that is not a response
   */
  askOnce<T>(method: string, params: readonly unknown[], shape: z.ZodType<T>): Promise<T>;
  /** Loads modules in advance, so that the first send need not wait for them. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** A request to the node. `fresh`: on a separate connection. */
export type PostRecord = Readonly<{ id: string; body: string; fresh: boolean }>;

/** Sends a request to the node, and returns the text of its response. */
export type RpcCarrier = Readonly<{
  post(question: PostRecord): Promise<string>;
  ready(): Promise<void>;
  close(): Promise<void>;
}>;

export type RpcOptions = Readonly<{
  /** Its path may be a key, so no message repeats it. */
  url: string;
  clock: Clock;
  carrier: RpcCarrier;
}>;

const TRIES_MAX = 3;
const BACK_OFF_MS = 250;
/** Maximum length of the node's text in an error. */
const WORDS_MAX = 500;

const answerShape = z.object({
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }).nullish(),
});

export function createRpc({ url, clock, carrier }: RpcOptions): Rpc {
  const { origin } = new URL(url);
  let asked = 0;

  async function call<T>({ method, params, shape }: Question<T>, fresh: boolean): Promise<T> {
    const id = `rpc-${++asked}`;
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
    return readAnswer(await carrier.post({ id, body, fresh }), id, shape);
  }

  return {
    async ask(method, params, shape) {
      for (let tried = 1; ; tried++) {
        try {
          return await call({ method, params, shape }, false);
        } catch (error) {
          if (error instanceof NodeRefusal && isRevert(error.answer)) throw refused(method, error.answer);
          if (tried === TRIES_MAX)
            throw new NoAnswerError(`${method} at ${origin}: ${reasonOf(error)}`, {}, { cause: error });
        }
        await clock.sleep(BACK_OFF_MS * 2 ** (tried - 1));
      }
    },
    async askOnce(method, params, shape) {
      try {
        return await call({ method, params, shape }, true);
      } catch (error) {
        if (error instanceof NodeRefusal) throw refused(method, error.answer);
        throw failed(method, origin, error);
      }
    },
    ready: () => carrier.ready(),
    close: () => carrier.close(),
  };
}

type Question<T> = Readonly<{ method: string; params: readonly unknown[]; shape: z.ZodType<T> }>;

/** Parses a response whatever its HTTP status, because nodes report errors with various ones; ignores one to another request. */
function readAnswer<T>(text: string, id: string, shape: z.ZodType<T>): T {
  const parsed = answerShape.safeParse(orElse(() => parseBounded(text), undefined));
  if (!parsed.success || parsed.data.id !== id) throw new Error('the answer is not that of a node');
  const { error, result } = parsed.data;
  if (error) {
    const message = oneLine(error.message, WORDS_MAX);
    throw new NodeRefusal({ code: error.code, message, data: revertData(error.data) });
  }
  const value = shape.safeParse(result);
  if (value.success) return value.data;
  throw new Error(`unexpected result: ${value.error.issues[0]?.message ?? ''}`);
}

/** The node responds with an error instead of a result. */
class NodeRefusal extends Error {
  readonly answer: NodeError;

  constructor(answer: NodeError) {
    super(`the node refuses to answer: ${answer.message} (code ${answer.code})`);
    this.name = 'NodeRefusal';
    this.answer = answer;
  }
}

const refused = (method: string, { message, code, data }: NodeError): VenueRefusedError =>
  new VenueRefusedError(message, { method, code, data });

function failed(method: string, origin: string, cause: unknown): UnreachableError | OutcomeUnknownError {
  const text = `${method} at ${origin}: ${reasonOf(cause)}`;
  return cause instanceof UnreachableError
    ? new UnreachableError(`nothing was sent: ${text}`, {}, { cause })
    : new OutcomeUnknownError(text, {}, { cause });
}

/** Reason why there is no response; for a connection that could not be made, only the reason. */
const reasonOf = (error: unknown): string =>
  messageOf(error instanceof UnreachableError ? (error.cause ?? error) : error);

/** A number in a node's notation: at most one word of the chain, because a message may repeat it. */
export const quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/, 'not a quantity')
  .transform((text) => BigInt(text));

export const bytes = z
  .string()
  .regex(/^0x[0-9a-fA-F]*$/, 'not bytes')
  .transform((text) => text as Hex);

/** The latest instant that a `Date` can represent, in seconds. */
const LATEST = 8_640_000_000_000n;

/** `timestamp`: seconds since 1970. */
export const block = z.object({
  number: quantity,
  timestamp: quantity.refine((seconds) => seconds <= LATEST, 'not a time'),
  baseFeePerGas: quantity.nullish(),
});
export type Block = z.output<typeof block>;

export const transaction = z.object({
  from: bytes,
  to: bytes.nullable(),
  input: bytes,
  value: quantity,
  gas: quantity,
  nonce: quantity,
});

export const receipt = z.object({ status: quantity, blockNumber: quantity });

export const toHex = (value: bigint): Hex => `0x${value.toString(16)}`;

export const timeOf = ({ timestamp }: Block): EpochMs => epochMs(Number(timestamp) * 1000);
