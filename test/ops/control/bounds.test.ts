import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ask } from './asking.ts';
import { bareServer, OPERATE, READ, until, type BareServer } from './bareServer.ts';

let bare: BareServer;
beforeEach(async () => {
  bare = await bareServer();
});
afterEach(() => bare.close());

const HUNDRED_MB = 100_000_000;
const CHUNK = Buffer.alloc(64 * 1024, 'x');

type Sending = Readonly<{ socket: Socket; read: () => string }>;

/** Sends a head, and then 100 MB as long as the other end accepts them. */
function sendBody(lines: readonly string[], framed: (chunk: Buffer) => Buffer = (chunk) => chunk): Sending {
  const socket = connect({ host: '127.0.0.1', port: bare.port });
  let read = '';
  socket.setEncoding('utf8').on('data', (text: string) => (read += text));
  socket.on('error', () => undefined);
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  let left = HUNDRED_MB;
  const more = () => {
    while (left > 0 && !socket.destroyed) {
      left -= CHUNK.length;
      if (!socket.write(framed(CHUNK))) break;
    }
  };
  socket.on('drain', more);
  more();
  return { socket, read: () => read };
}

const head = (...lines: readonly string[]) => ['POST /v1/trade HTTP/1.1', 'host: localhost', ...lines];
const json = 'content-type: application/json';
const bearer = (token: string) => `authorization: Bearer ${token}`;
const chunked = (chunk: Buffer) =>
  Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]);

test.each([
  ['of a known length', [json, bearer(OPERATE), `content-length: ${HUNDRED_MB}`], undefined],
  ['in chunks', [json, bearer(OPERATE), 'transfer-encoding: chunked'], chunked],
  ['without a token', [json, `content-length: ${HUNDRED_MB}`], undefined],
  ['of a role that may not', [json, bearer(READ), 'transfer-encoding: chunked'], chunked],
  ['of no JSON', [bearer(OPERATE), `content-length: ${HUNDRED_MB}`], undefined],
])('a body of 100 MB %s is cut off unread', async (_, lines, framed) => {
  const { socket } = sendBody(head(...lines), framed);
  await until(() => bare.connections[0]?.destroyed === true);
  expect(bare.connections[0]?.bytesRead).toBeLessThan(1_000_000);
  socket.destroy();
});

test('a read with a body of 100 MB is answered, and the body is cut off unread', async () => {
  const get = ['GET /v1/status HTTP/1.1', 'host: localhost', bearer(READ), `content-length: ${HUNDRED_MB}`];
  const { socket } = sendBody(get);
  await until(() => bare.connections[0]?.destroyed === true);
  expect(bare.connections[0]?.bytesRead).toBeLessThan(1_000_000);
  socket.destroy();
});

test('a connection is kept for the next request when all of the last one was read', async () => {
  const headers = { host: 'localhost', authorization: `Bearer ${OPERATE}` };
  const read = await ask({ port: bare.port, headers: { ...headers, connection: 'keep-alive' } });
  const command = await ask({
    port: bare.port,
    method: 'POST',
    path: '/v1/trade',
    headers: { ...headers, connection: 'keep-alive', 'content-type': 'application/json' },
    body: { id: 'command-0001' },
  });
  expect([read.headers['connection'], command.headers['connection']]).toEqual(['keep-alive', 'keep-alive']);
});

test('silent connections make room for others, and a known caller keeps its own', async () => {
  const owner = { host: 'localhost', authorization: `Bearer ${OPERATE}` };
  const kept = connect({ host: '127.0.0.1', port: bare.port }).on('error', () => undefined);
  let answers = '';
  kept.on('data', (text) => (answers += text.toString()));
  const askAgain = () => kept.write(`GET /v1/status HTTP/1.1\r\nhost: localhost\r\n${bearer(READ)}\r\n\r\n`);
  askAgain();
  await until(() => answers.includes('200 OK'));
  const slow = Array.from({ length: 150 }, (_, index) => {
    const socket = connect({ host: '127.0.0.1', port: bare.port }).on('error', () => undefined);
    socket.resume().write(index % 2 === 0 ? 'GET / HTTP/1.1\r\nhost: loc' : '');
    return socket;
  });
  await until(() => bare.connections.length === 151);
  const asked = Array.from({ length: 30 }, () => ask({ port: bare.port, headers: owner }));
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array(30).fill(200));
  answers = '';
  askAgain();
  await until(() => answers.includes('200 OK'));
  expect(slow.filter((socket) => !socket.readableEnded && !socket.destroyed).length).toBeLessThan(101);
  for (const socket of [...slow, kept]) socket.destroy();
});

test('requests with slow headers or bodies and silent connections are ended within seconds', async () => {
  const { headersTimeout, requestTimeout, keepAliveTimeout } = bare.server.server;
  expect({ headersTimeout, requestTimeout, keepAliveTimeout }).toEqual({
    headersTimeout: 5_000,
    requestTimeout: 10_000,
    keepAliveTimeout: 5_000,
  });
  bare.server.server.headersTimeout = 50;
  bare.server.server.requestTimeout = 100;
  const started = [
    '',
    'GET /v1/status HTTP/1.1\r\nhost: loc',
    `${head(json, bearer(OPERATE), 'content-length: 10').join('\r\n')}\r\n\r\n{`,
  ];
  const slow = started.map((text) => {
    const socket = connect({ host: '127.0.0.1', port: bare.port });
    socket.on('error', () => undefined).resume();
    socket.write(text);
    return socket;
  });
  await until(() => bare.connections.length === 3 && bare.connections.every(({ destroyed }) => destroyed));
  for (const socket of slow) socket.destroy();
});
