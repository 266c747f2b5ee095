import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../src/core/seededRandom.ts';
import { shuffleTrades, type TradeShuffle } from '../../../src/lab/significance/tradeShuffle.ts';
import { marksOf, START, tradeOf } from '../../statistics/figures.ts';

const trades = (pnls: readonly number[]) => pnls.map((pnl, place) => tradeOf(pnl, place));
const found = (pnls: readonly number[], draws = 1_000): TradeShuffle => {
  const result = shuffleTrades(
    { startEquity: START, marks: [], trades: trades(pnls) },
    { random: seededRandom(1), draws },
  );
  if ('reason' in result) throw new Error(result.reason);
  return result;
};

/** Six wins of 10 % of the start and six losses of 5 %. */
const MIXED = [1_000, 1_000, 1_000, 1_000, 1_000, 1_000, -500, -500, -500, -500, -500, -500];

describe('shuffled trades', () => {
  test('have the original end and drawdown as a reference', () => {
    const { end, maxDrawdown } = found(MIXED);
    expect(end).toBeCloseTo(1.1 ** 6 * 0.95 ** 6, 12);
    expect(maxDrawdown).toBeCloseTo(0.95 ** 6 - 1, 12);
  });

  test('fall equally deep only if all losses follow each other: in 7 of 924 orders', () => {
    const { shuffled } = found(MIXED, 20_000);
    expect(shuffled.deeper).toBeGreaterThan(0.005);
    expect(shuffled.deeper).toBeLessThan(0.0105);
  });

  test('have the drawdowns of all orders', () => {
    const depths: number[] = [];
    for (let bits = 0; bits < 2 ** 12; bits++) {
      const losses = Array.from({ length: 12 }, (_, at) => (bits >> at) & 1);
      if (losses.filter(Boolean).length !== 6) continue;
      let [value, peak, deepest] = [1, 1, 0];
      for (const isLoss of losses) {
        value *= isLoss ? 0.95 : 1.1;
        peak = Math.max(peak, value);
        deepest = Math.min(deepest, value / peak - 1);
      }
      depths.push(deepest);
    }
    depths.sort((a, b) => a - b);
    const at = (share: number) => depths[Math.round(share * 923)] ?? NaN;
    const { maxDrawdown } = found(MIXED, 4_000).shuffled;
    expect(maxDrawdown.p50).toBeCloseTo(at(0.5), 6);
    expect(maxDrawdown.p5).toBeCloseTo(at(0.05), 6);
    expect(maxDrawdown.p95).toBeCloseTo(at(0.95), 6);
  });

  test('drawn with replacement end elsewhere, half of them below the original', () => {
    const { redrawn, end } = found(MIXED, 4_000);
    expect(redrawn.end.p50).toBeCloseTo(end, 6);
    // At least 9 of 12 are wins: 7.3 %; at most 3 likewise.
    expect(redrawn.end.p95).toBeCloseTo(1.1 ** 9 * 0.95 ** 3, 6);
    expect(redrawn.end.p5).toBeCloseTo(1.1 ** 3 * 0.95 ** 9, 6);
    expect(redrawn.maxDrawdown.p5).toBeLessThan(found(MIXED, 4_000).shuffled.maxDrawdown.p5);
  });
});

test('count a trade by the equity at the mark before its entry', () => {
  const pnls = Array.from({ length: 10 }, () => 100);
  const list = trades(pnls);
  const marks = marksOf([START * 2], () => ({ at: (list[3]?.entryAt ?? NaN) + 1 }));
  const result = shuffleTrades(
    { startEquity: START, marks, trades: list },
    { random: seededRandom(1), draws: 20 },
  );
  expect(result).toMatchObject({
    end: expect.closeTo((1 + 100 / START) ** 4 * (1 + 50 / START) ** 6, 12) as number,
  });
});

test('need more than nine trades', () =>
  expect(
    shuffleTrades(
      { startEquity: START, marks: [], trades: trades(MIXED.slice(3)) },
      { random: seededRandom(1) },
    ),
  ).toEqual({ reason: '9 trades, but it needs 10' }));
