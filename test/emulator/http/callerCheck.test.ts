import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEmulator, type Emulator } from '../../../src/emulator/index.ts';
import { sign, type Envelope } from '../client.ts';

const START = '2026-06-15T14:00:00Z';
const at = Date.parse(START);
let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator({ speed: 0, start: START });
});
afterAll(() => emulator.close());

type Face = 'baseUrl' | 'controlUrl' | 'rpcUrl';
const portOf = (face: Face) => Number(new URL(emulator.info[face]).port);

/** Sends exactly these bytes, and returns status and body of the response. */
function say(face: Face, bytes: string | Buffer): Promise<{ status: number; head: string; body: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(portOf(face), '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.on('error', reject);
    socket.on('close', () => {
      const [head = '', body = ''] = text.split('\r\n\r\n');
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]), head, body });
    });
    socket.write(bytes);
  });
}

type Said = { method?: string; target?: string; headers?: readonly string[]; body?: string };
const request = ({ method = 'GET', target = '/', headers = [], body = '' }: Said) =>
  [
    `${method} ${target} HTTP/1.1`,
    ...headers,
    'Connection: close',
    ...(body ? [`Content-Length: ${Buffer.byteLength(body)}`] : []),
    '',
    body,
  ].join('\r\n');

const HOST = 'Host: 127.0.0.1';
const TARGETS: Record<Face, Said> = {
  baseUrl: { target: '/api/v1/symbols' },
  controlUrl: { target: '/clock' },
  rpcUrl: { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}' },
};

const FOREIGN: [name: string, change: (said: Said) => Said][] = [
  ['two Host headers', (said) => ({ ...said, headers: [HOST, 'Host: evil.example'] })],
  ['the same Host twice', (said) => ({ ...said, headers: [HOST, HOST] })],
  ['no Host', (said) => said],
  ['another Host', (said) => ({ ...said, headers: ['Host: evil.example'] })],
  ['another Host with our port', (said) => ({ ...said, headers: ['Host: evil.example:80'] })],
  ['a Host that begins as ours', (said) => ({ ...said, headers: ['Host: 127.0.0.1.evil.example'] })],
  [
    'an absolute target',
    (said) => ({ ...said, target: `http://evil.example${said.target ?? '/'}`, headers: [HOST] }),
  ],
  [
    'an absolute target of ours',
    (said) => ({ ...said, target: `http://127.0.0.1${said.target ?? '/'}`, headers: [HOST] }),
  ],
  ['an Origin', (said) => ({ ...said, headers: [HOST, 'Origin: https://evil.example'] })],
  ['an Origin of null', (said) => ({ ...said, headers: [HOST, 'Origin: null'] })],
  ['a fetch across sites', (said) => ({ ...said, headers: [HOST, 'Sec-Fetch-Site: cross-site'] })],
  ['a fetch of the same site', (said) => ({ ...said, headers: [HOST, 'Sec-Fetch-Site: same-site'] })],
  [
    'two fetch headers',
    (said) => ({ ...said, headers: [HOST, 'Sec-Fetch-Site: none', 'Sec-Fetch-Site: cross-site'] }),
  ],
];

describe.each(['controlUrl', 'baseUrl', 'rpcUrl'] as const)('%s', (face) => {
  test.each(FOREIGN)('refuses %s before it is routed', async (_, change) => {
    const { status, head, body } = await say(face, request(change(TARGETS[face])));
    expect([400, 403]).toContain(status);
    expect(head.toLowerCase()).not.toContain('access-control');
    expect(body).not.toContain('"now"');
    expect(body).toMatch(/only for programs on this machine|exactly one Host|path alone/);
  });

  test('responds to a program', async () => {
    const { status } = await say(face, request({ ...TARGETS[face], headers: [HOST] }));
    expect(status).toBe(face === 'baseUrl' ? 400 : 200);
  });
});

describe('the control port', () => {
  const move = '{"advanceMs":1000}';
  const now = async () =>
    JSON.parse((await say('controlUrl', request({ target: '/clock', headers: [HOST] }))).body) as unknown;

  test.each([
    [
      'a form',
      { method: 'POST', target: '/clock', headers: [HOST, 'Content-Type: text/plain'], body: move },
      415,
    ],
    [
      'an encoded form',
      {
        method: 'POST',
        target: '/clock',
        headers: [HOST, 'Content-Type: application/x-www-form-urlencoded'],
        body: move,
      },
      415,
    ],
    ['a GET of what changes', { target: '/market', headers: [HOST] }, 405],
    [
      'another method in a header',
      { target: '/market', headers: [HOST, 'X-HTTP-Method-Override: POST'] },
      405,
    ],
    ['an unknown path', { target: '/nowhere', headers: [HOST] }, 404],
    [
      'a body that is not JSON',
      { method: 'POST', target: '/clock', headers: [HOST, 'Content-Type: application/json'], body: '{' },
      400,
    ],
    ['an unknown method', { method: 'FOO', target: '/clock', headers: [HOST] }, 400],
  ])('refuses %s with `error`, and changes nothing', async (_, said, status) => {
    const before = await now();
    const answer = await say('controlUrl', request(said));
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toEqual({ error: expect.any(String) as string });
    expect(await now()).toEqual(before);
  });
});

describe("the venue's HTTP interface", () => {
  const key = () => {
    const found = emulator.info.accounts[0]?.keys[0];
    if (!found) throw new Error('no key');
    return found;
  };
  type Signing = Readonly<{ method: 'GET' | 'DELETE' | 'POST'; path: string; signed: string; sent: string }>;
  /** Signs `signed` as the body, and sends `sent`. */
  function call({ method, path, signed, sent }: Signing, more: readonly string[] = []) {
    const { headers, uri } = sign(key(), { method, path, ts: at });
    const lines = [method, uri, String(at), headers['x-api-nonce'] ?? '', signed];
    headers['x-api-sign'] = createHmac('sha256', key().secret).update(lines.join('\n')).digest('hex');
    const all = [HOST, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), ...more];
    return say('baseUrl', request({ method, target: uri, headers: all, body: sent }));
  }
  const envelopeOf = ({ body }: { body: string }) => JSON.parse(body) as Envelope;

  test.each(['GET', 'DELETE'] as const)('refuses an unsigned body of a %s', async (method) => {
    const answer = await call({ method, path: '/api/v1/1ct/status', signed: '', sent: '{"x":1}' });
    expect([answer.status, envelopeOf(answer).code]).toEqual([400, 401]);
  });

  test('accepts a signed body, whatever the method', async () => {
    const body = '{"x":1}';
    const read = await call({ method: 'GET', path: '/api/v1/1ct/status', signed: body, sent: body });
    expect([read.status, envelopeOf(read).code]).toEqual([200, 200]);
    const removed = await call({ method: 'DELETE', path: '/api/v1/1ct/status', signed: body, sent: body });
    expect(envelopeOf(removed).code).toBe(10_001);
  });

  test.each(['content-type:', 'content-type: ;;;', 'content-type: text/plain; charset=utf-16', 'X-None: 1'])(
    'does not check the content type: %s',
    async (header) => {
      const body = '{"deadline":1}';
      const answer = await call({ method: 'POST', path: '/api/v1/1ct/prepare', signed: body, sent: body }, [
        header,
      ]);
      expect(envelopeOf(answer)).toMatchObject({
        code: 10_002,
        errMsg: expect.stringContaining('deadline') as string,
      });
    },
  );

  const plain = (said: Said) => request({ ...said, headers: [HOST, ...(said.headers ?? [])] });
  test.each<[name: string, bytes: string | Buffer, status: number]>([
    ['an empty content type', plain({ method: 'POST', headers: ['content-type: '], body: '{}' }), 400],
    ['a method of WebDAV', plain({ method: 'PROPFIND' }), 400],
    ['QUERY', plain({ method: 'QUERY', body: '{}' }), 400],
    ['an unknown method', plain({ method: 'FOO' }), 400],
    ['bytes that are not HTTP', 'hello\r\n\r\n', 400],
    ['an invalid escape', plain({ target: '/api/v1/%zz' }), 400],
    ['an endless header', plain({ headers: [`X: ${'a'.repeat(70_000)}`] }), 431],
    ['an Expect header', plain({ headers: ['Expect: nothing'] }), 400],
    [
      'two content lengths',
      plain({ method: 'POST', headers: ['Content-Length: 3', 'Transfer-Encoding: chunked'] }),
      400,
    ],
    ['a body that is too large', plain({ method: 'POST', body: 'x'.repeat(300_000) }), 413],
    ['a GET with a body that is too large', plain({ body: 'x'.repeat(300_000) }), 413],
    [
      'a body that is not UTF-8',
      Buffer.concat([
        Buffer.from(`POST / HTTP/1.1\r\n${HOST}\r\nConnection: close\r\nContent-Length: 2\r\n\r\n`),
        Buffer.from([0xff, 0xfe]),
      ]),
      400,
    ],
  ])('answers %s in the envelope', async (_, bytes, status) => {
    const answer = await say('baseUrl', bytes);
    expect(answer.status).toBe(status);
    expect(envelopeOf(answer)).toMatchObject({ code: expect.any(Number) as number, data: null, uuid: null });
    expect(answer.head).toMatch(/content-type: application\/json/i);
  });
});

test('the node answers a malformed request as a node does', async () => {
  for (const said of [
    { target: '/', headers: [HOST] },
    { method: 'POST', headers: [HOST, 'content-type: '], body: '[' },
  ]) {
    const answer = await say('rpcUrl', request(said));
    expect(JSON.parse(answer.body)).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { code: expect.any(Number) as number },
    });
  }
  const large = await say('rpcUrl', request({ method: 'POST', headers: [HOST], body: 'x'.repeat(300_000) }));
  expect(large.status).toBe(413);
});

test('a venue for other machines accepts their host names, and still no browser', async () => {
  const open = await startEmulator({ speed: 0, start: START, host: '0.0.0.0' });
  try {
    const url = open.info.baseUrl.replace('0.0.0.0', '127.0.0.1');
    const port = Number(new URL(url).port);
    const ask = (headers: readonly string[]) =>
      new Promise<string>((resolve) => {
        const socket = connect(port, '127.0.0.1');
        let text = '';
        socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
        socket.on('close', () => resolve(text));
        socket.write(request({ target: '/api/v1/symbols', headers }));
      });
    expect(await ask(['Host: my-machine:80'])).toContain('"code":401');
    expect(await ask(['Host: my-machine:80', 'Origin: https://evil.example'])).toMatch(/^HTTP\/1\.1 403/);
  } finally {
    await open.close();
  }
});
