import { createHttpTransport } from '../api/undiciTransport.ts';
import type { Clock } from '../core/clock.ts';
import { createRpc, type Rpc } from '../wallet/rpc.ts';

const LIMIT_MS = 10_000;
/** Maximum size of a response: many times that of the largest block without its transactions. */
const ANSWER_MAX_BYTES = 4 * 2 ** 20;
const CONNECTIONS_MAX = 8;
const HEADERS = { 'content-type': 'application/json' };

/**
 * JSON-RPC over HTTP/1.1. The clock is held while bytes move, under the id of the request.
 * @param url checked: https, or http on loopback. Its path may be a key, so no message repeats it
 */
export function createNodeRpc({ url, clock }: Readonly<{ url: string; clock: Clock }>): Rpc {
  const { origin, pathname: prefix, search: uri } = new URL(url);
  const transport = createHttpTransport({ origin, prefix, clock, connections: CONNECTIONS_MAX });
  const common = {
    method: 'POST',
    uri,
    headers: HEADERS,
    limitMs: LIMIT_MS,
    maxBytes: ANSWER_MAX_BYTES,
  } as const;
  return createRpc({
    url,
    clock,
    carrier: {
      ...transport,
      async post({ id, ...question }) {
        const { status, body } = await transport.send({ ...common, ...question, nonce: id });
        if (status >= 300 && status < 400) throw new Error(`it redirects (${status})`);
        return body;
      },
    },
  });
}
