import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../src/core/seededRandom.ts';
import { activeReturns, columnsOf, sharpeOf } from '../../../src/lab/significance/trialReturns.ts';
import { normals } from './series.ts';

const market = normals(2_000, seededRandom(1)).map((value) => 0.01 * (value + 0.15));

describe('active returns', () => {
  test('against cash are returns above the risk-free rate', () =>
    expect([...activeReturns(Float64Array.of(0.5, -0.25), { riskFree: 0.125, benchmark: null })]).toEqual([
      0.375, -0.375,
    ]));

  test('of a mix of benchmark and cash are 0', () => {
    const half = market.map((value) => 0.5 * value + 0.5 * 0.0002);
    for (const value of activeReturns(half, { riskFree: 0.0002, benchmark: market }))
      expect(value).toBeCloseTo(0, 14);
  });

  test('of random exposure to a rising market have no Sharpe ratio, and of skill they have', () => {
    const random = seededRandom(2);
    const byChance = market.map((value) => (random.next() < 0.5 ? value : 0));
    const knowing = market.map((value) => (random.next() < (value > 0 ? 0.6 : 0.4) ? value : 0));
    const ratio = (column: Float64Array) =>
      sharpeOf(activeReturns(column, { benchmark: market })) * Math.sqrt(2_000);
    expect(sharpeOf(byChance) * Math.sqrt(2_000)).toBeGreaterThan(2);
    expect(Math.abs(ratio(byChance))).toBeLessThan(2);
    expect(ratio(knowing)).toBeGreaterThan(5);
  });

  test('against a constant benchmark are those against cash', () => {
    const still = new Float64Array(2_000);
    expect(activeReturns(market, { benchmark: still })).toEqual(market);
  });

  test('need a benchmark of the same sessions', () =>
    expect(() => activeReturns(market, { benchmark: market.slice(1) })).toThrow(
      'the benchmark has 1999 sessions, the trial 2000: give both for the same sessions',
    ));
});

describe('a study is refused', () => {
  const flat = new Float64Array(30);
  test.each([
    ['without trials', [], 'no trial to judge'],
    ['of few sessions', [flat.slice(11)], '19 sessions, but it needs 20'],
    ['of different lengths', [flat, flat.slice(1)], 'trial 1 has 29 sessions, others 30'],
    ['with gaps', [flat, flat.with(7, NaN)], 'trial 1, session 7: return NaN is not a number'],
    [
      'with infinite returns',
      [flat.with(0, Infinity)],
      'trial 0, session 0: return Infinity is not a number',
    ],
  ])('%s', (_name, columns, why) =>
    expect(() => columnsOf(columns.map((returns) => ({ returns })))).toThrow(why),
  );

  test('not for a trial that lost everything before the end', () => {
    const ruined = Float64Array.of(0.1, -0.5, -1.2);
    const [, column] = columnsOf([{ returns: flat }, { returns: ruined }]);
    expect(column).toHaveLength(30);
    expect([...(column ?? [])].slice(0, 5)).toEqual([0.1, -0.5, -1.2, 0, 0]);
  });
});

test('a trial that never moves has a Sharpe ratio of 0', () => {
  expect(sharpeOf(new Float64Array(50))).toBe(0);
  expect(sharpeOf(new Float64Array(50).fill(0.001))).toBe(0);
});
