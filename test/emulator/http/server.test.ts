import { afterEach, describe, expect, test } from 'vitest';
import { VirtualClock } from '../../../src/core/virtualClock.ts';
import { startEmulator, type Emulator, type EmulatorOptions } from '../../../src/emulator/index.ts';
import { call, sign, type Call, type ClientOptions, type Envelope } from '../client.ts';

const START = '2026-06-15T14:00:00Z';
const started: Emulator[] = [];
const start = async (options: EmulatorOptions = {}) => {
  const emulator = await startEmulator({ speed: 0, start: START, ...options });
  started.push(emulator);
  return emulator;
};
afterEach(async () => {
  await Promise.all(started.splice(0).map((emulator) => emulator.close()));
});

const keyOf = ({ info }: Emulator, account = 0): ClientOptions => {
  const key = info.accounts[account]?.keys[0];
  if (!key) throw new Error('no key');
  return key;
};
const at = Date.parse(START);

async function ask(emulator: Emulator, request: Omit<Call, 'ts'>, ts = at) {
  const answer = await call(emulator.info.baseUrl, sign(keyOf(emulator), { ...request, ts }));
  return { status: answer.status, body: JSON.parse(answer.text) as Envelope };
}

async function control(emulator: Emulator, path: string, body?: unknown) {
  const answer = await fetch(emulator.info.controlUrl + path, {
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json' },
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

describe('startEmulator', () => {
  test('gives its addresses, accounts and symbols', async () => {
    const { info } = await start();
    expect(info).toMatchObject({
      rpcUrl: expect.stringMatching(/^http:.*127.0.0.1:\d+$/) as string,
      chainId: 143,
      product: 'ProductA',
      now: START,
    });
    expect(info.accounts.map(({ oneClick }) => oneClick)).toEqual(['enable', 'enable', 'enable', 'disabled']);
    expect(info.symbols.map(({ symbol }) => symbol)).toEqual(
      expect.arrayContaining(['AAPL', 'MSFT', 'NVDA', 'TSLA', 'AMZN', 'SPY']),
    );
  });

  test('trades over a socket on the clock of the control port', async () => {
    const emulator = await start();
    const stockAddress = emulator.info.symbols[0]?.contractAddress;
    const body = { stockAddress, side: 'Buy', type: 'Market', notional: '100', deadline: at / 1000 + 90 };
    const sent = await ask(emulator, { method: 'POST', path: '/api/v1/orders/send', body });
    expect(sent).toMatchObject({ status: 200, body: { code: 200, errMsg: '', t: at } });
    const moved = await control(emulator, '/clock', { advanceMs: 20_000 });
    expect(moved.body).toEqual({ now: '2026-06-15T14:00:20Z', speed: 0 });
    const list = await ask(emulator, { method: 'GET', path: '/api/v1/orders' }, at + 20_000);
    expect(list.body.data).toMatchObject({
      total: 1,
      rows: [{ status: 'Filled', historyOrder: { settlePay: '100.11' } }],
    });
    const { body: truth } = await control(emulator, '/truth');
    expect(truth).toMatchObject({
      orders: [{ status: 'Filled', settlePay: '100.11' }],
      requests: { 'POST /api/v1/orders/send': { received: 1, accepted: 1, answered: 1 } },
    });
  });

  test('writes its own time into the Date header', async () => {
    const emulator = await start();
    const answer = await fetch(`${emulator.info.baseUrl}/api/v1/symbols`);
    expect(answer.status).toBe(400);
    expect(answer.headers.get('date')).toBe(new Date(at).toUTCString());
  });

  test('names a port that is in use', async () => {
    const { info } = await start();
    const port = Number(new URL(info.baseUrl).port);
    await expect(start({ port })).rejects.toThrow(`127.0.0.1:${port}`);
  });

  test('breaks the connection of a lost response', async () => {
    const emulator = await start();
    await control(emulator, '/faults', { rules: [{ kind: 'lost-response', times: 1 }] });
    await expect(ask(emulator, { method: 'GET', path: '/api/v1/symbols' })).rejects.toThrow();
    expect((await ask(emulator, { method: 'GET', path: '/api/v1/symbols' })).status).toBe(200);
  });

  test('answers a request that is too large or malformed', async () => {
    const { info } = await start();
    const large = await fetch(`${info.baseUrl}/api/v1/orders/send`, {
      method: 'POST',
      body: 'x'.repeat(300_000),
    });
    expect(large.status).toBe(413);
    const odd = await fetch(`${info.baseUrl}/api/v1/%zz?%`, { method: 'PUT' });
    expect(((await odd.json()) as Envelope).code).toBe(401);
  });

  test('embedded spends its latency on the clock that the client holds', async () => {
    const clock = new VirtualClock({ start: Date.parse(START) as never, pace: 'max' });
    const emulator = await startEmulator({ clock });
    const running = clock.run();
    const nonce = '00000000-0000-4000-8000-000000000001';
    const release = clock.hold(nonce);
    const signed = sign(keyOf(emulator), { method: 'GET', path: '/api/v1/1ct/status', ts: at, nonce });
    const answer = await call(emulator.info.baseUrl, signed);
    expect(answer.status).toBe(200);
    expect(clock.monotonic() - at).toBeGreaterThan(15);
    expect(clock.monotonic() - at).toBeLessThan(60);
    release();
    clock.stop();
    await running;
    await emulator.close();
  });
});

describe('transfers and corporate actions over a socket', () => {
  const post = (emulator: Emulator, path: string, body: unknown) =>
    ask(emulator, { method: 'POST', path: `/api/v1${path}`, body });

  test('follow the buffers, allowances and lists that the control port sets', async () => {
    const emulator = await start();
    const [account] = emulator.info.accounts;
    const userAddress = account?.userAddress;
    const { address: tokenAddress } = emulator.info.cashToken;
    const deposit = { tokenAddress, tokenAmount: '100' };
    await control(emulator, '/cashier', { creditBuffer: '400' });
    const sent = await post(emulator, '/cash/deposits/send', deposit);
    expect(sent.body).toMatchObject({ code: 200 });
    await control(emulator, '/allowance', { userAddress, token: 'USDC', amount: '5' });
    expect((await post(emulator, '/cash/deposits/send', deposit)).body.code).toBe(10_003);
    await control(emulator, '/allowance', { userAddress, token: 'USDC', amount: '100' });
    await control(emulator, '/deferred-sell', { userAddress, restricted: true });
    const stock = { tokenAddress: emulator.info.symbols[0]?.contractAddress, tokenAmount: '1' };
    expect((await post(emulator, '/stock/withdrawals/send', stock)).body.code).toBe(200);
    await control(emulator, '/clock', { advanceMs: 10_000 });
    const rows = async (path: string) => {
      const { body } = await ask(emulator, { method: 'GET', path: `/api/v1${path}` }, at + 10_000);
      return (body.data as { rows: unknown[] }).rows;
    };
    expect(await rows('/cash/deposits')).toMatchObject([
      { status: 'processing', depositOperation: { isInstant: false, amount: 100 } },
    ]);
    expect(await rows('/stock/withdrawals')).toMatchObject([{ status: 'failed', stockOperation: null }]);
    const { body: truth } = await control(emulator, '/truth');
    expect(truth).toMatchObject({
      accounts: [{ cashToken: { wallet: '49900', queued: '100' } }, {}, {}, {}],
    });
  });

  test('are announced on the control port and listed by the venue', async () => {
    const emulator = await start();
    const split = { type: 'forward_split', symbol: 'AAPL', oldRate: '1', newRate: '4' };
    expect((await control(emulator, '/corporate-action', split)).status).toBe(200);
    const wrong = await control(emulator, '/corporate-action', { ...split, newRate: '1' });
    expect(wrong).toEqual({
      status: 400,
      body: { error: 'forward split of AAPL on 2026-06-16: 1 for 1 is no forward split' },
    });
    const { body } = await ask(emulator, { method: 'GET', path: '/api/v1/corporate-action' });
    expect(body.data).toMatchObject([{ symbol: 'AAPL', exDate: '2026-06-16', newRate: '4' }]);
  });
});

describe('the control port', () => {
  test('refuses pages of other sites and invalid commands', async () => {
    const emulator = await start();
    const foreign = await fetch(`${emulator.info.controlUrl}/truth`, {
      headers: { origin: 'https://evil.example' },
    });
    expect(foreign.status).toBe(403);
    expect(await control(emulator, '/market', { symbol: 'NOPE', price: '1' })).toEqual({
      status: 400,
      body: { error: 'NOPE is not listed' },
    });
    expect((await control(emulator, '/faults', { rules: [{ kind: 'sabotage' }] })).status).toBe(400);
    expect((await control(emulator, '/clock', { to: '2026-01-01T00:00:00Z' })).status).toBe(400);
    const broken = await fetch(`${emulator.info.controlUrl}/market`, {
      method: 'POST',
      body: '{',
      headers: { 'content-type': 'application/json' },
    });
    expect([broken.status, await broken.json()]).toEqual([
      400,
      { error: expect.stringContaining('not valid JSON') as string },
    ]);
  });

  test('sets the price of a stock', async () => {
    const emulator = await start();
    expect((await control(emulator, '/market', { symbol: 'AAPL', price: '191.25' })).status).toBe(200);
    const { body } = await ask(emulator, { method: 'GET', path: '/api/v1/prices/AAPL' });
    expect(body.data).toMatchObject({ basicInfo: { price: 191.25 }, onChain: { price: 191.25 } });
  });

  test('sets the premium of a token, its multiplier, and whether it shows a price', async () => {
    const emulator = await start();
    await control(emulator, '/market', { symbol: 'AAPL', price: '200' });
    const onChain = async (symbol: string) => {
      const { body } = await ask(emulator, { method: 'GET', path: `/api/v1/prices/${symbol}` });
      return (body.data as { onChain: Readonly<Record<string, unknown>> }).onChain;
    };
    expect(await onChain('AAPL')).not.toHaveProperty('multiplier');
    const tokens = { AAPL: { premiumBps: 120, multiplier: '1.5' }, '*': { shown: false } };
    expect((await control(emulator, '/constants', { tokens })).status).toBe(200);
    expect(await onChain('AAPL')).toMatchObject({ price: 303.6, multiplier: '1.5' });
    expect(await onChain('MSFT')).not.toHaveProperty('price');
  });

  test('turns off a key, which is then unauthorized', async () => {
    const emulator = await start();
    const { apiKey } = keyOf(emulator);
    await control(emulator, '/keys', { apiKey, active: false });
    const { status, body } = await ask(emulator, { method: 'GET', path: '/api/v1/symbols' });
    expect({ status, code: body.code }).toEqual({ status: 400, code: 401 });
  });
});
