import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, cashIn, limitBuy, marketBuy, marketSell, withDeposit, type Body, type Name } from './bodies.ts';
import { failure, startStage, type Stage, type StageClient } from './stage.ts';

let stage: Stage;
let client: StageClient;
beforeAll(async () => {
  stage = await startStage();
  client = stage.client(0);
});
afterAll(() => stage.close());

const hash = (digit: string) => `0x${digit.repeat(64)}`;
const told = async (work: Promise<unknown>) => {
  const { name, message } = await failure(work);
  return `${name}: ${message.replace(/ \(code.*/, '')}`;
};
const sendOrder = async (body: Body, by = client) =>
  ((await ask(by, 'orderSend', { body })) as { txHash: string }).txHash;

describe('a cancel', () => {
  const cancel = (orderId: string, by = client) =>
    told(by.orderCancelSend({ path: { orderId }, query: { deadline: stage.deadline() } }));
  const orderIdOf = async (txHash: string) => {
    const found = await client.orderByTx({ path: { txHash } });
    return found?.mapping?.orderId ?? '';
  };
  const placed = async (body: Body) => {
    const txHash = await sendOrder(body);
    await stage.settled();
    return orderIdOf(txHash);
  };
  const where = 'DELETE /api/v1/orders/{orderId}/send';

  test('is refused for a market order, an order that is not open, one of another key, and an unknown one', async () => {
    const market = await placed(marketBuy(stage));
    const filled = await placed({ ...limitBuy(stage), price: '9000', quantity: '0.1' });
    const resting = await placed({ ...limitBuy(stage), price: '20' });
    expect(await cancel(market)).toBe(
      `VenueRefusedError: ${where}: only limit orders can be cancelled: this is a market order`,
    );
    expect(await cancel(filled)).toBe(`VenueRefusedError: ${where}: order is not open`);
    expect(await cancel(resting, stage.client(1))).toMatch(/: order not found$/);
    expect(await cancel(hash('9'))).toMatch(/: order not found$/);
    expect(
      await told(
        client.orderCancelSend({ path: { orderId: resting }, query: { deadline: stage.deadline(-1) } }),
      ),
    ).toBe(`VenueRefusedError: ${where}: deadline has expired`);
    expect(await told(client.orderCancelSend({ path: { orderId: 'x' }, query: { deadline: 1 } }))).toMatch(
      /^NotSentError: DELETE .*: path: orderId: Invalid string/,
    );
  });

  test('is refused while another is under way, also as calldata, and accepts the id without 0x', async () => {
    const orderId = await placed({ ...limitBuy(stage), price: '20' });
    await client.orderCancelSend({
      path: { orderId: orderId.slice(2) },
      query: { deadline: stage.deadline() },
    });
    expect(await cancel(orderId)).toBe(`VenueRefusedError: ${where}: order is already canceling`);
    expect(
      await told(client.orderCancelCalldata({ path: { orderId }, query: { deadline: stage.deadline() } })),
    ).toMatch(/order is already canceling$/);
    await stage.settled();
    expect(await client.order({ path: { orderId } })).toMatchObject({
      orderStatus: 'Canceled',
      openOrder: null,
      historyOrder: { status: 'Canceled', settlePay: '0', settleReceive: '0' },
    });
  });
});

describe('before the indexer has seen a transaction', () => {
  test('an order is a pending link in the list, and is found by neither hash nor id', async () => {
    const txHash = await sendOrder(marketBuy(stage));
    const { rows } = await client.orders({ query: { limit: 1 } });
    expect(rows).toMatchObject([{ mapping: { txHash, status: 'Pending', orderId: null } }]);
    expect(await told(client.orderByTx({ path: { txHash } }))).toBe(
      'VenueRefusedError: GET /api/v1/orders/tx/{txHash}: order not found',
    );
    await stage.settled();
    const found = await client.orderByTx({ path: { txHash } });
    expect(found).toMatchObject({ orderStatus: 'Filled', mapping: { txHash } });
    expect(await told(stage.client(1).orderByTx({ path: { txHash } }))).toMatch(/order not found$/);
  });

  test('a transfer has no id, and an unknown id finds none', async () => {
    await client.cashDepositSend({ body: { tokenAddress: stage.cash, tokenAmount: '90' } });
    const { rows } = await client.cashDeposits({ query: { limit: 1 } });
    expect(rows).toMatchObject([{ mapping: { status: 'Pending', operationId: null } }]);
    for (const name of ['cashDeposit', 'cashWithdrawal', 'stockDeposit', 'stockWithdrawal'] as const)
      expect(await told(client[name]({ path: { operationId: hash('7') } }))).toMatch(
        /^VenueRefusedError: GET .*\{operationId\}: operation not found$/,
      );
  });
});

describe('a transaction that the wallet sent itself', () => {
  test.for<[Name, string, string]>([
    ['orderRecordTx', 'a', 'deposit'],
    ['cashDepositRecordTx', 'b', 'trade'],
    ['cashWithdrawalRecordTx', 'c', 'trade'],
    ['stockDepositRecordTx', 'd', 'trade'],
    ['stockWithdrawalRecordTx', 'e', 'trade'],
  ])('is linked once by %s, again as the same link, and refused for another key', async ([name, digit]) => {
    const request = { body: { txHash: hash(digit) } };
    const first = await ask(client, name, request);
    expect(first).toMatchObject({ txHash: hash(digit), status: 'Pending' });
    await stage.wait(1_000);
    expect(await ask(client, name, request)).toEqual(first);
    expect(await told(ask(stage.client(1), name, request))).toMatch(
      /^VenueRefusedError: POST .*\/tx: txHash was recorded by another API key$/,
    );
    const other = name === 'orderRecordTx' ? 'cashDepositRecordTx' : 'orderRecordTx';
    expect(await told(ask(client, other, request))).toMatch(/txHash must be that of a (deposit|trade)$/);
  });
});

describe('One Click', () => {
  const prepared = async (by: StageClient, account: number) => {
    const deadline = stage.deadline(60);
    const { signPayload } = await by.oneClickPrepare({ body: { deadline } });
    const { domain, types, message } = signPayload;
    const wallet = privateKeyToAccount(stage.account(account).privateKey as `0x${string}`);
    const signature = await wallet.signTypedData({
      domain,
      types: { Delegate: types.Delegate },
      primaryType: 'Delegate',
      message,
    });
    return { signature, deadline };
  };

  test('is needed for every /send, and without it nothing is sent', async () => {
    const off = stage.client(3);
    const deadline = stage.deadline();
    for (const [name, request] of [
      ['orderSend', { body: marketBuy(stage) }],
      ['orderWithDepositSend', { body: withDeposit(stage) }],
      ['cashDepositSend', { body: cashIn(stage) }],
      ['cashWithdrawalSend', { body: { tokenAddress: stage.cash, creditAmount: '10' } }],
      ['stockDepositSend', { body: { tokenAddress: stage.stock('AAPL'), tokenAmount: '1' } }],
      ['stockWithdrawalSend', { body: { tokenAddress: stage.stock('AAPL'), tokenAmount: '1' } }],
      ['repaySend', { body: { stockAddress: stage.stock('AAPL'), quantity: '1' } }],
    ] as const)
      expect(await told(ask(off, name, request)), name).toMatch(
        /^VenueRefusedError: POST .*\/send: One Click delegation is not enabled for the userAddress of this key$/,
      );
    await ask(off, 'orderCalldata', { body: { ...marketBuy(stage), deadline } });
  });

  test("is enabled only by the user's wallet, for the prepared deadline, once", async () => {
    const off = stage.client(3);
    expect((await off.oneClickStatus()).status).toBe('disabled');
    const where = 'POST /api/v1/1ct/enable';
    const foreign = await prepared(off, 0);
    expect(await told(off.oneClickEnable({ body: foreign }))).toBe(
      `VenueRefusedError: ${where}: signature is not that of the user on the prepared payload`,
    );
    const own = await prepared(off, 3);
    expect(await told(off.oneClickEnable({ body: { ...own, deadline: own.deadline + 1 } }))).toBe(
      `VenueRefusedError: ${where}: deadline must equal the prepared one`,
    );
    await stage.wait(61_000);
    expect(await told(off.oneClickEnable({ body: own }))).toBe(
      `VenueRefusedError: ${where}: deadline has expired`,
    );
    const again = await prepared(off, 3);
    expect(await off.oneClickEnable({ body: again })).toEqual({ status: 'enable' });
    expect((await off.oneClickStatus()).status).toBe('enable');
    expect((await failure(off.oneClickEnable({ body: again }))).message).toContain('nothing is prepared');
    await sendOrder(marketBuy(stage), off);
    expect(await off.oneClickDisable()).toEqual({ status: 'disabled' });
    expect(await told(ask(off, 'orderSend', { body: marketBuy(stage) }))).toMatch(/not enabled/);
  });
});

test('a key without a wallet can read and build calldata, and send nothing', async () => {
  const by = stage.client(2);
  const { apiKey } = stage.key(2);
  await stage.control('keys', { apiKey, unbound: true });
  const resting = { path: { orderId: hash('1') }, query: { deadline: stage.deadline() } };
  for (const [name, request] of [
    ['orderSend', { body: marketBuy(stage) }],
    ['cashDepositSend', { body: cashIn(stage) }],
    ['orderCancelSend', resting],
    ['debts', {}],
    ['oneClickPrepare', { body: { deadline: stage.deadline() } }],
  ] as const)
    expect(await told(ask(by, name, request)), name).toMatch(
      /^VenueRefusedError: (GET|POST|DELETE) .*: userAddress is not bound to this key$/,
    );
  await ask(by, 'orderCalldata', { body: marketBuy(stage) });
  expect(await told(ask(by, 'orderCalldata', { body: { ...marketSell(stage), deferred: true } }))).toMatch(
    /deferred sell is not allowed/,
  );
  await stage.control('keys', { apiKey, unbound: false });
  await ask(by, 'orderSend', { body: marketBuy(stage) });
});
