import { afterEach, describe, expect, test } from 'vitest';
import type { Hex } from 'viem';
import { cashToken } from '../../src/emulator/state/constants.ts';
import { stock } from './harness.ts';
import { closeAll, Trader } from './trader.ts';

afterEach(closeAll);

const AAPL = stock('AAPL');
const order = { stockAddress: AAPL, side: 'Buy', type: 'Market', notional: '100' };

/** Transactions that a wallet sends by itself: endpoints of their calldata and their record, and the body. */
const KINDS: [what: string, calldata: string, record: string, body: Record<string, unknown>, type: string][] =
  [
    ['an order', '/orders', '/orders/tx', order, 'trade'],
    [
      'a buy with a deposit',
      '/orders/with-deposit',
      '/orders/tx',
      { ...order, tokenAddress: cashToken.address, tokenAmount: '150' },
      'trade',
    ],
    [
      'a deposit',
      '/cash/deposits',
      '/cash/deposits/tx',
      { tokenAddress: cashToken.address, tokenAmount: '100' },
      'deposit',
    ],
    [
      'a withdrawal',
      '/cash/withdrawals',
      '/cash/withdrawals/tx',
      { tokenAddress: cashToken.address, creditAmount: '100' },
      'withdraw',
    ],
    [
      'a deposit of stock',
      '/stock/deposits',
      '/stock/deposits/tx',
      { tokenAddress: AAPL, tokenAmount: '1' },
      'stock_deposit',
    ],
    [
      'a withdrawal of stock',
      '/stock/withdrawals',
      '/stock/withdrawals/tx',
      { tokenAddress: AAPL, tokenAmount: '1' },
      'stock_withdraw',
    ],
  ];

const idsOf = ({ data }: { data: unknown }) => data as { orderId: string | null; operationId: string | null };

describe('a transaction that the wallet sent itself', () => {
  test.each(KINDS)('is shown once it is recorded: %s', async (...[, calldata, record, body, type]) => {
    const trader = await Trader.start({}, 1);
    const { address: userAddress } = trader;
    const txHash = await trader.carryOut(calldata, {
      userAddress,
      ...body,
      deadline: await trader.deadline(),
    });
    const list = record.replace(/\/tx$/, '');
    await trader.wait(20_000);
    expect(await trader.get(list)).toMatchObject({ total: 0 });
    const first = await trader.post(record, { txHash });
    expect(first).toMatchObject({ code: 200, data: { txHash, operationType: type } });
    const { orderId, operationId } = idsOf(first);
    expect([orderId === null, operationId === null]).toEqual([type !== 'trade', calldata === '/orders']);
    expect(await trader.post(record, { txHash })).toMatchObject({ code: 200, data: first.data });
    expect(await trader.get(list)).toMatchObject({ total: 1, rows: [{ txHash }] });
    const other = trader.emulator.info.accounts[0]?.keys[0];
    const again = { method: 'POST', path: `/api/v1${record}`, body: { txHash } } as const;
    expect(await trader.ask(again, other)).toMatchObject({ code: 10_002 });
  });

  test('recorded before it is mined is filled in once the indexer reaches its block', async () => {
    const trader = await Trader.start();
    const { data } = await trader.post('/orders/calldata', { ...order, deadline: await trader.deadline() });
    const raw = await trader.signed({ data: (data as { callData: Hex }).callData });
    const { keccak256 } = await import('viem');
    const txHash = keccak256(raw);
    expect(await trader.post('/orders/tx', { txHash })).toMatchObject({ data: { status: 'Pending' } });
    await trader.wait(10_000);
    expect(await trader.get('/orders')).toMatchObject({ rows: [{ status: 'Pending', orderId: null }] });
    expect(await trader.send(raw)).toBe(txHash);
    await trader.wait(2_000);
    expect(await trader.get('/orders')).toMatchObject({ rows: [{ status: 'Pending', orderId: null }] });
    await trader.wait(20_000);
    const [placed] = (await trader.truth()).orders;
    expect(await trader.get('/orders')).toMatchObject({
      rows: [{ status: 'Filled', orderId: placed?.orderId, historyOrder: { settlePay: '100.11' } }],
    });
  });

  test('that reverted is failed once the indexer reaches its block', async () => {
    const trader = await Trader.start();
    const body = { ...order, notional: '200000', deadline: await trader.deadline() };
    await expect(trader.carryOut('/orders', body)).rejects.toThrow('insufficient mUsdBalance');
    const txHash = await trader.carryOut('/orders', body, 400_000n);
    await trader.wait(3_000);
    expect((await trader.reader.getTransactionReceipt({ hash: txHash })).status).toBe('reverted');
    expect(await trader.post('/orders/tx', { txHash })).toMatchObject({ data: { status: 'Pending' } });
    await trader.wait(4_000);
    expect(await trader.get('/orders')).toMatchObject({ rows: [{ status: 'Failed', orderId: null }] });
  });

  test('is refused when it is of another kind, and stays pending when that is known only later', async () => {
    const trader = await Trader.start();
    const body = { userAddress: trader.address, tokenAddress: cashToken.address, tokenAmount: '100' };
    const { data } = await trader.post('/cash/deposits/calldata', body);
    const raw = await trader.signed({ data: (data as { callData: Hex }).callData });
    const { keccak256 } = await import('viem');
    const txHash = keccak256(raw);
    expect(await trader.post('/orders/tx', { txHash })).toMatchObject({ code: 200 });
    expect(await trader.post('/cash/deposits/tx', { txHash })).toMatchObject({ code: 10_000 });
    await trader.send(raw);
    await trader.wait(20_000);
    expect(await trader.get('/orders')).toMatchObject({ rows: [{ status: 'Pending', operationId: null }] });
    const approval = await trader.send(await trader.signed({ nonce: 1, to: AAPL }));
    expect(await trader.post('/stock/deposits/tx', { txHash: approval })).toMatchObject({ code: 10_000 });
  });

  test('that cancels an order needs no record', async () => {
    const trader = await Trader.start();
    const limit = { stockAddress: AAPL, side: 'Buy', type: 'Limit', price: '1.00', timeInForce: 'DAY' };
    const terms = { ...limit, quantity: '1', deadline: await trader.deadline() };
    const txHash = await trader.carryOut('/orders', terms);
    await trader.post('/orders/tx', { txHash });
    await trader.wait(10_000);
    const { orderId } = idsOf(await trader.post('/orders/tx', { txHash }));
    const path = `/api/v1/orders/${orderId}/calldata`;
    const ask = async () =>
      trader.ask({ method: 'DELETE', path, query: { deadline: await trader.deadline() } });
    const { data } = await ask();
    const { toAddress: to, callData } = data as { toAddress: Hex; callData: Hex };
    const hash = await trader.wallet.sendTransaction({ to, data: callData });
    await trader.wait(2_000);
    expect((await trader.reader.getTransactionReceipt({ hash })).status).toBe('success');
    expect(await ask()).toMatchObject({ code: 10_002, errMsg: 'order is already canceling' });
    expect(await trader.post('/orders/tx', { txHash: hash })).toMatchObject({ code: 10_000 });
    await trader.wait(20_000);
    expect(await trader.get('/orders')).toMatchObject({ rows: [{ status: 'Canceled' }] });
  });
});
