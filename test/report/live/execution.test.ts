import { expect, test } from 'vitest';
import { executionOf } from '../../../src/report/live/execution.ts';
import type { RunRecord } from '../../../src/report/runRecord.ts';
import { plainRecord } from '../html/records.ts';

const MINUTE = 60_000;
const fill = (
  minute: number,
  more: Partial<RunRecord['fills'][number]> = {},
): RunRecord['fills'][number] => ({
  at: (minute + 3) * MINUTE,
  decidedAt: minute * MINUTE,
  strategy: 's',
  symbol: 'X',
  side: 'buy',
  order: 'o',
  shares: 10,
  price: 100,
  fees: 1,
  reason: '',
  ...more,
});
const withFills = (...fills: RunRecord['fills']): RunRecord => ({ ...plainRecord(2), fills });

test('fills match by strategy, symbol, side and the time of their decision; each only once', () => {
  const live = withFills(fill(0), fill(1), fill(60), fill(90, { side: 'sell' }), fill(120, { symbol: 'Y' }));
  const model = withFills(
    fill(1),
    fill(66),
    fill(92, { side: 'sell' }),
    fill(120, { strategy: 't', symbol: 'Y' }),
  );
  const { fills, onlyA, onlyB } = executionOf(live, model);
  expect(fills).toEqual({ a: 5, b: 4, matched: 2 });
  expect(onlyA.map(({ decidedAt }) => decidedAt)).toEqual([MINUTE, 60 * MINUTE, 120 * MINUTE]);
  expect(onlyB).toHaveLength(2);
});

test('a dearer buy and a cheaper sell are worse, over the shares that both have', () => {
  const live = withFills(fill(0, { price: 101 }), fill(9, { side: 'sell', price: 98, shares: 4 }));
  const model = withFills(fill(0), fill(9, { side: 'sell', price: 99 }));
  const { priceDifference, priceDifferenceBps, feesBps } = executionOf(live, model);
  // 10 shares at 1 more, 4 at 1 less, of 10 · 100 + 4 · 99.
  expect(priceDifference).toBe(14);
  expect(priceDifferenceBps).toBeCloseTo((14 * 10_000) / 1396, 9);
  expect(feesBps.a).toBeCloseTo((2 * 10_000) / (1010 + 392), 9);
});

test('without a match no price is compared', () => {
  expect(executionOf(withFills(fill(0)), withFills())).toMatchObject({
    priceDifference: null,
    decisions: null,
    feesBps: { b: null },
  });
});
