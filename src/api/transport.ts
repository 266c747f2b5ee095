import type { Method } from './endpoint.ts';
import { SafetyError } from '../core/errors.ts';

export type TransportRequest = Readonly<{
  method: Method;
  /** Signed path with its sorted query, from `/api/v1` on. */
  uri: string;
  headers: Readonly<Record<string, string>>;
  /** Empty for none. */
  body: string;
  /** Nonce of the `x-api-nonce` header; names the hold on the clock. */
  nonce: string;
  /** True to use a connection of its own, on which nothing is replayed. */
  fresh: boolean;
  /** Total time from here to the last byte of the answer. */
  limitMs: number;
  /** Bytes after which an answer is cut off and no answer. They are counted as they come: nothing is unpacked. */
  maxBytes: number;
  /** Takes a whole answer that comes after the limit, if it does within `LATE_MS`. */
  late?: (response: RawResponse) => void;
}>;

/** Time for which a request that has been given up is still read, in ms: by then a send's deadline has passed. */
export const LATE_MS = 100_000;

export type RawResponse = Readonly<{
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  body: string;
}>;

/**
 * Carries one request and its answer. Throws `UnreachableError` when provably no byte has left, `OutcomeUnknownError`
 * for everything else that is not a whole answer.
 */
export interface Transport {
  send(request: TransportRequest): Promise<RawResponse>;
  /** Loads what a first send would otherwise wait for. */
  ready?(): Promise<void>;
  close?(): Promise<void>;
}

/**
 * Lets only reads through: any other request throws a `SafetyError` before it reaches the transport behind, and so before a byte
 * leaves.
 */
export function readOnly(transport: Transport): Transport {
  return {
    send(request) {
      const { method, uri } = request;
      if (method === 'GET') return transport.send(request);
      const path = uri.split('?', 1)[0] ?? '';
      return Promise.reject(
        new SafetyError(`${method} ${path} was not sent: this connection is for reads only`, {
          method,
          path,
        }),
      );
    },
    ready: async () => transport.ready?.(),
    close: async () => transport.close?.(),
  };
}
