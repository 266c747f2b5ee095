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

test('fills match by strategy, symbol, side and decision time, each only once', () => {
  const live = withFills(fill(0), fill(1), fill(60), fill(90, { side: 'sell' }), fill(120, { symbol: 'Y' }));
  const model = withFills(
    fill(1),
    fill(66),
    fill(92, { side: 'sell' }),
    fill(120, { strategy: 't', symbol: 'Y' }),
  );
  const { fills, onlyA, onlyB } = executionOf(live, model);
  expect(fills).toEqual({ a: 5, b: 4, matched: 2 });
  expect(onlyA.map(({ decidedAt }) => decidedAt)).toEqual([0, 60 * MINUTE, 120 * MINUTE]);
  expect(onlyB).toHaveLength(2);
});

test('a dearer buy and a cheaper sell count as worse, for the shares in both', () => {
  const live = withFills(fill(0, { price: 101 }), fill(9, { side: 'sell', price: 98, shares: 4 }));
  const model = withFills(fill(0), fill(9, { side: 'sell', price: 99 }));
  const { priceDifference, priceDifferenceBps, feesBps } = executionOf(live, model);
  // 10 shares at 1 more, 4 at 1 less, of 10 · 100 + 4 · 99.
  expect(priceDifference).toBe(14);
  expect(priceDifferenceBps).toBeCloseTo((14 * 10_000) / 1396, 9);
  expect(feesBps.a).toBeCloseTo((2 * 10_000) / (1010 + 392), 9);
});

test('fills after one that the other run lacks still match their own counterparts', () => {
  const each = [0, 1, 2, 3, 4].map((minute) => fill(minute, { price: 100 + minute }));
  const late = each.slice(1).map((one) => ({ ...one, decidedAt: one.at - 3 * MINUTE + 2_000 }));
  for (const [a, b] of [
    [withFills(...late), withFills(...each)],
    [withFills(...each), withFills(...late)],
  ] as const) {
    const { fills, onlyA, onlyB, priceDifference } = executionOf(a, b);
    expect([fills.matched, priceDifference]).toEqual([4, 0]);
    expect([...onlyA, ...onlyB]).toEqual([each[0]]);
  }
});

test('prices are not compared without a matched fill', () => {
  expect(executionOf(withFills(fill(0)), withFills())).toMatchObject({
    priceDifference: null,
    decisions: null,
    feesBps: { b: null },
  });
});

type Decision = NonNullable<RunRecord['decisions']>[number];
const decision = (minute: number, terms: string, more: Partial<Decision> = {}): Decision => ({
  id: `s-${minute}`,
  at: minute * MINUTE,
  strategy: 's',
  symbol: 'X',
  side: 'buy',
  terms,
  end: 'done',
  why: '',
  reason: '',
  ...more,
});
const withDecisions = (...decisions: Decision[]): RunRecord => ({ ...plainRecord(2), fills: [], decisions });

test('decisions match by terms and end; others of the same stock and time differ', () => {
  const live = withDecisions(
    decision(0, 'buy 3 X at 10'),
    decision(0, 'buy 2 X at 9'),
    decision(30, 'sell all X', { side: 'sell', end: 'dropped' }),
    decision(60, 'buy 1 X at 8'),
  );
  const model = withDecisions(
    decision(0, 'buy 2 X at 9'),
    decision(1, 'buy 4 X at 10'),
    decision(30, 'sell all X', { side: 'sell' }),
    decision(90, 'buy 1 X at 8'),
  );
  const { decisions } = executionOf(live, model);
  expect(decisions).toMatchObject({ a: 4, b: 4, same: 1 });
  expect(decisions?.differing.map(({ a, b }) => [a.terms, b.terms])).toEqual([
    ['sell all X', 'sell all X'],
    ['buy 3 X at 10', 'buy 4 X at 10'],
  ]);
  expect(decisions?.onlyA.map(({ at }) => at)).toEqual([60 * MINUTE]);
  expect(decisions?.onlyB.map(({ at }) => at)).toEqual([90 * MINUTE]);
});

test('prices and fees are also compared by strategy and stock', () => {
  const live = withFills(fill(0, { price: 101 }), fill(5, { strategy: 't', symbol: 'Y' }));
  const model = withFills(fill(0));
  expect(executionOf(live, model).parts).toEqual([
    {
      strategy: 's',
      symbol: 'X',
      fills: { a: 1, b: 1, matched: 1 },
      priceDifference: 10,
      priceDifferenceBps: 100,
      fees: { a: 1, b: 1 },
    },
    {
      strategy: 't',
      symbol: 'Y',
      fills: { a: 1, b: 0, matched: 0 },
      priceDifference: null,
      priceDifferenceBps: null,
      fees: { a: 1, b: 0 },
    },
  ]);
});
