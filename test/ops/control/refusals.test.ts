import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from './asking.ts';
import { bareServer, OPERATE, READ, type BareServer } from './bareServer.ts';

let bare: BareServer;
beforeAll(async () => {
  bare = await bareServer();
});
afterAll(() => bare.close());

const bearer = { host: 'localhost', authorization: `Bearer ${OPERATE}` };
const json = { ...bearer, 'content-type': 'application/json' };
const refusal = (code: string) => ({
  error: { code, message: expect.stringMatching(/\S.{10,}/) as string },
});

/** Response to raw bytes that may not be a request. */
function raw(bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: bare.port }, () => socket.write(bytes));
    let read = '';
    socket.setEncoding('utf8').on('data', (text: string) => (read += text));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(read));
  });
}

describe('the uniform refusal', () => {
  const command = { method: 'POST', path: '/v1/trade', headers: json };
  test.each([
    ['a body that is not JSON', { ...command, body: '{"id":' }, 400, 'USAGE'],
    ['an empty body', { ...command, body: '' }, 400, 'USAGE'],
    ['no body', command, 400, 'USAGE'],
    ['a body with __proto__', { ...command, body: '{"__proto__":{"a":1}}' }, 400, 'USAGE'],
    ['another content type', { ...command, headers: bearer, body: 'x' }, 400, 'USAGE'],
    ['a body that is too large', { ...command, body: 'x'.repeat(70_000) }, 413, 'TOO_LARGE'],
    ['no endpoint', { path: '/v1/nothing', headers: bearer }, 404, 'NOT_FOUND'],
    ['a command to no endpoint', { ...command, path: '/v1/nothing', body: {} }, 404, 'NOT_FOUND'],
    ['a read of a command', { path: '/v1/trade', headers: bearer }, 405, 'METHOD'],
    ['another method', { method: 'DELETE', path: '/v1/commands/x', headers: bearer }, 405, 'METHOD'],
    ['a method of WebDAV', { method: 'PROPFIND', path: '/v1/status', headers: bearer }, 405, 'METHOD'],
    ['an undecodable path', { path: '/v1/%zz', headers: bearer }, 400, 'USAGE'],
    ['a long name', { path: `/v1/commands/${'a'.repeat(3_000)}`, headers: bearer }, 400, 'USAGE'],
    ['no token', { headers: { host: 'localhost' } }, 401, 'UNAUTHORIZED'],
  ] as const)('answers %s', async (...[, asked, status, code]) => {
    const answer = await ask({ port: bare.port, ...asked });
    expect([answer.status, answer.json()]).toEqual([status, refusal(code)]);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    });
  });

  test.each([
    ['bytes that are not HTTP', 'hello\r\n\r\n', 400, 'USAGE'],
    ['an unknown method', 'STEAL /v1/status HTTP/1.1\r\nhost: localhost\r\n\r\n', 400, 'USAGE'],
    [
      'headers that are too large',
      `GET /v1/status HTTP/1.1\r\nhost: localhost\r\nx: ${'x'.repeat(9_000)}\r\n\r\n`,
      431,
      'HEADERS_TOO_LARGE',
    ],
    ['an address that is too long', `GET /${'a'.repeat(9_000)} HTTP/1.1\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
    [
      'two lengths of one body',
      'POST /v1/trade HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
      400,
      'USAGE',
    ],
  ] as const)('answers the raw bytes of %s', async (...[, bytes, status, code]) => {
    const [head = '', body = ''] = (await raw(bytes)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).toContain('content-type: application/json');
    expect(JSON.parse(body)).toEqual(refusal(code));
  });
});

test('names the methods of the endpoint to another method', async () => {
  const { headers, text } = await ask({ port: bare.port, path: '/v1/trade', headers: bearer });
  expect(headers['allow']).toBe('POST');
  expect(text).toContain('GET is not possible here: this endpoint takes POST');
});

test('is 403 for the read role with a method that the endpoint does not take', async () => {
  const headers = { host: 'localhost', authorization: `Bearer ${READ}` };
  expect((await ask({ port: bare.port, method: 'DELETE', path: '/v1/status', headers })).status).toBe(403);
});
