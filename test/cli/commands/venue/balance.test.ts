import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drover } from '../../support/commandLine.ts';
import { declined, type StubRequest } from '../../support/venueStub.ts';
import { aapl, contract, cwd, delegatee, env, link, startOneUser, user } from '../../support/oneUser.ts';

let one: Awaited<ReturnType<typeof startOneUser>>;
beforeEach(async () => {
  one = await startOneUser();
});
afterEach(() => one.venue.close());

test('an invalid wallet key is refused with its origin, and not shown', async () => {
  const other = { ...env, DROVER_WALLET_KEY: 'c0ffee11c0ffee11' };
  for (const argv of [
    ['wallet', 'address'],
    ['oneclick', 'enable'],
  ]) {
    const { code, err } = await drover([...argv, '--config', 'my.yaml'], { env: other, cwd });
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/^drover: env DROVER_WALLET_KEY: .* 64 hex digits/),
    ]);
    expect(err).not.toContain('c0ffee11');
  }
});

test('balance and positions print exact amounts as JSON, and rounded ones as text', async () => {
  expect(JSON.parse((await one.run('balance', '--json')).out)).toEqual({
    mUsd: '5000.25',
    mUsdLocked: null,
    mUsdQueued: null,
    debts: null,
    tokens: [
      {
        symbol: 'AAPLx',
        stockSymbol: 'AAPL',
        address: aapl,
        wallet: '1',
        exchange: '2.5',
        // One order is only a link, and the stub has neither cash operations nor debts.
        locked: null,
        queued: null,
        debt: null,
      },
    ],
  });
  expect(JSON.parse((await one.run('positions', '--json')).out)).toEqual([
    { symbol: 'AAPL', exchange: '2.5', locked: null, wallet: '1', price: '200.5', value: '701.75' },
  ]);
  expect((await one.run('positions')).out.split('\n')).toEqual([
    'symbol  exchange  locked  wallet   price  worth mUSD',
    'AAPL         2.5       ?       1  200.50      701.75',
    '',
  ]);
});

test('positions shows what open sells lock', async () => {
  const openOrder = {
    orderId: '0x01',
    side: 'Sell',
    type: 'Limit',
    symbol: 'AAPL',
    status: 'Pending',
    placeQuantity: '3',
    placePrice: '210',
    pay: '3',
  };
  one.answers['GET /api/v1/orders'] = () => ({ total: 1, rows: [{ ...link(1_781_530_060), openOrder }] });
  expect(JSON.parse((await one.run('positions', '--json')).out)).toEqual([
    { symbol: 'AAPL', exchange: '2.5', locked: '3', wallet: '1', price: '200.5', value: '1303.25' },
  ]);
});

test('orders shows a settled order, and one that is only a link', async () => {
  const rows = JSON.parse((await one.run('orders', '--json')).out) as object[];
  expect(rows).toMatchObject([
    {
      at: '2026-06-15T13:27:40Z',
      symbol: 'AAPL',
      side: 'Buy',
      notional: '100',
      status: 'Filled',
      settleReceive: '0.5',
    },
    { at: '2026-06-15T13:26:40Z', symbol: null, status: 'Filled', txHash: `0x${'ab'.repeat(32)}` },
  ]);
});

test('api prints the envelope, and ends with exit 3 if it is not a success', async () => {
  const found = await one.run('api', 'get', '/api/v1/symbols', '--json');
  expect(found.code).toBe(0);
  expect(JSON.parse(found.out)).toMatchObject({ code: 200, data: [{ symbol: 'AAPL' }, { symbol: 'SPY' }] });
  const missing = await one.run('api', 'GET', '/api/v1/nothing', '--json');
  expect([missing.code, JSON.parse(missing.out)]).toMatchObject([3, { code: 10_001 }]);
});

test('api --dry-run prints what would be sent, masks secrets and sends nothing', async () => {
  const { code, out } = await one.run(
    'api',
    'POST',
    '/api/v1/1ct/prepare',
    '--data',
    '{"deadline":1}',
    '--dry-run',
    '--json',
  );
  expect(code).toBe(0);
  const shown = JSON.parse(out) as { body: string; headers: Record<string, string> };
  expect(shown).toMatchObject({
    method: 'POST',
    url: `${one.venue.baseUrl}/api/v1/1ct/prepare`,
    body: '{"deadline":1}',
  });
  expect(out).not.toContain('canary');
  expect(one.sent()).toEqual([]);
});

test.each([
  [['PUT', '/api/v1/symbols'], 'PUT is not a method of the venue'],
  [['GET', '/symbols'], '/symbols must start with /api/v1/'],
  [['POST', '/api/v1/1ct/prepare', '--data', '{deadline:1}'], '--data is not JSON'],
  [
    ['POST', '/api/v1/orders/send', '--data', '['.repeat(100) + ']'.repeat(100)],
    'nested deeper than 64 levels',
  ],
  [['GET', '/api/v1/orders', '--query', 'page'], '--query page must be name=value'],
])('api refuses %j before anything is sent', async (argv, told) => {
  const { code, err } = await one.run('api', ...argv);
  expect([code, one.sent()]).toEqual([2, []]);
  expect(err).toContain(told);
});

test('api says what it does not check and needs --yes for a send, and nothing for a read', async () => {
  one.answers['POST /api/v1/orders/send'] = () => ({ txHash: `0x${'ab'.repeat(32)}`, uuid: 'u' });
  const send = ['api', 'POST', '/api/v1/orders/send', '--data', '{"side":"Buy","notional":"10"}'];
  const asked = await one.run(...send);
  expect([asked.code, one.sent()]).toEqual([2, []]);
  expect(asked.err).toMatch(
    /POST \/api\/v1\/orders\/send[^]*"notional":"10"[^]*not applied +limits of the config/,
  );
  expect(asked.err).toContain('orderNotional 1 mUSD, positionNotional');
  expect(asked.err).toContain('Pass --yes');

  expect((await one.run(...send, '--dry-run')).code).toBe(0);
  expect(one.sent()).toEqual([]);
  expect((await one.run(...send, '--yes', '--json')).code).toBe(0);
  expect(one.sent()).toEqual(['POST /api/v1/orders/send']);
  expect((await one.run('api', 'GET', '/api/v1/symbols')).err).toBe('');
});

test('api signs only reads and trading without --allow', async () => {
  one.answers['POST /api/v1/cash/withdrawals/send'] = () => ({});
  const denied = await one.run('api', 'POST', '/api/v1/cash/withdrawals/send');
  expect([denied.code, one.sent()]).toEqual([4, []]);
  expect(denied.err).toContain('--allow withdrawals');
  const allowed = ['--allow', 'record', '--allow', 'withdrawals'];
  expect((await one.run('api', 'POST', '/api/v1/cash/withdrawals/send', ...allowed, '--yes')).code).toBe(0);
  expect(one.sent()).toEqual(['POST /api/v1/cash/withdrawals/send']);
  const wrong = await one.run('api', 'GET', '/api/v1/symbols', '--allow', 'everything');
  expect(wrong.code).toBe(2);
  expect(wrong.err).toContain('--allow: must be one of deposits, withdrawals');
});

test('api refuses a path that climbs out of its endpoint', async () => {
  const { code } = await one.run('api', 'GET', '/api/v1/prices/AAPL/../../1ct/disable');
  expect(code).toBe(4);
  expect(one.sent()).toEqual([]);
});

test('oneclick enable prepares, checks, signs and turns One Click on', async () => {
  one.delegation.enabled = false;
  one.writeConfig(`oneClickRouter: '${contract}'\n  delegatee: '${delegatee}'`);
  const { code, out, err } = await one.run('oneclick', 'enable', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual({ enabled: true, status: 'enable', delegatee });
  expect(err).toContain(`delegatee  ${delegatee}`);
  expect(one.sent()).toEqual([
    'POST /api/v1/1ct/prepare',
    'POST /api/v1/1ct/enable',
    'GET /api/v1/1ct/status',
  ]);
  expect((await one.run('oneclick', 'disable')).out).toContain('One Click is off (disabled)');
});

test('oneclick enable signs no contract other than that of the config', async () => {
  one.writeConfig(`oneClickRouter: '${aapl}'`);
  const { code, err } = await one.run('oneclick', 'enable');
  expect(code).toBe(4);
  expect(err).toContain(`domain.verifyingContract is "${contract}", not "${aapl}" (venue.oneClickRouter)`);
  expect(one.sent()).toEqual(['POST /api/v1/1ct/prepare']);
});

test('oneclick enable sends nothing with the key of another wallet', async () => {
  const other = { ...env, DROVER_WALLET_KEY: `0x${'12'.repeat(32)}` };
  const { code, err } = await drover(['oneclick', 'enable', '--config', 'my.yaml'], { env: other, cwd });
  expect([code, one.sent()]).toEqual([4, []]);
  expect(err).toContain(`venue.userAddress is ${user}`);
});

test('balance ends with exit 3 if the venue cannot be reached', async () => {
  await one.venue.close();
  const { code, err } = await one.run('balance');
  expect(code).toBe(3);
  expect(err).toMatch(/^drover: /);
});

test('balance without a venue section names the remedy', async () => {
  writeFileSync(join(cwd, 'none.yaml'), "strategies: [{ id: one, use: dca, capital: '20' }]\n");
  const { code, err } = await drover(['balance', '--config', 'none.yaml'], { env, cwd });
  expect(code).toBe(2);
  expect(err).toContain('none.yaml has no venue');
});

test('unverified TLS is refused before the key is read', async () => {
  const loose = { ...env, NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  const { code } = await drover(['balance', '--config', 'my.yaml'], { env: loose, cwd });
  expect([code, one.sent()]).toEqual([4, []]);
});

test('a key that the venue echoes is masked, in responses and errors', async () => {
  const echo = ({ headers }: StubRequest) =>
    declined(
      10_000,
      `what is ${String(headers['x-api-key'])}? It came as ${JSON.stringify(headers)}, and ` +
        `${String(headers['x-api-sign']).toUpperCase()} is no signature`,
    );
  one.answers['GET /api/v1/symbols'] = echo;
  one.answers['GET /api/v1/orders'] = echo;
  const shown = await one.run('api', 'GET', '/api/v1/symbols', '--json');
  const failed = await one.run('orders', '--json', '--verbose');
  expect(shown.out).toContain('what is [redacted]?');
  expect(failed.err).toContain('what is [redacted]?');
  expect(failed.err).toMatch(/x-api-sign\W+\[redacted\]/);
  expect([shown, failed].map(({ out, err }) => out + err).join()).not.toMatch(/[0-9a-f]{64}/i);
  expect([shown, failed].map(({ out, err }) => out + err).join()).not.toContain('canary');
});
