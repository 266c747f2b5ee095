import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { epochMs } from '../../src/core/brand.ts';
import { systemClock } from '../../src/core/clock.ts';
import {
  NoAnswerError,
  OutcomeUnknownError,
  UnreachableError,
  VenueRefusedError,
} from '../../src/core/errors.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import { createNodeRpc } from '../../src/venue/nodeRpc.ts';
import { quantity } from '../../src/wallet/rpc.ts';
import { loopback, type Handler } from '../api/loopback.ts';

const idOf = (body: string) => (JSON.parse(body) as { id: string }).id;
const result =
  (value: unknown): Handler =>
  (response, { body }) =>
    response.end(JSON.stringify({ jsonrpc: '2.0', id: idOf(body), result: value }));

async function nodeThat(...handlers: Handler[]) {
  const server = await loopback((response, received) => {
    const handle = handlers.length > 1 ? handlers.shift() : handlers[0];
    handle?.(response, received);
  });
  const clock = new VirtualClock({ start: epochMs(0), pace: 'max' });
  const rpc = createNodeRpc({ url: `${server.baseUrl}/key?a=1`, clock });
  const passing = clock.run();
  onTestFinished(async () => {
    clock.stop();
    await passing;
    await rpc.close();
  });
  return { server, rpc, clock };
}
const block = (rpc: Awaited<ReturnType<typeof nodeThat>>['rpc']) =>
  rpc.ask('eth_blockNumber', [], z.string());

test('an RPC query goes to the whole URL, and its result is parsed by its schema', async () => {
  const { server, rpc } = await nodeThat(result('0x10'));
  expect(await block(rpc)).toBe('0x10');
  expect(server.received[0]).toMatchObject({ method: 'POST', url: '/key?a=1' });
  expect(JSON.parse(server.received[0]?.body ?? '')).toMatchObject({ method: 'eth_blockNumber', params: [] });
});

test("a revert error keeps the node's message and data and is not retried", async () => {
  const { server, rpc } = await nodeThat((response, { body }) => {
    response.statusCode = 400;
    response.end(
      JSON.stringify({
        id: idOf(body),
        error: { code: 3, message: 'execution reverted', data: '0x12345678' },
      }),
    );
  });
  const error: unknown = await block(rpc).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(VenueRefusedError);
  expect(error).toMatchObject({ message: 'execution reverted', details: { code: 3, data: '0x12345678' } });
  expect(server.received).toHaveLength(1);
});

test("a refused RPC query is retried, a refused send is not and keeps the node's message", async () => {
  const refuses: Handler = (response, { body }) =>
    response.end(JSON.stringify({ id: idOf(body), error: { code: -32603, message: 'overloaded' } }));
  const first = await nodeThat(refuses, refuses, result('0x10'));
  expect(await block(first.rpc)).toBe('0x10');
  const second = await nodeThat(refuses);
  await expect(block(second.rpc)).rejects.toThrow(NoAnswerError);
  await expect(block(second.rpc)).rejects.toThrow('the node refuses to answer: overloaded (code -32603)');
  const third = await nodeThat(refuses);
  const sending = third.rpc.askOnce('eth_sendRawTransaction', ['0x00'], z.string());
  await expect(sending).rejects.toMatchObject({ message: 'overloaded', details: { code: -32603 } });
  expect(third.server.received).toHaveLength(1);
});

test('a null error next to a result is no error', async () => {
  const { rpc } = await nodeThat((response, { body }) =>
    response.end(JSON.stringify({ jsonrpc: '2.0', id: idOf(body), result: '0x10', error: null })),
  );
  expect(await block(rpc)).toBe('0x10');
});

test.each<[string, Handler]>([
  ['a page', (response) => response.end('<html>')],
  ['the answer to another request', (response) => response.end('{"id":"x","result":"0x1"}')],
  ['a reset', (response) => response.destroy()],
  ['an answer of another shape', (response, received) => result(7)(response, received)],
  [
    'a redirect',
    (response, { body }) => {
      response.writeHead(307, { location: 'http://127.0.0.1:1/' });
      response.end(JSON.stringify({ id: idOf(body), result: '0x1' }));
    },
  ],
  ['an answer that is too large', (response) => response.end(Buffer.alloc(5 * 2 ** 20, 32))],
])('%s is no response: a query is retried, a send is not', async (_name, handle) => {
  const first = await nodeThat(handle, result('0x10'));
  expect(await block(first.rpc)).toBe('0x10');
  const second = await nodeThat(handle, result('0x10'));
  await expect(second.rpc.askOnce('eth_sendRawTransaction', ['0x00'], z.string())).rejects.toThrow(
    OutcomeUnknownError,
  );
  expect(second.server.received).toHaveLength(1);
});

test('a silent node times out at the limit, on the virtual clock', async () => {
  const { rpc, clock, server } = await nodeThat(() => undefined);
  const sending = rpc.askOnce('eth_sendRawTransaction', ['0x00'], z.string());
  void sending.catch(() => undefined);
  await vi.waitFor(() => expect(server.received).toHaveLength(1), { timeout: 60_000 });
  // As a node on the same virtual clock: time passes while it is silent.
  void clock.suspend('rpc-1', () => clock.sleep(60_000));
  await expect(sending).rejects.toThrow('no complete answer within 10 s');
  expect(clock.now()).toBe(10_000);
});

test('an unanswered RPC query is tried three times, and its error does not show the path', async () => {
  const { rpc, server } = await nodeThat((response) => response.destroy());
  const error: unknown = await block(rpc).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(NoAnswerError);
  expect(String(error)).not.toContain('key');
  expect(server.received).toHaveLength(3);
});

test('a send without a connection fails as unreachable', async () => {
  const { rpc, server } = await nodeThat(result('0x1'));
  server.close();
  await expect(rpc.askOnce('eth_sendRawTransaction', ['0x00'], z.string())).rejects.toThrow(UnreachableError);
});

test('every RPC send has a connection of its own', async () => {
  const server = await loopback(result('0x1'));
  const rpc = createNodeRpc({ url: server.baseUrl, clock: systemClock });
  for (let count = 0; count < 3; count++) await rpc.askOnce('eth_sendRawTransaction', ['0x00'], z.string());
  expect(server.connections).toBe(3);
  await rpc.close();
});

test('a number too large for a word of the chain is no answer, so that no message or journal repeats its digits', async () => {
  const { rpc } = await nodeThat(result(`0x${'f'.repeat(65)}`));
  await expect(rpc.ask('eth_estimateGas', [], quantity)).rejects.toThrow(NoAnswerError);
  expect(quantity.parse(`0x${'f'.repeat(64)}`)).toBe(2n ** 256n - 1n);
});
