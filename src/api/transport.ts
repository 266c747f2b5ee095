import type { Method } from './endpoint.ts';

export type TransportRequest = Readonly<{
  method: Method;
  /** Signed path with its sorted query, from `/api/v1` on. */
  uri: string;
  headers: Readonly<Record<string, string>>;
  /** Empty for none. */
  body: string;
  /** That of the `x-api-nonce` header; names the hold on the clock. */
  nonce: string;
  /** Whether it travels on a connection of its own, which nothing replays. */
  fresh: boolean;
  /** Total time from here to the last byte of the answer. */
  limitMs: number;
  /** Bytes after which an answer is cut off and no answer. They are counted as they come: nothing is unpacked. */
  maxBytes: number;
  /** Takes a whole answer that comes after the limit, if it does within `LATE_MS`. */
  late?: (response: RawResponse) => void;
}>;

/** How long a request that has been given up is still listened to: by then a send's deadline has passed. */
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
