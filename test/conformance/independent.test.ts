import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { IndependentClient, signatureOf, uriOf } from './independent.ts';
import { rows } from './rows.ts';
import { startStage, type Stage } from './stage.ts';

/** The test vectors published with the specification. */
const VECTORS = [
  ['GET', '/api/v1/symbols', '', '1470abaac4932d11d439cca2f0e658c8110a8d1423a896fdaa636a923e7c978d'],
  [
    'GET',
    uriOf('/api/v1/prices/AAPL/history', { limit: 5, interval: '1m', endTime: 1_700_000_000 }),
    '',
    '22ee35d72e54887244634bd48fad157529eda0238960f88e0115b7f9b062b2f6',
  ],
  ['POST', '/api/v1/1ct/disable', '', '8a19d2acdc870fb2821ed99c7b47ec5ca7e88b6668e85f11086f4ad82535b792'],
  [
    'POST',
    '/api/v1/orders/send',
    '{"stockAddress":"0x1111111111111111111111111111111111111111","side":"Buy","type":"Market","notional":"10","deadline":1700000060}',
    '99b473cf3764831a2846462ed405a509a1b3dd46f7132aa92f1d8bee57f3003f',
  ],
] as const;

test.for(VECTORS)('the second client signs %s %s as published', ([method, uri, body, signature]) => {
  const nonce = '00000000-0000-4000-8000-000000000001';
  expect(signatureOf('test-secret', { method, uri, ts: '1700000000000', nonce, body })).toBe(signature);
});

let stage: Stage;
let client: IndependentClient;
const asked = new Set<string>();
beforeAll(async () => {
  stage = await startStage();
  client = new IndependentClient(
    stage.info.baseUrl,
    { ...stage.key(1), chainId: stage.info.chainId, product: stage.info.product },
    () => stage.now(),
  );
});
afterAll(() => stage.close());

type Fields = Readonly<Record<string, unknown>>;
type Asking = Readonly<{
  path?: Record<string, string>;
  query?: Record<string, string | number>;
  body?: object;
}>;

/** Calls an endpoint by its path template, and records the call. */
async function ask<T = Fields>(endpoint: string, { path = {}, query = {}, body }: Asking = {}): Promise<T> {
  asked.add(endpoint);
  const [method = '', template = ''] = endpoint.split(' ');
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => path[name] ?? '');
  return (await client.data(method, filled, { query, ...(body ? { body } : {}) })) as T;
}
type Page = Readonly<{ total: number; rows: readonly Fields[] }>;

test('the second client goes through all of the 46 endpoints', async () => {
  const { userAddress, privateKey } = stage.account(1);
  const user = { userId: userAddress };
  const deadline = () => ({ deadline: stage.deadline() });
  const mine = { userAddress };

  // It reads the public data.
  expect(await ask('GET /config')).toMatchObject({
    cashierTokenConfig: [{ symbol: 'USDC', minAmount: '90' }],
  });
  const [token] = (await ask<{ cashierTokenConfig: { tokenAddress: string }[] }>('GET /config'))
    .cashierTokenConfig;
  const tokenAddress = token?.tokenAddress ?? '';
  const listed = await ask<{ symbol: string; contractAddress: string }[]>('GET /symbols');
  const stockAddress = listed.find(({ symbol }) => symbol === 'AAPL')?.contractAddress ?? '';
  const { price } = await ask<{ price: number }>('GET /underlying/{symbol}/price', {
    path: { symbol: 'aapl' },
  });
  expect(await ask('GET /prices/{symbol}', { path: { symbol: stockAddress } })).toMatchObject({
    basicInfo: { price },
  });
  const query = { interval: '1d', endTime: stage.deadline(0), limit: 5 };
  expect(
    await ask<Fields[]>('GET /prices/{symbol}/history', { path: { symbol: 'AAPL' }, query }),
  ).toHaveLength(5);
  expect(await ask('GET /corporate-action', { query: { symbols: 'AAPL' } })).toEqual([]);
  expect(await ask('GET /users/{userId}', { path: user })).toMatchObject({ userAddress });
  const cash = async () => Number((await ask('GET /users/{userId}/balance', { path: user }))['mUsdBalance']);
  const shares = async () => {
    const held = await ask<{ stockSymbol: string; exchangeBalance: string; walletBalance: string }[]>(
      'GET /users/{userId}/positions',
      { path: user },
    );
    const aapl = held.find(({ stockSymbol }) => stockSymbol === 'AAPL');
    return [Number(aapl?.exchangeBalance), Number(aapl?.walletBalance)];
  };
  const [cashBefore, sharesBefore] = [await cash(), await shares()];

  // It disables delegation, finds that nothing can be sent, and enables it again.
  expect(await ask('POST /1ct/disable')).toEqual({ status: 'disabled' });
  const buy = { stockAddress, side: 'Buy', type: 'Market', notional: '1000' };
  expect((await client.request('POST', '/orders/send', { body: { ...buy, ...deadline() } })).code).toBe(
    10_003,
  );
  const { signPayload, ...prepared } = await ask<{ signPayload: never; deadline: number }>(
    'POST /1ct/prepare',
    {
      body: deadline(),
    },
  );
  const { types, ...payload } = signPayload as { types: { Delegate: never } };
  const signature = await privateKeyToAccount(privateKey as `0x${string}`).signTypedData({
    ...(payload as { domain: object; message: never; primaryType: 'Delegate' }),
    types: { Delegate: types.Delegate },
  });
  await ask('POST /1ct/enable', { body: { signature, deadline: prepared.deadline } });
  expect(await ask('GET /1ct/status')).toMatchObject({ status: 'enable' });

  // It deposits cash and buys: 1000 with 0.11 % of fees on top.
  await ask('POST /cash/deposits/calldata', { body: { ...mine, tokenAddress, tokenAmount: '500' } });
  await ask('POST /cash/deposits/send', { body: { tokenAddress, tokenAmount: '500' } });
  expect(await ask('POST /orders/calldata', { body: { ...buy, ...deadline() } })).toMatchObject({
    toAddress: stage.info.contracts.router,
    value: '0',
    method: 'placeMarketOrder',
    callData: expect.stringMatching(/^0xc0c16b76/) as string,
  });
  const bought = await ask<{ txHash: string }>('POST /orders/send', { body: { ...buy, ...deadline() } });
  await stage.settled();
  expect(await cash()).toBeCloseTo(cashBefore + 500 - 1001.1, 6);
  const found = await ask<{ historyOrder: Record<string, string> }>('GET /orders/tx/{txHash}', {
    path: bought,
  });
  expect(found.historyOrder).toMatchObject({ status: 'Filled', settlePay: '1001.1', mintFee: '1' });
  expect((await shares())[0]).toBeCloseTo(
    (sharesBefore[0] ?? 0) + Number(found.historyOrder['settleReceive']),
    9,
  );

  // It places a limit order, reads it and cancels it: everything locked is released.
  const limit = {
    ...buy,
    notional: undefined,
    type: 'Limit',
    quantity: '2',
    price: '50',
    timeInForce: 'DAY',
  };
  const before = await cash();
  const resting = await ask<{ txHash: string }>('POST /orders/send', { body: { ...limit, ...deadline() } });
  await stage.settled();
  expect(await cash()).toBeCloseTo(before - 100.11, 6);
  const { rows: orders } = await ask<Page>('GET /orders', { query: { page: 1, limit: 5 } });
  const order = { orderId: String(orders.find(({ txHash }) => txHash === resting.txHash)?.['orderId']) };
  expect(await ask('GET /orders/{orderId}', { path: order })).toMatchObject({
    openOrder: { status: 'placing' },
  });
  await ask('DELETE /orders/{orderId}/calldata', { path: order, query: deadline() });
  await ask('DELETE /orders/{orderId}/send', { path: order, query: deadline() });
  await stage.settled();
  expect(await ask('GET /orders/{orderId}', { path: order })).toMatchObject({
    historyOrder: { status: 'Canceled' },
  });
  expect(await cash()).toBeCloseTo(before, 6);

  // It moves stock, buys with a deposit, sells deferred, and repays that.
  const move = { tokenAddress: stockAddress, tokenAmount: '3' };
  const heldBefore = await shares();
  for (const way of ['deposits', 'withdrawals']) {
    await ask(`POST /stock/${way}/calldata`, { body: { ...mine, ...move } });
    await ask(`POST /stock/${way}/send`, { body: { ...move, tokenAmount: way === 'deposits' ? '3' : '1' } });
  }
  await stage.settled();
  expect(await shares()).toEqual([(heldBefore[0] ?? 0) + 2, (heldBefore[1] ?? 0) - 2]);
  const both = { ...buy, notional: '80', tokenAddress, tokenAmount: '90', ...deadline() };
  await ask('POST /orders/with-deposit/calldata', { body: both });
  await ask('POST /orders/with-deposit/send', { body: both });
  const deferred = { stockAddress, side: 'Sell', type: 'Market', quantity: '4', deferred: true };
  await ask('POST /orders/send', { body: { ...deferred, ...deadline() } });
  await stage.settled();
  const debt = () => ask<Fields[]>('GET /deferred-sell/debts', { query: { stockAddress } });
  expect(await debt()).toMatchObject([{ debtQuantity: '4' }]);
  const repayment = { stockAddress, quantity: '4' };
  await ask('POST /deferred-sell/repay/calldata', { body: { ...mine, ...repayment } });
  await ask('POST /deferred-sell/repay/send', { body: repayment });
  await stage.settled();
  expect(await debt()).toEqual([]);

  // It withdraws cash, and finds each of its operations in a list and by its id.
  const out = { tokenAddress, creditAmount: '100' };
  await ask('POST /cash/withdrawals/calldata', { body: { ...mine, ...out } });
  const left = await cash();
  await ask('POST /cash/withdrawals/send', { body: out });
  await stage.settled();
  expect(await cash()).toBeCloseTo(left - 100, 6);
  for (const [index, what] of [
    'cash/deposits',
    'cash/withdrawals',
    'stock/deposits',
    'stock/withdrawals',
  ].entries()) {
    const { rows: moved, total } = await ask<Page>(`GET /${what}`);
    expect([total, moved[0]?.['status']]).toEqual([1, 'success']);
    const path = { operationId: String(moved[0]?.['operationId']) };
    expect(await ask(`GET /${what}/{operationId}`, { path })).toMatchObject({ operationStatus: 'success' });
    await ask(`POST /${what}/tx`, { body: { txHash: `0x${String(index + 1).repeat(64)}` } });
  }
  await ask('POST /orders/tx', { body: { txHash: `0x${'5'.repeat(64)}` } });
  expect(await ask('GET /orders', { query: { limit: 1 } })).toMatchObject({
    rows: [{ txHash: `0x${'5'.repeat(64)}`, status: 'Pending' }],
  });

  expect([...asked].sort()).toEqual(rows.map(({ method, path }) => `${method} ${path}`).sort());
});
