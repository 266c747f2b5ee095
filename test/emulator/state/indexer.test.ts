import { describe, expect, test } from 'vitest';
import { Bench } from '../harness.ts';

type Page = { total: number; rows: Record<string, unknown>[] };

const BUY = { side: 'Buy', type: 'Market', notional: '10' };
const list = (venue: Bench, query = {}, key = venue.key()) => venue.get('/orders', query, key) as Page;
const byTx = (venue: Bench, txHash: string) =>
  venue.ask({ method: 'GET', path: `/api/v1/orders/tx/${txHash}` }).body;

describe('the indexer', () => {
  test('shows an order with its lag, and its link at once', () => {
    const venue = new Bench({ indexerLagMs: 4_000 });
    const txHash = venue.place(BUY);
    expect(list(venue).rows).toEqual([
      {
        txHash,
        operationType: 'trade',
        status: 'Pending',
        orderId: null,
        operationId: null,
        chainId: 143,
        productType: 'ProductA',
        createTime: venue.now / 1000,
        openOrder: null,
        historyOrder: null,
      },
    ]);
    expect(byTx(venue, txHash)).toMatchObject({ code: 10_001, errMsg: 'order not found' });
    const mined = venue.machine.nextDue() ?? 0;
    venue.wait(mined - venue.now + 3_999);
    expect(venue.order(txHash).status).toBe('New');
    expect(byTx(venue, txHash).code).toBe(10_001);
    venue.wait(1);
    const { orderId } = venue.order(txHash);
    expect(byTx(venue, txHash).data).toMatchObject({
      mappingStatus: 'New',
      orderStatus: 'New',
      mapping: { orderId, txHash },
      openOrder: { orderId, status: 'placing', placeNotional: '10', pay: '10.011', tif: 'DAY' },
      historyOrder: null,
    });
    venue.wait(20_000);
    expect(list(venue).rows).toMatchObject([
      {
        status: 'Filled',
        orderId,
        openOrder: null,
        historyOrder: {
          orderId,
          status: 'Filled',
          settlePay: '10.011',
          mintFee: '0.01',
          protocolFee: '0.001',
        },
      },
    ]);
  });

  test('does not delay balances', () => {
    const venue = new Bench({ indexerLagMs: 3_600_000 });
    venue.place(BUY);
    venue.wait(3_000);
    const { userAddress } = venue.account();
    expect(venue.get(`/users/${userAddress}/balance`)).toMatchObject({ mUsdBalance: '99989.989' });
  });

  test('hides nothing it has shown when its lag grows, and shows all at once when it shrinks', () => {
    const venue = new Bench();
    const first = venue.place(BUY);
    venue.wait(20_000);
    venue.machine.command({ kind: 'faults', body: { rules: [], indexerLagMs: 3_600_000 } }, venue.now);
    const second = venue.place(BUY);
    venue.wait(60_000);
    expect(list(venue).rows.map(({ txHash, status }) => [txHash, status])).toEqual([
      [second, 'Pending'],
      [first, 'Filled'],
    ]);
    venue.machine.command({ kind: 'faults', body: { rules: [] } }, venue.now);
    expect(list(venue).rows.map(({ status }) => status)).toEqual(['Filled', 'Filled']);
  });
});

describe('an order id', () => {
  test('is accepted with and without 0x, in any case, and from its own key only', () => {
    const venue = new Bench();
    const txHash = venue.place(BUY);
    venue.wait(20_000);
    const { orderId } = venue.order(txHash);
    const ask = (id: string, key = venue.key()) =>
      venue.ask({ method: 'GET', path: `/api/v1/orders/${id}` }, key).body.code;
    expect(
      [orderId, orderId.slice(2), orderId.toUpperCase().replace('0X', '0x')].map((id) => ask(id)),
    ).toEqual([200, 200, 200]);
    expect(ask(orderId, venue.key(1))).toBe(10_001);
    expect(ask(orderId, venue.key(0, 'READ_ONLY'))).toBe(10_001);
    expect(ask('12')).toBe(10_000);
    expect(ask('f'.repeat(64))).toBe(10_001);
  });

  test('of a market, unseen or closed order cannot be cancelled', () => {
    const venue = new Bench({ indexerLagMs: 0 });
    const txHash = venue.place(BUY);
    const { orderId } = venue.order(txHash);
    expect(venue.cancel(orderId).body.code).toBe(10_001);
    venue.wait(3_000);
    expect(venue.cancel(orderId).body.errMsg).toContain('only limit orders');
    const limit = venue.place({
      side: 'Sell',
      type: 'Limit',
      quantity: '1',
      price: '1.00',
      timeInForce: 'DAY',
    });
    venue.wait(20_000);
    expect(venue.cancel(venue.order(limit).orderId).body).toMatchObject({
      code: 10_002,
      errMsg: 'order is not open',
    });
    expect(venue.cancel(venue.order(limit).orderId, -1).body.errMsg).toBe('deadline has expired');
  });
});

describe('GET /orders', () => {
  const venue = new Bench();
  const hashes = Array.from({ length: 23 }, () => {
    venue.wait(1_000);
    return venue.place(BUY);
  }).reverse();
  const page = (query: Record<string, string | number>) =>
    list(venue, query).rows.map(({ txHash }) => txHash);

  test.each<[query: Record<string, string | number>, from: number, to: number]>([
    [{}, 0, 10],
    [{ page: 2 }, 10, 20],
    [{ page: 3 }, 20, 23],
    [{ page: 4 }, 23, 23],
    [{ page: 0 }, 0, 10],
    [{ page: -5, limit: -1 }, 0, 10],
    [{ limit: 0 }, 0, 10],
    [{ page: 2, limit: 7 }, 7, 14],
    [{ limit: 100_000 }, 0, 23],
  ])('with %j gives its page, newest first', (query, from, to) => {
    expect(page(query)).toEqual(hashes.slice(from, to));
    expect(list(venue, query).total).toBe(23);
  });

  test('refuses a page that is not a number', () => {
    expect(venue.ask({ method: 'GET', path: '/api/v1/orders', query: { page: 'two' } }).body).toMatchObject({
      code: 10_000,
      errMsg: 'page must be a whole number',
    });
  });

  test('shows no orders of other keys', () => {
    expect(list(venue, {}, venue.key(1))).toEqual({ total: 0, rows: [] });
  });
});
