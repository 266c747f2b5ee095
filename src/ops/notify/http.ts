import type { LookupFunction } from 'node:net';
import type { Agent } from 'undici';
import type { Http } from './delivery.ts';

/** Default maximum size of a response, in bytes: the rest of a longer one is cut off. */
const ANSWER_MAX_BYTES = 2_000_000;
/** Maximum silence of a connection in ms; a chat's long poll is shorter. */
const SILENCE_MS = 60_000;
const CONNECT_MS = 10_000;

/**
 * Performs the HTTP requests of all channels and strategies. It follows no redirect, and verifies certificates whatever the environment says. Connections
 * are kept for only a few seconds, because messages are rare.
 */
export function openHttp(
  resolving: Readonly<{ lookup?: LookupFunction }> = {},
): Readonly<{ http: Http; close: () => Promise<void> }> {
  let loading: Promise<Agent> | null = null;
  const agentOf = async () => {
    const { Agent } = await import('undici');
    return new Agent({
      headersTimeout: SILENCE_MS,
      bodyTimeout: SILENCE_MS,
      connect: { timeout: CONNECT_MS, rejectUnauthorized: true, ...resolving },
    });
  };
  return {
    async http({ method, url, headers = {}, body, maxBytes = ANSWER_MAX_BYTES, signal }) {
      const agent = await (loading ??= agentOf());
      const { origin, pathname, search } = new URL(url);
      const response = await agent.request({
        origin,
        path: `${pathname}${search}`,
        method,
        headers: { ...headers },
        body: body ?? null,
        signal,
      });
      const { statusCode: status, headers: answered } = response;
      const after = answered['retry-after'];
      return {
        status,
        retryAfter: typeof after === 'string' ? after : null,
        body: await textOf(response.body, maxBytes),
      };
    },
    async close() {
      await (await loading)?.destroy();
    },
  };
}

async function textOf(body: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}
