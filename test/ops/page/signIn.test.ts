import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OPERATE, READ } from '../control/bareServer.ts';
import { bearer, host, json, openListeners, own, PROGRAM, signIn, type Listeners } from './listeners.ts';

let run: Listeners;
beforeEach(async () => {
  run = await openListeners();
});
afterEach(() => run.close());

const steering = { method: 'POST', path: '/v1/trade', body: {} } as const;
/** Status of a command without a body: 400 for a caller with the right to give one, since it lacks its fields. */
const steer = async (headers: Readonly<Record<string, string>>) =>
  (await run.tcp({ ...steering, headers: { ...host, ...json, ...headers } })).status;
const whoIs = async (cookie: string) =>
  (await run.tcp({ path: '/v1/session', headers: { ...host, cookie } })).json();

test('the path of the program is shown after a sign-in only', async () => {
  const strangers = ['/', '/v1/session'].map((path) => run.tcp({ path, headers: host }));
  for (const { text } of await Promise.all(strangers)) expect(text).not.toContain('/home/me');
  expect(await whoIs('')).toMatchObject({ role: null, program: 'drover' });
  const { cookie } = await signIn(run, { code: await run.code('read') });
  expect(await whoIs(cookie)).toMatchObject({ role: 'read', program: PROGRAM });
});

describe('a sign-in with a code', () => {
  test('works for one browser, once', async () => {
    const code = await run.code();
    const { answer, cookie } = await signIn(run, { code });
    expect([answer.status, answer.json()]).toEqual([200, { role: 'operate' }]);
    expect(await whoIs(cookie)).toMatchObject({ role: 'operate', by: 'page', money: false });
    expect((await run.tcp({ path: '/v1/fleet', headers: { ...host, cookie } })).status).toBe(200);
    const again = await signIn(run, { code });
    expect([again.answer.status, again.cookie, again.answer.text]).toEqual([
      401,
      '',
      expect.stringContaining('drover dashboard'),
    ]);
  });

  test('fails for a wrong, expired or missing code', async () => {
    const code = await run.code();
    for (const wrong of [`${code}A`, code.slice(1), 'x'])
      expect((await signIn(run, { code: wrong })).answer.status).toBe(401);
    for (const body of [{}, { code: '' }, { code, token: OPERATE }])
      expect((await signIn(run, body)).answer.status).toBe(400);
    run.pass(120_000);
    expect((await signIn(run, { code })).answer.status).toBe(401);
  });

  test('needs a code made with the operate token, not one made by a page', async () => {
    const make = async (headers: Readonly<Record<string, string>>) =>
      (
        await run.tcp({
          method: 'POST',
          path: '/v1/session-codes',
          headers: { ...json, ...headers },
          body: {},
        })
      ).status;
    expect([await make(bearer(OPERATE)), await make(bearer(READ)), await make(host)]).toEqual([
      200, 403, 401,
    ]);
    const { cookie } = await signIn(run, { code: await run.code() });
    expect(await make({ ...own, cookie })).toBe(403);
  });

  test('works with the address that a run prints', async () => {
    const [address = '', code = ''] = run.invite().split('/#code=');
    expect(address).toBe(run.url);
    expect((await signIn(run, { code })).answer.status).toBe(200);
  });
});

test('a pasted token signs in with its role, and guesses are limited together with wrong tokens', async () => {
  const { cookie } = await signIn(run, { token: READ });
  expect(await whoIs(cookie)).toMatchObject({ role: 'read' });
  const guesses = await Promise.all(Array.from({ length: 8 }, () => signIn(run, { token: 'x'.repeat(32) })));
  const statuses = guesses.map(({ answer }) => answer.status);
  expect(statuses.filter((status) => status === 401).length).toBeGreaterThanOrEqual(5);
  expect(statuses).toContain(429);
  expect((await signIn(run, { token: OPERATE })).answer.status).toBe(200);
});

describe('a page that is signed in', () => {
  test('steers only with its own header, and only as an operator', async () => {
    const { cookie } = await signIn(run, { code: await run.code() });
    expect(await steer({ cookie, 'x-drover-page': '1' })).toBe(400);
    expect(await steer({ cookie })).toBe(403);
    expect(await steer({ cookie, 'x-drover-page': '0' })).toBe(403);
    const reader = await signIn(run, { code: await run.code('read') });
    expect(await steer({ cookie: reader.cookie, 'x-drover-page': '1' })).toBe(403);
    expect((await run.tcp({ path: '/v1/fleet', headers: { ...host, cookie: reader.cookie } })).status).toBe(
      200,
    );
  });

  test.each([
    ['a foreign origin', { origin: 'http://evil.example' }],
    ['a neighbour on another port', { origin: 'http://localhost:1' }],
    ['a request from another site', { 'sec-fetch-site': 'cross-site' }],
    ['another host', { host: 'evil.example' }],
  ])('gets nothing with %s', async (_, headers) => {
    const code = await run.code();
    const { cookie } = await signIn(run, { code: await run.code() });
    expect(await steer({ cookie, 'x-drover-page': '1', ...headers })).toBe(403);
    expect((await signIn(run, { code }, headers)).answer.status).toBe(403);
    // The refusal did not use up the code.
    expect((await signIn(run, { code })).answer.status).toBe(200);
  });

  test('is not recognised without a cookie, or with an altered or expired one', async () => {
    const { cookie } = await signIn(run, { code: await run.code() });
    const status = async (given: string) =>
      (await run.tcp({ path: '/v1/fleet', headers: { ...host, cookie: given } })).status;
    expect([await status(''), await status(`${cookie}A`), await status(cookie)]).toEqual([401, 401, 200]);
    expect(await whoIs(`${cookie}A`)).toMatchObject({ role: null });
    run.pass(12 * 3_600_000);
    expect(await status(cookie)).toBe(401);
  });

  test('stays signed in while it is used', async () => {
    const { cookie } = await signIn(run, { code: await run.code() });
    run.pass(2 * 3_600_000);
    const { headers } = await run.tcp({ path: '/v1/session', headers: { ...host, cookie } });
    const [renewed = ''] = headers['set-cookie'] as string[];
    expect(renewed).toMatch(/; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/);
    run.pass(11 * 3_600_000);
    expect(await whoIs(cookie)).toMatchObject({ role: null });
    expect(await whoIs(renewed.split(';')[0] ?? '')).toMatchObject({ role: 'operate' });
  });

  const leaving = (cookie: string, path = '/v1/session') => ({
    method: 'DELETE',
    path,
    headers: { ...host, 'x-drover-page': '1', cookie },
  });
  const statusOf = async (cookie: string) =>
    (await run.tcp({ path: '/v1/fleet', headers: { ...host, cookie } })).status;

  test('signs out with every copy of its cookie, also for a restarted run', async () => {
    const { cookie } = await signIn(run, { code: await run.code() });
    const other = await signIn(run, { code: await run.code() });
    const { headers } = await run.tcp(leaving(cookie));
    expect(headers['set-cookie']).toEqual([expect.stringMatching(/^drover-\w+=; .*Max-Age=0$/)]);
    expect([await statusOf(cookie), await statusOf(other.cookie)]).toEqual([401, 200]);
    await run.close();
    run = await openListeners({ stateDir: run.stateDir });
    expect([await statusOf(cookie), await statusOf(other.cookie)]).toEqual([401, 200]);
  });

  test('is signed out only with the header of the page', async () => {
    const { cookie } = await signIn(run, { code: await run.code() });
    const { status } = await run.tcp({ ...leaving(cookie), headers: { ...host, cookie } });
    expect([status, await statusOf(cookie)]).toEqual([403, 200]);
  });

  test('signs out every browser, and revokes unused codes', async () => {
    const [mine, theirs, reader] = [
      await signIn(run, { code: await run.code() }),
      await signIn(run, { token: OPERATE }),
      await signIn(run, { code: await run.code('read') }),
    ];
    const code = await run.code();
    expect((await run.tcp(leaving(reader.cookie, '/v1/sessions'))).status).toBe(403);
    expect(await statusOf(theirs.cookie)).toBe(200);
    expect((await run.tcp(leaving(mine.cookie, '/v1/sessions'))).status).toBe(200);
    for (const { cookie } of [mine, theirs, reader]) expect(await statusOf(cookie)).toBe(401);
    expect((await signIn(run, { code })).answer.status).toBe(401);
  });

  test('may place orders if the config allows it, without a token', async () => {
    const order = async (listeners: Listeners) => {
      const { cookie } = await signIn(listeners, { code: await listeners.code() });
      return (
        await listeners.tcp({ method: 'POST', path: '/v1/orders', headers: { ...own, cookie }, body: {} })
      ).status;
    };
    expect(await order(run)).toBe(403);
    const rich = await openListeners({ money: () => true, tcp: { tokens: {} } });
    expect(await order(rich)).toBe(400);
    await rich.close();
  });
});

test('a restart on the same state folder keeps sessions and port', async () => {
  const { cookie } = await signIn(run, { code: await run.code() });
  await run.close();
  const { port, stateDir } = run;
  run = await openListeners({ stateDir });
  expect([run.port, await whoIs(cookie)]).toEqual([port, expect.objectContaining({ role: 'operate' })]);
  const key = join(stateDir, 'page.key');
  expect([statSync(key).mode & 0o777, readFileSync(key, 'utf8')]).toEqual([
    0o600,
    expect.stringMatching(/^[0-9a-f]{64}\n$/),
  ]);
  const beside = await openListeners({ stateDir: run.stateDir });
  expect(beside.port).not.toBe(port);
  await beside.close();
});

test('a session of a token ends with that token', async () => {
  const { cookie } = await signIn(run, { token: OPERATE });
  const { stateDir } = run;
  await run.close();
  run = await openListeners({ stateDir, tcp: { tokens: { operate: 'p'.repeat(32) } } });
  expect(await whoIs(cookie)).toMatchObject({ role: null });
});

describe('a page behind a proxy', () => {
  const proxied = {
    host: 'bots.example',
    origin: 'https://bots.example',
    'sec-fetch-site': 'same-origin',
    ...json,
  };
  const open = () => openListeners({ tcp: { publicUrl: 'https://bots.example/one' } });

  test('works under its prefix, with a cookie bound to that prefix and to https', async () => {
    const listeners = await open();
    const body = { code: await listeners.code(), path: '/one/' };
    const { answer, cookie } = await signIn(listeners, body, proxied);
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(/^__Secure-drover-\S+; Path=\/one\/; HttpOnly; SameSite=Strict; Secure; /),
    ]);
    const { status } = await listeners.tcp({ path: '/v1/fleet', headers: { ...proxied, cookie } });
    expect(status).toBe(200);
    expect(listeners.invite()).toMatch(/^https:\/\/bots\.example\/one\/#code=/);
    await listeners.close();
  });

  test.each(['one', '/one', '/a b/', '/;Domain=x/', '/one/\r\nx: y/'])(
    'refuses the path %j',
    async (path) => {
      expect((await signIn(run, { code: await run.code(), path })).answer.status).toBe(400);
    },
  );

  test('refuses another host or origin', async () => {
    const listeners = await open();
    const status = async (headers: object) =>
      (await listeners.tcp({ path: '/v1/session', headers: { ...proxied, ...headers } })).status;
    expect(await status({})).toBe(200);
    expect(await status({ host: 'evil.example' })).toBe(403);
    expect(await status({ origin: 'http://bots.example.evil' })).toBe(403);
    await listeners.close();
    expect((await run.tcp({ path: '/v1/session', headers: proxied })).status).toBe(403);
  });
});
