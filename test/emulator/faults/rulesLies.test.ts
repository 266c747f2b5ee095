import { describe, expect, test } from 'vitest';
import { Bench, stock } from '../harness.ts';
import { parsedPlan } from './plans.ts';

const SEND = 'POST /api/v1/orders/send';
const BUY = { side: 'Buy', type: 'Market', notional: '100' };

type Row = Record<string, unknown> & { historyOrder: Record<string, string> | null };

function benchUnder(rule: Record<string, unknown>, rest: Record<string, unknown> = {}): Bench {
  const bench = new Bench();
  bench.command(parsedPlan({ times: 1, ...rule }, rest));
  return bench;
}

const rowsOf = (bench: Bench): Row[] => (bench.get('/orders') as { rows: Row[] }).rows;
const newest = (bench: Bench): Row => rowsOf(bench)[0] ?? { historyOrder: null };

describe('a false end of an order', () => {
  test.each(['Failed', 'Rejected', 'Canceled'])(
    'shows %s from the first moment while the order fills',
    (word) => {
      const bench = benchUnder({ kind: 'false-end', word, endpoint: SEND });
      const txHash = bench.place(BUY);
      expect(newest(bench)['status']).toBe(word);
      bench.wait(60_000);
      expect(newest(bench)).toMatchObject({ status: word, openOrder: null });
      expect(newest(bench).historyOrder?.['settlePay'] ?? '0').toBe('0');
      expect(bench.get(`/orders/tx/${txHash}`)).toMatchObject({ mappingStatus: word });
      expect(bench.order(txHash)).toMatchObject({
        status: 'Filled',
        settlePay: '100.11',
        reserve: '100.11',
        settledAt: '2026-06-15T14:00:06Z',
        lie: 'false-end',
      });
      expect(bench.cash().free).toBe('99899.89');
    },
  );

  test('begins later and ends again', () => {
    const bench = benchUnder({
      kind: 'false-end',
      word: 'Rejected',
      afterMs: 30_000,
      forMs: 60_000,
      endpoint: SEND,
    });
    bench.place(BUY);
    const seen = [0, 20_000, 20_000, 60_000].map((ms) => {
      bench.wait(ms);
      return newest(bench)['status'];
    });
    expect(seen).toEqual(['Pending', 'Filled', 'Rejected', 'Filled']);
  });
});

test('a false end in list and account shows no trace of the fill until it is over', () => {
  const bench = benchUnder({
    kind: 'false-end',
    word: 'Canceled',
    account: true,
    forMs: 60_000,
    endpoint: SEND,
  });
  bench.place(BUY);
  bench.wait(30_000);
  const exchange = () => {
    const rows = bench.get(`/users/${bench.key().userAddress}/positions`) as Record<string, string>[];
    return Number(rows.find(({ stockSymbol }) => stockSymbol === 'AAPL')?.['exchangeBalance']);
  };
  const free = () =>
    (bench.get(`/users/${bench.key().userAddress}/balance`) as Record<string, string>)['mUsdBalance'];
  expect([free(), exchange()]).toEqual(['100000', 100]);
  expect([bench.cash().free, newest(bench)['status']]).toEqual(['99899.89', 'Canceled']);
  bench.wait(60_000);
  expect([free(), newest(bench)['status']]).toEqual(['99899.89', 'Filled']);
  expect(exchange()).toBeGreaterThan(100);
});

test('fill-off-market fills a market order off the market by its percentage', () => {
  const [off, fair] = [benchUnder({ kind: 'fill-off-market', percent: 18, endpoint: SEND }), new Bench()];
  const [dear, usual] = [off, fair].map((bench) => {
    bench.place(BUY);
    bench.wait(60_000);
    return Number(newest(bench).historyOrder?.['settlePrice']);
  });
  expect((dear ?? 0) / (usual ?? 1)).toBeCloseTo(1.18, 2);
});

test('false-settlement changes the stated figures, and not the money', () => {
  const bench = benchUnder({
    kind: 'false-settlement',
    receive: '1e30'.replace('e30', '0'.repeat(30)),
    endpoint: SEND,
  });
  bench.place(BUY);
  bench.wait(60_000);
  expect(newest(bench).historyOrder).toMatchObject({
    settlePay: '100.11',
    settleReceive: `1${'0'.repeat(30)}`,
  });
  expect(Number(bench.stock('AAPL').exchange)).toBeLessThan(102);
});

test('false-refusal refuses an order that is placed', () => {
  const bench = benchUnder({ kind: 'false-refusal', endpoint: SEND });
  const { status, body } = bench.send(BUY);
  expect([status, body.code, body.errMsg]).toEqual([400, 10_002, 'deadline has expired']);
  bench.wait(60_000);
  expect(bench.cash().free).toBe('99899.89');
});

describe('a false listing', () => {
  const listed = (bench: Bench) =>
    (bench.get('/symbols') as Record<string, unknown>[]).find(({ symbol }) => symbol === 'TSLA');

  test('shows the contract of another stock as often as its times say, here once', () => {
    const bench = benchUnder({ kind: 'false-listing', symbol: 'TSLA', as: 'PLUG' });
    expect(listed(bench)?.['contractAddress']).toBe(stock('PLUG'));
    expect(listed(bench)?.['contractAddress']).toBe(stock('TSLA'));
  });

  test('shows a twentieth of the price as often as its times say, here twice', () => {
    const bench = benchUnder({ kind: 'false-listing', symbol: 'TSLA', priceFactor: 0.05, times: 2 });
    const [first, second, third] = [1, 2, 3].map(() => Number(listed(bench)?.['price']));
    expect(second).toBe(first);
    expect((third ?? 0) / (first ?? 1)).toBeCloseTo(20, 1);
  });

  test('shows other decimals', () => {
    const bench = benchUnder({ kind: 'false-listing', symbol: 'TSLA', decimals: 6, onChainDecimals: 8 });
    expect(listed(bench)).toMatchObject({ decimals: 6, onChainDecimals: 8, contractAddress: stock('TSLA') });
  });
});

test('a nested rule nests a field as deeply as its depth says', () => {
  const bench = benchUnder({
    kind: 'nested',
    path: 'data.rows.0.status',
    depth: 6_000,
    endpoint: 'GET /api/v1/orders',
  });
  bench.place(BUY);
  const { reply } = bench.outcome({ method: 'GET', path: '/api/v1/orders' });
  expect(reply?.body).toContain(`"status":${'['.repeat(6_000)}${']'.repeat(6_000)}`);
});

test('an endless list always has another page, of orders that were never sent', () => {
  const bench = new Bench();
  bench.command(parsedPlan({ kind: 'list', how: 'endless', endpoint: 'GET /api/v1/orders' }));
  const txHash = bench.place(BUY);
  bench.wait(60_000);
  const hashes = [1, 2, 3].flatMap((page) => {
    const { total, rows } = bench.get('/orders', { page, limit: 100 }) as { total: number; rows: Row[] };
    expect([total, rows.length]).toEqual([1_000_000_000, 100]);
    return rows.map((row) => row['txHash']);
  });
  expect(hashes[0]).toBe(txHash);
  expect(new Set(hashes).size).toBe(300);
});

describe('a fault plan', () => {
  test.each([
    [{ kind: 'false-listing', symbol: 'TSLA' }, /says nothing that is false/],
    [{ kind: 'false-settlement' }, /says nothing that is false/],
    [{ kind: 'false-refusal', on: 'node' }, /for the venue alone/],
  ])('with %j is refused', (rule, why) => {
    expect(() => benchUnder(rule)).toThrow(why);
  });
});
