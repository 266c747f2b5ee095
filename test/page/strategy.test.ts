import { describe, expect, test } from 'vitest';
import { endText, matching, tradesOn, type Decision } from '../../src/page/views/strategy/decisionList.ts';
import { drawdownOf, sessionFigures } from '../../src/page/views/strategy/sessionFigures.ts';

const mark = (equity: number, flow?: number) => ({
  date: '2026-06-15',
  at: 0,
  equity,
  cash: equity,
  positions: {},
  ...(flow !== undefined && { flow }),
});

/** Closes of a run that has begun with an equity of 100. */
const from100 = (...marks: ReturnType<typeof mark>[]) => ({
  marks,
  totals: { equity: { start: '100', end: '0' } },
});

const decision = (id: string, more: Partial<Decision> = {}): Decision => ({
  id,
  at: 0,
  strategy: 'steady',
  symbol: 'SPY',
  side: 'buy',
  terms: 'buy SPY for 50',
  end: 'done',
  why: '',
  reason: 'Breakout',
  ...more,
});

describe('the drawdown of a strategy', () => {
  test('is the distance from the highest close so far', () => {
    const [lost, ...later] = drawdownOf(from100(mark(95), mark(120), mark(90), mark(120)));
    expect(lost).toBeCloseTo(-0.05);
    expect(later).toEqual([0, -0.25, 0]);
  });

  test('ignores money that came or went', () => {
    const [, withdrawn, lost] = drawdownOf(from100(mark(100), mark(50, -50), mark(45)));
    expect(withdrawn).toBe(0);
    expect(lost).toBeCloseTo(-0.1);
  });

  test('is undefined after everything is lost', () => {
    expect(drawdownOf(from100())).toEqual([]);
    expect(drawdownOf(from100(mark(0), mark(0)))).toEqual([-1, null]);
  });
});

test('figures by session are drawn for one session, and for an empty account', () => {
  const texts = [from100(mark(100)), from100(mark(0), mark(0))]
    .flatMap(sessionFigures)
    .map(({ markup }) => markup);
  expect(texts).toHaveLength(6);
  for (const text of texts) expect(text).not.toContain('NaN');
});

describe('the decisions of a strategy', () => {
  test('are searched by terms, reason or result in any case, the latest first', () => {
    const all = [decision('1'), decision('2', { reason: 'stop' }), decision('3', { why: 'no breakout' })];
    expect(matching(all, '').map(({ id }) => id)).toEqual(['3', '2', '1']);
    expect(matching(all, 'BREAKOUT').map(({ id }) => id)).toEqual(['3', '1']);
    expect(matching([decision('4', { end: null })], 'open')).toHaveLength(1);
    expect(matching([decision('5', { tag: 'Dip' }), decision('6')], 'dip').map(({ id }) => id)).toEqual([
      '5',
    ]);
  });

  test('show how they ended, and why if that adds something', () => {
    expect(endText({ end: null, why: '' })).toBe('open');
    expect(endText({ end: 'done', why: '' })).toBe('done');
    expect(endText({ end: 'done', why: 'done' })).toBe('done');
    expect(endText({ end: 'dropped', why: 'halted' })).toBe('dropped: halted');
  });
});

test('trades of a day are those of the day in New York, the latest first', () => {
  const fill = (order: string, time: string) => ({
    at: Date.parse(time),
    order,
    strategy: 'steady',
    symbol: 'SPY',
    side: 'buy' as const,
    shares: 1,
    price: 500,
    fees: 0,
    reason: '',
  });
  const fills = [
    fill('night', '2026-06-16T02:00:00Z'),
    fill('morning', '2026-06-16T13:31:00Z'),
    fill('evening', '2026-06-16T23:30:00Z'),
  ];
  expect(tradesOn('2026-06-16', fills).map(({ order }) => order)).toEqual(['evening', 'morning']);
});
