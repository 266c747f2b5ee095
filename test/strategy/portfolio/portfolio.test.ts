import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../src/core/seededRandom.ts';
import { momentsOf } from '../../../src/strategy/portfolio/covariance.ts';
import {
  equalWeights,
  fractionalKelly,
  inverseVolatility,
  meanVariance,
  minimumVariance,
  riskParity,
  riskPercent,
  topByRank,
  volatilityTarget,
  type AssetReturns,
  type Weights,
} from '../../../src/strategy/index.ts';
import { runs } from '../../runs.ts';

/** Returns of assets that share a factor, each with a volatility of its own. */
function market(size: number, periods: number, seed: number): Record<string, number[]> {
  const random = seededRandom(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  const factor = Array.from({ length: periods }, normal);
  return Object.fromEntries(
    Array.from({ length: size }, (_, asset) => {
      const [scale, share] = [0.005 + 0.02 * random.next(), random.next()];
      const own = factor.map((common) => 0.0005 * asset + scale * (share * common + (1 - share) * normal()));
      return [`S${asset}`, own];
    }),
  );
}

const markets = fc
  .tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 12, max: 80 }), fc.nat())
  .map(([size, periods, seed]) => market(size, periods, seed));

const total = (weights: Weights) => Object.values(weights).reduce((sum, weight) => sum + weight, 0);

/** w'Σw and Σw, by definition. */
function riskOf(weights: Weights, returns: AssetReturns) {
  const { symbols, matrix } = momentsOf(returns);
  const w = symbols.map((symbol) => weights[symbol] ?? 0);
  const slopes = matrix.map((row) => row.reduce((sum, value, at) => sum + value * (w[at] ?? 0), 0));
  return { variance: slopes.reduce((sum, slope, at) => sum + slope * (w[at] ?? 0), 0), slopes, w };
}

describe('the covariance of returns', () => {
  test("equals Ledoit and Wolf's, computed in another way", () => {
    fc.assert(
      fc.property(markets, (returns) => {
        const { matrix, shrinkage } = momentsOf(returns);
        const expected = ledoitWolf(Object.values(returns));
        expect(shrinkage).toBeCloseTo(expected.delta, 10);
        matrix.forEach((row, i) =>
          row.forEach((value, j) => expect(value / (expected.matrix[i]?.[j] ?? NaN)).toBeCloseTo(1, 8)),
        );
      }),
      { numRuns: runs(40) },
    );
  });
  test('is right for two assets on paper: x = (1, −1, 0, 0), y = (0, 0, 1, −1)', () => {
    // S = I/2, so that the target is the sample itself and nothing is left to shrink.
    expect(momentsOf({ x: [1, -1, 0, 0], y: [0, 0, 1, -1] })).toMatchObject({
      means: [0, 0],
      matrix: [
        [0.5, 0],
        [0, 0.5],
      ],
      shrinkage: 0,
    });
    // x twice as wide: S = diag(2, 0.5), m = 1.25, d² = 0.5625, b² = Σ‖xₖxₖ' − S‖² / 16 / 2 = (2·4.25 + 2·4.25) / 32.
    const { shrinkage } = momentsOf({ x: [2, -2, 0, 0], y: [0, 0, 1, -1] });
    expect(shrinkage).toBeCloseTo((2 * (4 + 0.25) + 2 * (4 + 0.25)) / 32 / 0.5625, 12);
  });
  test.each([
    [{}, 'returns of 0 periods'],
    [{ A: [0.1] }, 'returns of 1 periods'],
    [{ A: [0.1, 0.2], B: [0.1] }, 'B has 1 returns, A 2'],
    [{ A: [0.1, NaN] }, 'return 2 of A is NaN'],
  ])('refuses %j', (returns, why) => expect(() => momentsOf(returns as AssetReturns)).toThrow(why));
});

/** scikit-learn's order of steps: X², block by block, instead of one period after the other. */
function ledoitWolf(columns: readonly (readonly number[])[]) {
  const [p, n] = [columns.length, columns[0]?.length ?? 0];
  const x = columns.map((column) => {
    const mean = column.reduce((a, b) => a + b, 0) / n;
    return column.map((value) => value - mean);
  });
  const at = (i: number, k: number) => x[i]?.[k] ?? NaN;
  const s = x.map((_, i) =>
    x.map((__, j) => x[0]?.reduce((sum, ___, k) => sum + at(i, k) * at(j, k), 0) ?? NaN).map((v) => v / n),
  );
  const mu = s.reduce((sum, row, i) => sum + (row[i] ?? NaN), 0) / p;
  let [beta, delta] = [0, 0];
  for (let i = 0; i < p; i++)
    for (let j = 0; j < p; j++) {
      const squares = x[0]?.reduce((sum, _, k) => sum + at(i, k) ** 2 * at(j, k) ** 2, 0) ?? NaN;
      const value = s[i]?.[j] ?? NaN;
      beta += squares / n - value ** 2;
      delta += value ** 2;
    }
  beta /= n * p;
  delta = delta / p - mu ** 2;
  const share = delta > 0 ? Math.min(beta, delta) / delta : 0;
  return {
    delta: share,
    matrix: s.map((row, i) => row.map((v, j) => (1 - share) * v + (i === j ? share * mu : 0))),
  };
}

describe('portfolio weights', () => {
  test('sum to 1, and none is below 0', () => {
    fc.assert(
      fc.property(markets, (returns) => {
        for (const weights of [
          inverseVolatility(returns),
          riskParity(returns),
          minimumVariance(returns),
          meanVariance(returns, 5),
        ]) {
          expect(total(weights)).toBeCloseTo(1, 12);
          expect(Math.min(...Object.values(weights))).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: runs(60) },
    );
  });

  test('of risk parity contribute the same risk each', () => {
    fc.assert(
      fc.property(markets, (returns) => {
        const { w, slopes, variance } = riskOf(riskParity(returns), returns);
        slopes.forEach((slope, at) => expect((slope * (w[at] ?? 0)) / variance).toBeCloseTo(1 / w.length, 9));
      }),
      { numRuns: runs(60) },
    );
  });

  test('of minimum variance and mean variance are optimal: projected gradient from another start ends there', () => {
    fc.assert(
      fc.property(markets, fc.constantFrom(0, 1, 4, 50), (returns, aversion) => {
        const { symbols, matrix, means } = momentsOf(returns);
        const gains = means.map((mean) => (aversion === 0 ? 0 : mean / aversion));
        const found = aversion === 0 ? minimumVariance(returns) : meanVariance(returns, aversion);
        const other = projectedGradient(matrix, gains);
        const goal = (w: readonly number[]) =>
          0.5 *
            matrix.reduce(
              (sum, row, i) => sum + row.reduce((line, v, j) => line + v * (w[j] ?? 0), 0) * (w[i] ?? 0),
              0,
            ) -
          w.reduce((sum, weight, i) => sum + weight * (gains[i] ?? 0), 0);
        const mine = goal(symbols.map((symbol) => found[symbol] ?? 0));
        expect(mine).toBeLessThanOrEqual(goal(other) + 1e-15);
        expect(Math.abs(mine - goal(other))).toBeLessThan(1e-8);
      }),
      { numRuns: runs(30) },
    );
  });

  test('are right on paper', () => {
    const returns = { A: [0.01, -0.01, 0.01, -0.01], B: [0.02, -0.02, -0.02, 0.02] };
    expect(equalWeights(['A', 'B', 'C', 'D'])).toEqual({ A: 0.25, B: 0.25, C: 0.25, D: 0.25 });
    expect(equalWeights([])).toEqual({});
    const inverse = inverseVolatility(returns);
    expect(inverse['A']).toBeCloseTo(2 / 3, 12);
    expect(inverse['B']).toBeCloseTo(1 / 3, 12);
    expect(topByRank({ A: 1, B: 3, C: NaN, D: 3, E: -1 }, 2)).toEqual({ B: 0.5, D: 0.5 });
    expect(topByRank({ A: 1, B: 3, E: -1 }, 3, 0)).toEqual({ B: 1 / 3, A: 1 / 3 });
  });

  test('at a volatility target are at most the given ones', () => {
    const returns = market(3, 60, 5);
    const weights = equalWeights(Object.keys(returns));
    const { variance } = riskOf(weights, returns);
    const year = Math.sqrt(variance * 252);
    const half = volatilityTarget(weights, returns, { volatility: year / 2 });
    for (const [symbol, weight] of Object.entries(half))
      expect(weight).toBeCloseTo((weights[symbol] ?? 0) / 2, 12);
    expect(volatilityTarget(weights, returns, { volatility: 2 * year })).toEqual(weights);
    expect(volatilityTarget({}, returns, { volatility: 0.1 })).toEqual({});
    expect(() => volatilityTarget({ Z: 1 }, returns, { volatility: 0.1 })).toThrow(
      'no returns of Z are given',
    );
  });

  test.each([
    [() => inverseVolatility({ A: [0, 0], B: [0, 1] }), 'A never moves'],
    [() => minimumVariance({ A: [0, 0], B: [0, 1] }), 'A never moves'],
    [() => meanVariance({ A: [1, 0] }, 0), 'a risk aversion of 0'],
    [() => topByRank({ A: 1 }, 0), '0 symbols'],
  ])('refuse %s', (make, why) => expect(make).toThrow(why));
});

/** Long steps of steepest descent, each taken back to the simplex (Duchi and others 2008). */
function projectedGradient(matrix: readonly (readonly number[])[], gains: readonly number[]): number[] {
  const size = matrix.length;
  const most = matrix.reduce((sum, row, i) => sum + (row[i] ?? 0), 0);
  let w: number[] = matrix.map((_, index) => (index === 0 ? 1 : 0));
  for (let step = 0; step < 6_000; step++) {
    const moved = w.map((weight, i) => {
      const slope = (matrix[i] ?? []).reduce((sum, v, j) => sum + v * (w[j] ?? 0), 0) - (gains[i] ?? 0);
      return weight - slope / most;
    });
    const falling = [...moved].sort((a, b) => b - a);
    let [sum, level] = [0, 0];
    for (let count = 1; count <= size; count++) {
      sum += falling[count - 1] ?? 0;
      if ((falling[count - 1] ?? 0) - (sum - 1) / count > 0) level = (sum - 1) / count;
    }
    w = moved.map((value) => Math.max(value - level, 0));
  }
  return w;
}

describe('position sizes', () => {
  test('by risk lose the given percentage at the stop', () => {
    const shares = riskPercent({ equity: 10_000, price: 50, stop: 48, percent: 1 });
    expect(shares * (50 - 48)).toBeCloseTo(100, 12);
    expect(riskPercent({ equity: 10_000, price: 50, stop: 49.99, percent: 1 })).toBe(200);
  });
  test('by Kelly are a fifth for an even bet won 60 of 100 times, half of it for half, and 0 for a losing bet', () => {
    expect(fractionalKelly({ winRate: 0.6, payoff: 1 }, 1)).toBeCloseTo(0.2, 12);
    expect(fractionalKelly({ winRate: 0.6, payoff: 1 }, 0.5)).toBeCloseTo(0.1, 12);
    expect(fractionalKelly({ winRate: 0.4, payoff: 1 }, 1)).toBe(0);
  });
  test.each([
    [() => riskPercent({ equity: 1, price: 50, stop: 50, percent: 1 }), 'write a stop below the price'],
    [() => riskPercent({ equity: 1, price: 50, stop: 40, percent: 0 }), '0 percent'],
    [() => fractionalKelly({ winRate: 60, payoff: 1 }, 1), 'a win rate of 60'],
    [() => fractionalKelly({ winRate: 0.6, payoff: 0 }, 1), 'a payoff of 0'],
    [() => fractionalKelly({ winRate: 0.6, payoff: 1 }, 2), 'a fraction of 2'],
  ])('refuse %s', (make, why) => expect(make).toThrow(why));
});
