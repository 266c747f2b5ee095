import { createServer, type Server, type ServerResponse } from 'node:http';
import { mkdtempSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { NoAnswerError, NotSentError, OutcomeUnknownError } from '../../src/core/errors.ts';
import { DaemonClient } from '../../src/ops/client.ts';

let server: Server | undefined;
let client: DaemonClient | undefined;
afterEach(async () => {
  await client?.close();
  server?.close();
});

/** A client of a daemon that gives every request the same response. */
async function answered(body: unknown): Promise<DaemonClient> {
  const socket = join(mkdtempSync(join(tmpdir(), 'drover-')), 'control.sock');
  server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server?.listen(socket, resolve));
  return (client = new DaemonClient({ socket, client: 'a test' }));
}

test('a command whose response cannot be parsed has an unknown outcome', async () => {
  const daemon = await answered({ outcome: 'of another version' });
  await expect(daemon.steer('trade', { state: 'halted' })).rejects.toThrow(OutcomeUnknownError);
});

test('a read whose response cannot be parsed counts as no response', async () => {
  const daemon = await answered({ of: 'another version' });
  await expect(daemon.status()).rejects.toThrow(NoAnswerError);
});

test('a request to a daemon at a URL with a path is sent below that path', async () => {
  const asked: string[] = [];
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.setHeader('content-type', 'application/json').end('{}');
  });
  const port = await new Promise<number>((resolve) =>
    server?.listen(0, '127.0.0.1', () => resolve((server?.address() as AddressInfo).port)),
  );
  client = new DaemonClient({ url: `http://127.0.0.1:${port}/bots/one/`, token: 'x', client: 'a test' });
  await client.status().catch(() => undefined);
  expect(asked).toEqual(['/bots/one/v1/status']);
});

type Asked = Readonly<{ method: string; path: string; body: Readonly<Record<string, unknown>> }>;

/** A client of a daemon that responds by `answer`, and all its requests. */
async function scripted(
  answer: (asked: Asked, response: ServerResponse) => void,
): Promise<{ daemon: DaemonClient; asked: Asked[] }> {
  const socket = join(mkdtempSync(join(tmpdir(), 'drover-')), 'control.sock');
  const asked: Asked[] = [];
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const body = JSON.parse(text || '{}') as Asked['body'];
      const one = { method: request.method ?? '', path: request.url ?? '', body };
      asked.push(one);
      answer(one, response);
    });
  });
  await new Promise<void>((resolve) => server?.listen(socket, resolve));
  const clock = { ...systemClock, sleep: () => Promise.resolve() };
  return { daemon: (client = new DaemonClient({ socket, client: 'a test' }, { clock })), asked };
}

const json = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const DONE = { kind: 'done', text: 'it is halted', result: { cancelled: 1 } };
const stateOf = (id: string, answer: unknown) => ({
  id,
  by: 'x',
  reason: '',
  done: answer !== null,
  answer,
  progress: { isDone: true, cancelled: 0, sold: 0, left: [] },
});
const idIn = (path: string) => path.replace('/v1/commands/', '');

test('a command without an immediate response is polled until it has one, and sent once', async () => {
  let looks = 0;
  const { daemon, asked } = await scripted(({ method, path, body }, response) => {
    if (method === 'POST') json(response, 202, { id: body['id'], done: false });
    else json(response, 200, stateOf(idIn(path), ++looks < 3 ? null : DONE));
  });
  const result = await daemon.steer('trade', { state: 'halted' }, { id: 'command-0001' });
  expect(result).toEqual({ id: 'command-0001', done: true, text: DONE.text, result: DONE.result });
  expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /v1/trade',
    ...Array<string>(3).fill('GET /v1/commands/command-0001'),
  ]);
});

test.each<[string, (response: ServerResponse) => void]>([
  ['before its answer', (response) => response.destroy()],
  [
    'in the middle of its answer',
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
      response.write('{"id":"comma', () => response.destroy());
    },
  ],
  [
    'after half of a chunked answer',
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"id":', () => response.destroy());
    },
  ],
  ['with an answer that is not JSON', (response) => response.end('<html>')],
])('a command whose connection is lost %s is polled by its id, and sent once', async (_, lose) => {
  const { daemon, asked } = await scripted(({ method, path }, response) => {
    if (method === 'POST') lose(response);
    else json(response, 200, stateOf(idIn(path), DONE));
  });
  const result = await daemon.steer('flatten', {});
  expect(result).toMatchObject({ done: true, text: DONE.text });
  expect(asked.filter(({ method }) => method === 'POST').length).toBe(1);
  expect(asked[1]?.path).toBe(`/v1/commands/${String(asked[0]?.body['id'])}`);
});

test('a command without any response is unknown, names its id, and is not sent again', async () => {
  const { daemon, asked } = await scripted((_, response) => response.destroy());
  await expect(daemon.steer('orders', { symbol: 'AAPL' }, { id: 'command-0002' })).rejects.toThrow(
    /unknown whether the command was carried out \(its id is command-0002\).*do not repeat it before/,
  );
  expect(asked.filter(({ method }) => method === 'POST').length).toBe(1);
});

test('a command that the daemon says it does not know is unknown, because it may be on its way', async () => {
  const { daemon, asked } = await scripted(({ method }, response) => {
    if (method === 'POST') response.destroy();
    else json(response, 404, { error: { code: 'NOT_FOUND', message: 'there is no command of this id' } });
  });
  await expect(daemon.steer('orders', {})).rejects.toThrow(OutcomeUnknownError);
  expect(asked.filter(({ method }) => method === 'POST').length).toBe(1);
});

test('a command without a daemon was not sent, and neither was the read before it', async () => {
  client = new DaemonClient({ socket: join(tmpdir(), 'drover-nobody.sock'), client: 'a test' });
  await expect(client.steer('trade', { state: 'halted' })).rejects.toThrow(NotSentError);
  await expect(client.status()).rejects.toThrow(/^no run is active there, .*\. Nothing was sent$/);
  await expect(client.status()).rejects.toThrow(NotSentError);
});
