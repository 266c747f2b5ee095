import { expect, test } from 'vitest';
import { adjustedBars, factorsOf } from '../../src/market/factors.ts';
import { columnsOfRows } from '../../src/market/mergeBars.ts';
import { row } from './columns.ts';

const round = (price: number) => Math.round(price * 100) / 100;

test('adjustment factors are found in spite of rounded prices, as few as explain them', () => {
  const raw = columnsOfRows([row(1, 400.37), row(2, 404.11), row(3, 101.4), row(4, 100.02), row(5, 99.07)]);
  const dividend = 0.9921;
  const factorAt = (start: number) => (start < 3 ? 0.25 * dividend : start < 5 ? dividend : 1);
  const adjusted = { ...raw, close: raw.close.map((price, index) => round(price * factorAt(index + 1))) };
  const { steps, fetchedAt } = factorsOf(raw, adjusted, 9);
  expect(fetchedAt).toBe(9);
  expect(steps.map(({ from }) => from)).toEqual([1, 3, 5]);
  steps.forEach(({ factor }, index) =>
    expect(factor).toBeCloseTo([0.25 * dividend, dividend, 1][index] ?? NaN, 4),
  );
  expect(steps.at(-1)?.factor).toBe(1);
});

test('prices without actions have one factor of 1, and none without days to compare', () => {
  const raw = columnsOfRows([row(1), row(2)]);
  expect(factorsOf(raw, raw, 0).steps).toEqual([{ from: 1, factor: 1 }]);
  expect(factorsOf(raw, columnsOfRows([]), 0).steps).toEqual([]);
});

test('adjusted bars are raw bars times the factor of their time', () => {
  const raw = columnsOfRows([row(1, 100), row(2, 100), row(3, 50)]);
  const { open, low, volume } = adjustedBars(raw, {
    fetchedAt: 0,
    steps: [
      { from: 1, factor: 0.5 },
      { from: 3, factor: 1 },
    ],
  });
  expect([[...open], [...low], [...volume]]).toEqual([
    [50, 50, 50],
    [49.5, 49.5, 49],
    [10, 10, 10],
  ]);
});
