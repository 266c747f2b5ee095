import { readdirSync, readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VERBS } from '../../../src/ops/control/steering.ts';
import { ask, type Asked } from './asking.ts';
import { startDaemon, type DaemonRun } from './daemonRun.ts';

const READ = 'r'.repeat(32);
const OPERATE = 'o'.repeat(32);
const env = { DROVER_CONTROL_READ_TOKEN: READ, DROVER_CONTROL_OPERATE_TOKEN: OPERATE };

let run: DaemonRun;
let port = 0;
beforeAll(async () => {
  run = await startDaemon({ env, flags: ['--listen', '127.0.0.1:0'] });
  port = Number(/^control: http:\/\/127\.0\.0\.1:(\d+)$/m.exec(run.err())?.[1]);
});
afterAll(async () => {
  await run.stop();
});

const host = { host: 'localhost' };
const bearer = (token: string) => ({ ...host, authorization: `Bearer ${token}` });
const json = { 'content-type': 'application/json' };
const statusOf = async (asked: Asked) => (await ask({ port, ...asked })).status;

test('each token has its role, and an unknown or missing token none', async () => {
  expect(await statusOf({ headers: bearer(READ) })).toBe(200);
  expect(await statusOf({ headers: bearer(OPERATE) })).toBe(200);
  expect(await statusOf({ headers: bearer('x'.repeat(32)) })).toBe(401);
  expect(await statusOf({ headers: host })).toBe(401);
  expect(await statusOf({ headers: bearer(READ.slice(1)) })).toBe(401);
});

test('the one-time code of a run without a terminal goes into a private file', async () => {
  const file = join(run.stateDir, 'dashboard.address');
  expect(run.err()).toContain(`dashboard: its address is in ${file} (for two minutes`);
  expect(run.err()).not.toContain('#code=');
  const [address = '', code = ''] = readFileSync(file, 'utf8').trim().split('/#code=');
  expect([statSync(file).mode & 0o777, address]).toEqual([0o600, `http://127.0.0.1:${port}`]);
  const signIn = { method: 'POST', path: '/v1/session', headers: { ...host, ...json }, body: { code } };
  expect([await statusOf(signIn), await statusOf(signIn)]).toEqual([200, 401]);
});

test.each(Object.keys(VERBS))('the read role may not %s', async (verb) => {
  const path = `/v1/${verb}`;
  const body = { id: 'command-0001' };
  expect(await statusOf({ method: 'POST', path, headers: { ...bearer(READ), ...json }, body })).toBe(403);
});

test('orders and transfers need control.money', async () => {
  for (const path of ['/v1/orders', '/v1/transfers']) {
    const answer = await ask({
      port,
      method: 'POST',
      path,
      headers: { ...bearer(OPERATE), ...json },
      body: { id: 'command-0002' },
    });
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('control.money')]);
  }
});

test('the journal names the token role that gave a command', async () => {
  const headers = { ...bearer(OPERATE), ...json, 'x-drover-client': 'a page' };
  const body = { id: 'command-0003', state: 'reducing', reason: 'by TCP' };
  expect(await statusOf({ method: 'POST', path: '/v1/trade', headers, body })).toBe(200);
  expect(await run.client.command('command-0003')).toMatchObject({ by: 'operate token, a page' });
});

describe('a request that a page of another site could send', () => {
  const cases: readonly (readonly [string, Asked, number])[] = [
    ['another host', { headers: { ...bearer(READ), host: 'evil.example' } }, 403],
    [
      'a host name that begins like localhost',
      { headers: { ...bearer(READ), host: 'localhost.evil.example' } },
      403,
    ],
    ['no host', { headers: { authorization: `Bearer ${READ}` } }, 400],
    ['a foreign origin', { headers: { ...bearer(READ), origin: 'http://evil.example' } }, 403],
    ['no origin at all (null)', { headers: { ...bearer(READ), origin: 'null' } }, 403],
    ['a fetch from elsewhere', { headers: { ...bearer(READ), 'sec-fetch-site': 'cross-site' } }, 403],
    ['a token in the URL', { path: `/v1/status?token=${READ}`, headers: bearer(READ) }, 400],
    ['a token under any name', { path: `/v1/status?x=${READ}`, headers: bearer(OPERATE) }, 400],
    ['a token as a part of the path', { path: `/v1/commands/${READ}`, headers: bearer(READ) }, 400],
  ];
  test.each(cases)('is refused: %s', async (_, asked, status) => {
    expect(await statusOf(asked)).toBe(status);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', ''])(
    'is refused with a body as %j',
    async (type) => {
      const headers = { ...bearer(OPERATE), ...(type === '' ? {} : { 'content-type': type }) };
      expect(await statusOf({ method: 'POST', path: '/v1/stop', headers, body: '{}' })).toBe(400);
    },
  );

  test('is refused on the socket, too', async () => {
    const { socket } = run;
    expect((await ask({ socket, headers: { host: 'evil.example' } })).status).toBe(403);
    expect((await ask({ socket, headers: { ...host, origin: 'http://evil.example' } })).status).toBe(403);
    expect((await ask({ socket, headers: {} })).status).toBe(400);
    expect((await ask({ socket })).status).toBe(200);
  });
});

test('a command for another mode or account is refused with both names', async () => {
  const command = { socket: run.socket, method: 'POST', path: '/v1/stop', body: { id: 'command-0004' } };
  const live = await ask({ ...command, headers: { ...host, ...json, 'x-drover-mode': 'live' } });
  expect([live.status, live.text]).toEqual([
    409,
    expect.stringContaining('the mode live, and this run is of the mode emulator'),
  ]);
  const other = await ask({ ...command, headers: { ...host, ...json, 'x-drover-account': '0x1' } });
  expect([other.status, other.text]).toEqual([409, expect.stringContaining('an emulated account')]);
});

test('responses forbid caching and sniffing, and contain no stack', async () => {
  const { headers, status, text } = await ask({ port, path: '/v1/nothing', headers: bearer(READ) });
  expect(status).toBe(404);
  expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  expect(headers).not.toHaveProperty('access-control-allow-origin');
  expect(text).not.toContain('at ');
});

test.each(['/v1/%zz', '/v1/commands/%ff', `/v1/commands/${'a'.repeat(3000)}`])(
  'an undecodable path is refused as any other request: %.30s',
  async (path) => {
    for (const headers of [host, bearer(READ)]) {
      const { status, headers: answered, json: read } = await ask({ port, path, headers });
      expect(status).toBe(400);
      expect(read()).toEqual({ error: { code: 'USAGE', message: expect.any(String) as string } });
      expect(answered).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    }
  },
);

test('no token gets into the journal', async () => {
  const headers = { ...host, ...json, 'x-drover-client': `a page ${READ}` };
  const give = (path: string, body: object) =>
    ask({ socket: run.socket, method: 'POST', path, headers, body });
  const trade = { id: 'command-0005', state: 'reducing', reason: `with ${OPERATE}` };
  expect((await give('/v1/trade', trade)).status).toBe(200);
  expect((await give('/v1/resolve', { id: 'command-0006', subject: READ })).status).toBe(400);
  const journal = readdirSync(run.stateDir)
    .filter((name) => name.startsWith('journal'))
    .map((name) => readFileSync(join(run.stateDir, name), 'latin1'))
    .join('');
  expect(journal).toContain('command-0005');
  expect(journal).not.toContain(READ);
  expect(journal).not.toContain(OPERATE);
});

test('event readers over TCP are limited, and do not take places reserved for the socket', async () => {
  const path = '/v1/events';
  const begin = (to: Readonly<{ port: number } | { socketPath: string }>) =>
    new Promise<Readonly<{ status: number; end: () => void }>>((resolve, reject) => {
      const outgoing = request({ ...to, path, headers: bearer(READ) }, (incoming) => {
        incoming.on('error', () => undefined).resume();
        resolve({ status: incoming.statusCode ?? 0, end: () => outgoing.destroy() });
      });
      outgoing.on('error', reject).end();
    });
  const readers = [];
  for (let count = 0; count < 33; count++) readers.push(await begin({ port }));
  expect(readers.map(({ status }) => status)).toEqual([...Array<number>(32).fill(200), 429]);
  const own = await begin({ socketPath: run.socket });
  expect(own.status).toBe(200);
  for (const { end } of [...readers, own]) end();
});

test('a run without a token does not start where other machines could connect', async () => {
  await expect(startDaemon({ flags: ['--listen', '0.0.0.0:0'] })).rejects.toThrow(
    /control\.listen needs a token where other machines can connect, and there is none.*DROVER_CONTROL_READ_TOKEN/s,
  );
  await expect(
    startDaemon({ flags: ['--listen', '0'], env: { DROVER_CONTROL_READ_TOKEN: 'short' } }),
  ).rejects.toThrow(/at least 32 characters/);
});
