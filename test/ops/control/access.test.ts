import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callerOf, checkArrival, type Door } from '../../../src/ops/control/access.ts';
import { ask } from './asking.ts';
import { bareServer, OPERATE, READ, type BareServer } from './bareServer.ts';

const door = (more: Partial<Extract<Door, { kind: 'tcp' }>> = {}): Door => ({
  kind: 'tcp',
  host: '127.0.0.1',
  tokens: { read: READ, operate: OPERATE },
  allowsMoney: () => false,
  ...more,
});
const bearer = (token: string) => ['authorization', `Bearer ${token}`];
const roleOf = (rawHeaders: readonly string[], at = door()) => callerOf(rawHeaders, at)?.role ?? null;

describe('a control token', () => {
  test('matches only as a whole, and only for its own role', () => {
    expect([roleOf(bearer(READ)), roleOf(bearer(OPERATE))]).toEqual(['read', 'operate']);
    for (const token of [READ, OPERATE])
      for (const wrong of [token.slice(1), token.slice(0, 1), `${token}x`, token.toUpperCase(), ` ${token}`])
        expect(roleOf(bearer(wrong)), wrong).toBeNull();
  });

  test('that is not set gives no access', () => {
    for (const none of ['', 'undefined', 'null', 'x'.repeat(32)])
      expect(roleOf(bearer(none), door({ tokens: {} }))).toBeNull();
    expect(roleOf(bearer(OPERATE), door({ tokens: { read: READ } }))).toBeNull();
  });

  test('is accepted in one authorization header, and in none that is repeated', () => {
    expect(roleOf([])).toBeNull();
    expect(roleOf([...bearer(READ), ...bearer(OPERATE)])).toBeNull();
    expect(roleOf(['authorization', READ])).toBeNull();
    expect(roleOf(['authorization', `Basic ${READ}`])).toBeNull();
  });
});

describe('the check of host and origin', () => {
  const arrival = (...rawHeaders: readonly string[]) => ({ method: 'GET', target: '/v1/status', rawHeaders });
  const local = ['host', 'localhost:8180'];

  test.each([
    [['host', 'evil.example']],
    [['host', 'localhost.evil.example']],
    [['host', '127.0.0.1.evil.example']],
    [['host', '0.0.0.0']],
    [['host', '']],
    [[]],
    [[...local, ...local]],
    [[...local, 'origin', 'http://evil.example']],
    [[...local, 'origin', 'null']],
    [[...local, 'origin', 'http://localhost:8181']],
    [[...local, 'origin', 'http://localhost:8180', 'origin', 'http://evil.example']],
    [[...local, 'sec-fetch-site', 'cross-site']],
    [[...local, 'sec-fetch-site', 'same-site']],
  ])('refuses a page of another site with %j', (headers) => {
    for (const at of [door(), { kind: 'socket', user: 'x', allowsMoney: () => true } as const])
      expect(() => checkArrival(arrival(...headers), at)).toThrow(/host|pages of other sites/i);
  });

  test('accepts a page and a program of this machine', () => {
    for (const headers of [
      local,
      ['host', '[::1]:8180'],
      ['host', '127.0.0.1'],
      [...local, 'origin', 'http://localhost:8180', 'sec-fetch-site', 'same-origin'],
    ])
      expect(() => checkArrival(arrival(...headers), door())).not.toThrow();
  });
});

describe('a listener over TCP', () => {
  let bare: BareServer;
  beforeAll(async () => {
    bare = await bareServer();
  });
  afterAll(() => bare.close());

  const give = (path: string, token: string, headers: Readonly<Record<string, string>> = {}) =>
    ask({
      port: bare.port,
      method: 'POST',
      path,
      headers: {
        host: 'localhost',
        'content-type': 'application/json',
        authorization: `Bearer ${token}`,
        ...headers,
      },
      body: { id: 'command-0001' },
    });

  test('takes steering commands of the role operate only', async () => {
    expect((await give('/v1/trade', OPERATE)).status).toBe(200);
    const { status, text } = await give('/v1/trade', READ);
    expect([status, text]).toEqual([403, expect.stringContaining('FORBIDDEN')]);
  });

  test('refuses orders unless control.money is on', async () => {
    const { status, text } = await give('/v1/orders', OPERATE);
    expect([status, text]).toEqual([403, expect.stringContaining('control.money')]);
  });

  test.each([
    ['x-drover-mode', 'emulator', 'live'],
    ['x-drover-account', 'an emulated account', '0x1'],
  ])('refuses a command that names another value in %s', async (header, own, other) => {
    expect((await give('/v1/trade', OPERATE, { [header]: own })).status).toBe(200);
    const { status, text } = await give('/v1/trade', OPERATE, { [header]: other });
    expect([status, text]).toEqual([409, expect.stringContaining(`${other}, and this run is of the`)]);
  });
});
