import type { Method } from './endpoint.ts';
import { SafetyError } from '../core/errors.ts';

export type TransportRequest = Readonly<{
  method: Method;
  /** Signed path with its sorted query, starting with `/api/v1`. */
  uri: string;
  headers: Readonly<Record<string, string>>;
  /** Empty if there is none. */
  body: string;
  /** Nonce of the `x-api-nonce` header, which also names the hold of the clock. */
  nonce: string;
  /** True to use a separate connection, on which nothing is resent. */
  fresh: boolean;
  /** Total time until the last byte of the response. */
  limitMs: number;
  /** Size in bytes at which a response is cut off and unusable, counted as received: nothing is decompressed. */
  maxBytes: number;
  /** Receives a complete response after the limit, if it comes within `LATE_MS`. */
  late?: (response: RawResponse) => void;
}>;

/** Time in ms for which a late response is still accepted: by then a send's deadline has passed. */
export const LATE_MS = 100_000;

export type RawResponse = Readonly<{
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  body: string;
}>;

/**
 * Performs one request. Throws `UnreachableError` if provably no byte was sent, `OutcomeUnknownError` for anything else
 * without a complete response.
 */
export interface Transport {
  send(request: TransportRequest): Promise<RawResponse>;
  /** Loads modules in advance, so that the first send need not wait for them. */
  ready?(): Promise<void>;
  close?(): Promise<void>;
}

/**
 * Lets only reads through: any other request throws a `SafetyError` before it reaches the underlying transport, and so before a
 * byte is sent.
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
