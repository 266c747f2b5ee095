import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type RpcCall = Readonly<{ id: string; method: string; params: readonly unknown[] }>;

/** Sends a call to the node behind the relay, and returns the text of its response. */
export type Forward = (call: RpcCall) => Promise<string>;

/** Responds to a call instead of the node. Null breaks the connection without a response. */
export type Intercept = (call: RpcCall, forward: Forward) => Promise<string | null>;

/** Estimates on the newest block, as go-ethereum does; anvil includes its mempool. */
export const estimatingAtLatest: Intercept = (call, forward) =>
  forward(call.method === 'eth_estimateGas' ? { ...call, params: [call.params[0], 'latest'] } : call);

/** A server in front of a node through which a test decides which requests and responses pass. */
export async function startRelay(nodeUrl: string, intercept: Intercept): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const forward: Forward = async (call) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...call });
    return (await fetch(nodeUrl, { method: 'POST', headers, body })).text();
  };
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as RpcCall;
      void intercept({ id, method, params }, forward).then((text) => {
        if (text === null) outgoing.destroy();
        else outgoing.writeHead(200, headers).end(text);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
