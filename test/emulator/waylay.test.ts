import { expect, test } from 'vitest';
import type { FaultRule } from '../../src/emulator/faults.ts';
import { Bench } from './harness.ts';

const ENDPOINT = 'POST /api/v1/orders/send';
const limit = { side: 'Buy', type: 'Limit', quantity: '1', price: '10', timeInForce: 'DAY' };

function benchWith(rule: FaultRule): Bench {
  const bench = new Bench();
  bench.command({ kind: 'faults', body: { rules: [{ ...rule, endpoint: ENDPOINT, times: 1 }] } });
  return bench;
}

test('a transaction that leaves the mempool is never mined, and the next one has its nonce', () => {
  const bench = benchWith({ kind: 'unmined', probability: 1 });
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

test('a transaction that is mined late reverts after its deadline, and holds up those after it', () => {
  const bench = benchWith({ kind: 'mined-late', ms: 100_000, probability: 1 });
  const late = bench.place(limit);
  const next = bench.place({ ...limit, deadline: bench.deadline(300) });
  bench.wait(90_000);
  expect([bench.order(late).status, bench.order(next).status]).toEqual(['Pending', 'Pending']);
  bench.wait(30_000);
  expect(bench.revert(late)).toMatch(/deadline/);
  expect(bench.order(next).status).toBe('New');
});
