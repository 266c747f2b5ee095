import { expect, test } from 'vitest';
import { EndTotals, noOrderStates } from '../../../src/domain/account/endTotals.ts';
import type { Order } from '../../../src/domain/orders/order.ts';

const orderIn = (state: object): Order => ({ strategyId: 'a', state }) as unknown as Order;
const settlement = { receive: 1n, mintFee: 2n, protocolFee: 3n };
const working = orderIn({ kind: 'working' });
const absent = orderIn({ kind: 'neverExisted', assumed: true });
const partly = orderIn({ kind: 'closed', how: 'cancelled', settlement });

test('end totals count each end with its fees, and drop an end that is reopened or replaced', () => {
  const totals = new EndTotals();
  totals.moved(working, absent);
  expect(totals.of()).toEqual({ ...noOrderStates(), planned: 1, sent: 1, neverExistedAssumed: 1 });
  totals.moved(absent, partly);
  expect(totals.of('a')).toEqual({
    ...noOrderStates(),
    planned: 1,
    sent: 1,
    cancelled: 1,
    partlyFilled: 1,
  });
  expect(totals.of('b')).toEqual(noOrderStates());
  expect(totals.fees.get('a')).toBe(5n);
  totals.moved(partly, working);
  expect([totals.of(), totals.fees.get('a')]).toEqual([noOrderStates(), 0n]);
});
