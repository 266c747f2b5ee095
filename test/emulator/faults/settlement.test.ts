import { describe, expect, test } from 'vitest';
import { Bench, CLOSE } from '../harness.ts';
import { parsedPlan } from './plans.ts';

const SEND = 'POST /api/v1/orders/send';
const CANCEL = 'DELETE /api/v1/orders/{orderId}/send';
const market = { side: 'Buy', type: 'Market', notional: '100' };
const resting = { side: 'Buy', type: 'Limit', quantity: '2', price: '10', timeInForce: 'DAY' };

function under(rule: Record<string, unknown>, order: Record<string, unknown> = market) {
  const bench = new Bench();
  bench.command(parsedPlan({ endpoint: SEND, times: 1, ...rule }));
  const txHash = bench.place(order);
  const row = () => (bench.get('/orders') as { rows: Record<string, unknown>[] }).rows[0] ?? {};
  return { bench, txHash, row, balance: () => bench.cash().free };
}

describe('a faulty settlement', () => {
  test('comes late with settle-late', () => {
    const { bench, txHash } = under({ kind: 'settle-late', ms: 120_000 });
    bench.wait(110_000);
    expect(bench.order(txHash).status).toBe('New');
    bench.wait(20_000);
    expect(bench.order(txHash).status).toBe('Filled');
  });

  test('of part of a market order gives back the rest', () => {
    const { bench, row, balance } = under({ kind: 'settle-partly', share: 0.25 });
    bench.wait(20_000);
    expect(row()).toMatchObject({
      status: 'Canceled',
      openOrder: null,
      historyOrder: { status: 'Canceled', placeNotional: '100', settlePay: '25.0275' },
    });
    expect(balance()).toBe('99974.9725');
    expect(bench.cash().locked).toBe('0');
  });

  test('of part of a limit order ends with its session', () => {
    const { bench, txHash } = under({ kind: 'settle-partly', share: 0.5 }, { ...resting, price: '900' });
    bench.wait(600_000);
    expect(bench.order(txHash)).toMatchObject({ status: 'Partial filled', filledQuantity: '1' });
    bench.wait(CLOSE - bench.now + 60_000);
    expect(bench.order(txHash)).toMatchObject({ status: 'Expired', settleReceive: '1' });
  });

  test('in parts moves money with each, and is complete with the last', () => {
    const { bench, txHash, row, balance } = under({ kind: 'settle-in-parts', parts: 4, everyMs: 60_000 });
    const seen: unknown[] = [];
    for (let minute = 0; minute < 4; minute++) {
      bench.wait(20_000);
      const { status, openOrder, historyOrder } = row() as Record<string, { settlePay: string } | null>;
      seen.push([status, openOrder !== null, historyOrder?.settlePay, balance(), bench.cash().locked]);
      bench.wait(40_000);
    }
    expect(seen).toEqual([
      ['Partial filled', true, '25.0275', '99899.89', '75.0825'],
      ['Partial filled', true, '50.055', '99899.89', '50.055'],
      ['Partial filled', true, '75.0825', '99899.89', '25.0275'],
      ['Filled', false, '100.11', '99899.89', '0'],
    ]);
    const { settleReceive } = bench.order(txHash);
    expect(Number(bench.stock('AAPL').exchange)).toBeCloseTo(100 + Number(settleReceive), 12);
  });

  test('that is reversed opens the order again, and settles it again', () => {
    const { bench, txHash, row, balance } = under({ kind: 'settle-reversed', ms: 30_000, againMs: 60_000 });
    bench.wait(20_000);
    const first = bench.order(txHash);
    expect(first.status).toBe('Filled');
    bench.wait(30_000);
    expect(row()).toMatchObject({ status: 'New', openOrder: { status: 'placing' }, historyOrder: null });
    expect(bench.cash()).toEqual({ free: '99899.89', locked: '100.11' });
    expect(bench.stock('AAPL').exchange).toBe('100');
    bench.wait(60_000);
    expect(bench.order(txHash)).toEqual({ ...first, settledAt: '2026-06-15T14:01:36Z' });
    expect(balance()).toBe('99899.89');
  });

  test('that is reversed locks again what it had given back', () => {
    const { bench, txHash } = under({ kind: 'settle-reversed', ms: 30_000 }, { ...resting, price: '900' });
    bench.wait(25_000);
    expect(bench.order(txHash).status).toBe('Filled');
    bench.wait(35_000);
    expect(bench.cash()).toEqual({ free: '98198.02', locked: '1801.98' });
  });

  test('that is reversed for good leaves the order open', () => {
    const { bench, row } = under({ kind: 'settle-reversed', ms: 30_000 });
    bench.wait(3_600_000);
    expect(row()).toMatchObject({ status: 'New', openOrder: { status: 'placing' } });
  });

  test('that is restated later keeps the money', () => {
    const { bench, row, balance } = under({ kind: 'settle-restated', ms: 30_000 });
    bench.wait(20_000);
    const first = row()['historyOrder'] as Record<string, string>;
    const money = balance();
    bench.wait(30_000);
    const second = row()['historyOrder'] as Record<string, string>;
    expect(Number(second['settlePrice']) / Number(first['settlePrice'])).toBeCloseTo(1.01, 6);
    expect(second['settleTxHash']).not.toBe(first['settleTxHash']);
    expect(balance()).toBe(money);
  });

  test('with balance-late shows the fill before its money moves', () => {
    const { bench, row } = under({ kind: 'balance-late', ms: 60_000 });
    bench.wait(20_000);
    expect(row()).toMatchObject({ status: 'Filled', historyOrder: { settlePay: '100.11' } });
    expect(bench.cash().locked).toBe('100.11');
    expect(bench.stock('AAPL').exchange).toBe('100');
    bench.wait(60_000);
    expect(bench.cash()).toEqual({ free: '99899.89', locked: '0' });
    expect(Number(bench.stock('AAPL').exchange)).toBeGreaterThan(100);
  });

  test('with status-late moves the money before the fill is shown', () => {
    const { bench, row } = under({ kind: 'status-late', ms: 60_000 });
    bench.wait(20_000);
    expect(row()).toMatchObject({ status: 'New', openOrder: { status: 'placing' }, historyOrder: null });
    expect(bench.cash().locked).toBe('0');
    expect(Number(bench.stock('AAPL').exchange)).toBeGreaterThan(100);
    bench.wait(60_000);
    expect(row()).toMatchObject({ status: 'Filled' });
  });

  test('of a sell in parts pays what the order states', () => {
    const { bench, txHash } = under(
      { kind: 'settle-in-parts', parts: 2, everyMs: 10_000 },
      { side: 'Sell', type: 'Market', quantity: '3' },
    );
    bench.wait(60_000);
    const { settleReceive } = bench.order(txHash);
    expect(bench.stock('AAPL')).toMatchObject({ exchange: '97', locked: '0' });
    expect(Number(bench.cash().free)).toBeCloseTo(100_000 + Number(settleReceive), 9);
  });
});

describe('a faulty cancel', () => {
  function racing(rule: Record<string, unknown>) {
    const bench = new Bench();
    const txHash = bench.place(resting);
    bench.wait(10_000);
    bench.command(parsedPlan({ endpoint: CANCEL, times: 1, ...rule }));
    const { orderId } = bench.order(txHash);
    const { data } = bench.cancel(orderId).body;
    return { bench, txHash, orderId, cancelHash: (data as { txHash: string }).txHash };
  }

  test.each([
    [0, 'Canceled', '0', null],
    [0.5, 'Canceled', '1', null],
    [1, 'Filled', '2', 'order is not open'],
  ])('that races a fill of %d ends %s', (...[filled, status, receive, revert]) => {
    const { bench, txHash, cancelHash } = racing({ kind: 'cancel-race', filled });
    bench.wait(30_000);
    expect(bench.order(txHash)).toMatchObject({ status, settleReceive: receive });
    expect(bench.revert(cancelHash)).toBe(revert);
  });

  test('that sticks stays canceling', () => {
    const { bench, txHash, orderId } = racing({ kind: 'settle-late', ms: 3_600_000 });
    bench.wait(1_800_000);
    expect(bench.get(`/orders/${orderId}`)).toMatchObject({ openOrder: { status: 'canceling' } });
    expect(bench.cancel(orderId).body.code).toBe(10_002);
    bench.wait(1_860_000);
    expect(bench.order(txHash)).toMatchObject({ status: 'Canceled', settleReceive: '0' });
  });
});
