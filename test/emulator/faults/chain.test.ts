import { describe, expect, test } from 'vitest';
import { Bench } from '../harness.ts';
import { parsedPlan } from './plans.ts';

const SEND = 'POST /api/v1/orders/send';
const limit = { side: 'Buy', type: 'Limit', quantity: '1', price: '10', timeInForce: 'DAY' };

function benchWith(rule: Record<string, unknown>): Bench {
  const bench = new Bench();
  bench.command(parsedPlan({ endpoint: SEND, times: 1, ...rule }));
  return bench;
}

test('a transaction that leaves the mempool is never mined, and the next one has its nonce', () => {
  const bench = benchWith({ kind: 'unmined' });
  const lost = bench.place(limit);
  const next = bench.place({ ...limit, price: '11' });
  bench.wait(60_000);
  expect(bench.machine.truth(bench.now).orders.map(({ txHash }) => txHash)).toEqual([next]);
  expect(bench.order(next).status).toBe('New');
  expect(bench.get('/orders')).toMatchObject({
    total: 2,
    rows: [{ txHash: next }, { txHash: lost, status: 'Pending', orderId: null }],
  });
});

test('a cancel that is never mined blocks another cancel until its deadline', () => {
  const bench = new Bench({ indexerLagMs: 0 });
  bench.command(parsedPlan({ kind: 'unmined', endpoint: 'DELETE /api/v1/orders/{orderId}/send', times: 1 }));
  const txHash = bench.place(limit);
  bench.wait(10_000);
  const { orderId } = bench.order(txHash);
  expect(bench.cancel(orderId).status).toBe(200);
  const refused = { code: 10_002, errMsg: 'order is already canceling' };
  expect(bench.cancel(orderId).body).toMatchObject(refused);
  bench.wait(120_000);
  expect(bench.order(txHash).status).toBe('New');
  expect(bench.cancel(orderId).status).toBe(200);
  bench.wait(30_000);
  expect(bench.order(txHash).status).toBe('Canceled');
});

test('a transaction mined late reverts after its deadline, and delays those after it', () => {
  const bench = benchWith({ kind: 'mined-late', ms: 100_000 });
  const late = bench.place(limit);
  const next = bench.place({ ...limit, deadline: bench.deadline(300) });
  bench.wait(90_000);
  expect([bench.order(late).status, bench.order(next).status]).toEqual(['Pending', 'Pending']);
  bench.wait(30_000);
  expect(bench.revert(late)).toMatch(/deadline/);
  expect(bench.order(next).status).toBe('New');
});

test('a hidden transaction is shown once it is mined, and executed although its deadline has passed', () => {
  const bench = benchWith({ kind: 'mined-late', ms: 100_000, pastDeadline: true, hidden: true });
  const late = bench.place(limit);
  const rows = () => (bench.get('/orders') as { rows: readonly { txHash: string }[] }).rows;
  bench.wait(90_000);
  expect(rows().map(({ txHash }) => txHash)).not.toContain(late);
  bench.wait(30_000);
  expect(rows().map(({ txHash }) => txHash)).toContain(late);
  expect(bench.order(late).status).toBe('New');
});

describe('a revert', () => {
  test.each([
    'deadline has passed',
    'insufficient mUsdBalance',
    'insufficient exchangeBalance',
    'insufficient allowance',
    'only DAY orders are supported',
    'UserNotApproved',
  ])('with the cause "%s" changes nothing and frees every lock', (cause) => {
    const bench = benchWith({ kind: 'revert', cause });
    const before = bench.cash();
    const txHash = bench.place(limit);
    bench.wait(10_000);
    expect(bench.revert(txHash)).toBe(cause);
    expect(bench.order(txHash).status).toBe('Failed');
    expect(bench.cash()).toEqual(before);
  });

  test('with the cause "out of gas" uses all of the gas', () => {
    const bench = benchWith({ kind: 'revert', cause: 'out of gas' });
    const txHash = bench.place({ ...limit, gasLimit: 900_000 });
    bench.wait(10_000);
    expect(bench.transaction(txHash).receipt).toMatchObject({ revert: 'out of gas', gasUsed: 900_000 });
  });
});

test('a chain rule applies together with a message rule, and no read uses it up', () => {
  const bench = new Bench();
  bench.command(
    parsedPlan([
      { kind: 'lost-response', endpoint: SEND, times: 1 },
      { kind: 'revert', cause: 'bad luck', times: 1 },
    ]),
  );
  bench.get('/orders');
  expect(() => bench.place(limit)).toThrow('broke');
  bench.wait(10_000);
  const [transaction] = bench.machine.state.transactions;
  expect(transaction?.receipt?.revert).toBe('bad luck');
});

test('blocks of twelve seconds and a full mempool delay every transaction', () => {
  const bench = new Bench();
  bench.command(parsedPlan([], { blockMs: 12_000, mempoolMs: 30_000 }));
  const start = bench.now;
  const txHash = bench.place(limit);
  bench.wait(60_000);
  const minedAt = Number(bench.transaction(txHash).minedAt);
  expect(minedAt % 12_000).toBe(0);
  expect(minedAt - start).toBeGreaterThan(30_000);
  expect(minedAt - start).toBeLessThanOrEqual(48_000);
});

describe('a reorganisation', () => {
  const market = { side: 'Buy', type: 'Market', notional: '100' };
  const open = () => {
    const bench = new Bench();
    const old = bench.place(market);
    bench.wait(20_000);
    const before = { cash: bench.cash(), stock: bench.stock('AAPL') };
    return { bench, old, before };
  };

  test('takes back a settled order, and mines it again', () => {
    const { bench, old, before } = open();
    bench.command({ kind: 'reorg', body: { blocks: 30, returns: true } });
    const txHash = bench.place(market);
    bench.wait(20_000);
    const settled = bench.order(txHash);
    expect(settled.status).toBe('Filled');
    const row = () => (bench.get('/orders') as { rows: unknown[] }).rows[0];
    expect(row()).toMatchObject({ txHash, status: 'Filled', orderId: settled.orderId });
    bench.wait(10_000);
    expect(bench.machine.state.reorgs).toHaveLength(1);
    expect(row()).toMatchObject({ txHash, status: 'Pending', orderId: null, historyOrder: null });
    expect({ cash: bench.cash(), stock: bench.stock('AAPL') }).toEqual(before);
    expect(bench.order(old).status).toBe('Filled');
    bench.wait(30_000);
    expect(row()).toMatchObject({ txHash, status: 'Filled', orderId: settled.orderId });
    expect(bench.order(txHash).minedAt).not.toBe(settled.minedAt);
  });

  test('that drops a transaction leaves its link behind, and its nonce to the next', () => {
    const { bench, before } = open();
    bench.command({ kind: 'reorg', body: { blocks: 10, returns: false } });
    const lost = bench.place(limit);
    bench.wait(60_000);
    expect(bench.cash()).toEqual(before.cash);
    expect(bench.get('/orders')).toMatchObject({ rows: [{ txHash: lost, status: 'Pending' }, {}] });
    const next = bench.place(limit);
    bench.wait(10_000);
    expect(bench.order(next).status).toBe('New');
  });

  test('settles an order again that was settled on the dropped branch', () => {
    const bench = new Bench();
    const txHash = bench.place(market);
    bench.wait(2_000);
    expect(bench.order(txHash).status).toBe('New');
    bench.command({ kind: 'reorg', body: { blocks: 20, returns: true } });
    bench.wait(15_000);
    expect(bench.order(txHash).status).toBe('Filled');
    bench.wait(5_000);
    bench.wait(10_000);
    expect(bench.order(txHash)).toMatchObject({ status: 'Filled', settlePay: '100.11' });
    const settlements = bench.machine.state.mined.length;
    expect(settlements).toBe(2);
  });

  test('is refused while another is under way', () => {
    const { bench } = open();
    const command = { kind: 'reorg', body: { blocks: 5, returns: true } } as const;
    bench.command(command);
    expect(() => bench.command(command)).toThrow('forks already');
  });
});
