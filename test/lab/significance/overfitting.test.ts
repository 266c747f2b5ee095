import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../src/core/seededRandom.ts';
import { overfittingOf, type Overfitting } from '../../../src/lab/significance/overfitting.ts';
import { autoregression, normals, YEAR } from './series.ts';
import { runs } from '../../runs.ts';

const found = (columns: readonly Float64Array[], blocks?: number): Overfitting => {
  const result = overfittingOf(columns, blocks);
  if ('reason' in result) throw new Error(result.reason);
  return result;
};

const sharpe = (values: readonly number[]) => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  // Rounded, so that equal ratios are equal whatever the order of their returns.
  return squares > 1e-12 ? Number((mean / Math.sqrt(squares / (values.length - 1))).toPrecision(10)) : 0;
};

/** All choices of so many of the numbers below a limit. */
function choices(count: number, limit: number): number[][] {
  if (count === 0) return [[]];
  return Array.from({ length: limit }, (_, last) => last).flatMap((last) =>
    choices(count - 1, last).map((rest) => [...rest, last]),
  );
}

/** Cross-validation exactly as in the paper: matrices joined, every Sharpe ratio from its returns, ranks by sorting. */
function naive(columns: readonly Float64Array[], blocks: number) {
  const length = Math.floor((columns[0]?.length ?? 0) / blocks);
  const start = (columns[0]?.length ?? 0) - length * blocks;
  const rows = (chosen: readonly number[], column: Float64Array) =>
    chosen.flatMap((block) => [...column.slice(start + block * length, start + (block + 1) * length)]);
  const pairs = choices(blocks / 2, blocks).map((inside) => {
    const outside = Array.from({ length: blocks }, (_, block) => block).filter(
      (block) => !inside.includes(block),
    );
    const [own, other] = [inside, outside].map((half) => columns.map((column) => sharpe(rows(half, column))));
    const best = (own ?? []).indexOf(Math.max(...(own ?? [])));
    const result = other?.[best] ?? NaN;
    const ascending = [...(other ?? [])].sort((a, b) => a - b);
    const rank = (ascending.indexOf(result) + 1 + ascending.lastIndexOf(result) + 1) / 2;
    const omega = rank / (columns.length + 1);
    return { inSample: own?.[best] ?? NaN, outOfSample: result, logit: Math.log(omega / (1 - omega)) };
  });
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(pairs.map((pair) => pair.inSample)), mean(pairs.map((pair) => pair.outOfSample))];
  return {
    pairs,
    probability: pairs.filter(({ logit }) => logit <= 0).length / pairs.length,
    lossProbability: pairs.filter(({ outOfSample }) => outOfSample < 0).length / pairs.length,
    slope:
      pairs.reduce((sum, pair) => sum + (pair.inSample - x) * (pair.outOfSample - y), 0) /
      pairs.reduce((sum, pair) => sum + (pair.inSample - x) ** 2, 0),
  };
}

const ascending = (values: Iterable<number>) => [...values].sort((a, b) => a - b);

describe('combinatorial cross-validation', () => {
  test.each([
    [4, 83, 2],
    [6, 130, 5],
    [8, 200, 12],
    [10, 205, 7],
  ])(
    "in %d blocks of %d sessions and %d trials agrees with the paper's procedure",
    (blocks, sessions, trials) => {
      const columns = Array.from({ length: trials }, (_, trial) =>
        autoregression(trial + 1, sessions, 0.2).map((value) => 0.01 * value + 0.0005),
      );
      const [quick, slow] = [found(columns, blocks), naive(columns, blocks)];
      expect(quick.blocks).toBe(blocks);
      expect(quick.sessions).toBe(Math.floor(sessions / blocks) * blocks);
      expect(quick.logits).toHaveLength(slow.pairs.length);
      expect(quick.probability).toBeCloseTo(slow.probability, 12);
      expect(quick.lossProbability).toBeCloseTo(slow.lossProbability, 12);
      expect(quick.slope).toBeCloseTo(slow.slope, 8);
      for (const [name, of] of [
        ['logits', 'logit'],
        ['inSample', 'inSample'],
        ['outOfSample', 'outOfSample'],
      ] as const)
        for (const [index, value] of ascending(slow.pairs.map((pair) => pair[of])).entries())
          expect(ascending(quick[name])[index], name).toBeCloseTo(value, 9);
    },
  );

  test('ranks any returns as sorting does, also flat and equal ones', () => {
    const value = fc.constantFrom(-1 / 32, -1 / 64, 0, 0, 1 / 64, 3 / 64);
    fc.assert(
      fc.property(
        fc.array(fc.array(value, { minLength: 80, maxLength: 80 }), { minLength: 2, maxLength: 5 }),
        (lists) => {
          const columns = [...lists, Array.from({ length: 80 }, () => 0)].map((list) =>
            Float64Array.from(list),
          );
          const [quick, slow] = [found(columns, 4), naive(columns, 4)];
          expect(quick.lossProbability).toBe(slow.lossProbability);
          expect(quick.probability).toBe(slow.probability);
          for (const [index, logit] of ascending(slow.pairs.map((pair) => pair.logit)).entries())
            expect(ascending(quick.logits)[index]).toBeCloseTo(logit, 9);
        },
      ),
      { numRuns: runs(60) },
    );
  });
});

/** Trials of the paper's test cases: 1,000 sessions with an annual Sharpe ratio of exactly 0, the last one `last`. */
function testCase(last: number, seed: number): Float64Array[] {
  const random = seededRandom(seed);
  return Array.from({ length: 100 }, (_, trial) => {
    const values = normals(1_000, random);
    const mean = values.reduce((sum, value) => sum + value, 0) / 1_000;
    const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 999);
    const added = trial === 99 ? last / YEAR : 0;
    return values.map((value) => (value - mean) / deviation / Math.sqrt(YEAR) + added);
  });
}

describe('the probability of overfitting in the test cases of the paper, in 8 blocks', () => {
  test('is 1 where no trial has skill', () => {
    const result = found(testCase(0, 1), 8);
    expect(result).toMatchObject({ probability: 1, lossProbability: 1 });
    expect(result.slope).toBeCloseTo(-1, 1);
  });

  test('is from 0.5 to 0.9 where one of 100 trials has a Sharpe ratio of 1', () => {
    const results = [1, 2, 3, 4].map((seed) => found(testCase(1, seed), 8).probability);
    expect(Math.min(...results)).toBeGreaterThan(0.5);
    expect(Math.max(...results)).toBeLessThan(0.9);
  });

  test('is below 0.25 where one of 100 trials has a Sharpe ratio of 2', () =>
    expect(Math.max(...[1, 2, 3, 4].map((seed) => found(testCase(2, seed), 8).probability))).toBeLessThan(
      0.25,
    ));
});

describe('the number of blocks', () => {
  const columns = (sessions: number) => [1, 2, 3].map((seed) => autoregression(seed, sessions, 0));

  test.each([
    [2_500, 16, 12_870],
    [320, 16, 12_870],
    [319, 14, 3_432],
    [252, 12, 924],
    [80, 4, 6],
  ])('for %d sessions is %d', (sessions, blocks, splits) => {
    const result = found(columns(sessions));
    expect([result.blocks, result.logits.length]).toEqual([blocks, splits]);
  });

  test('is undefined with too few sessions', () =>
    expect(overfittingOf(columns(79))).toEqual({ reason: '79 sessions, but it needs 80' }));

  test.each([3, 18, -2, 2.5])('cannot be %d', (blocks) =>
    expect(() => overfittingOf(columns(100), blocks)).toThrow('write an even number from 2 to 16'),
  );

  test('does not matter for one trial', () =>
    expect(overfittingOf(columns(100).slice(0, 1))).toEqual({ reason: 'one trial: nothing was chosen' }));
});

test('trials with identical results are no choice, and so no overfitting', () => {
  const column = autoregression(1, 160, 0);
  const reason = 'all trials had the same result: nothing was chosen';
  expect(overfittingOf([column, column.slice(), column.slice()])).toEqual({ reason });
});

test.each([0.001, 0.0007, 0.0013, -0.0011, 0.1 / 3])(
  'a constant return of %d has no infinite Sharpe ratio',
  (value) => {
    const moving = autoregression(1, 160, 0).map((own) => 0.01 * own + 0.002);
    const { inSample, outOfSample } = found([new Float64Array(160).fill(value), moving], 8);
    for (const ratio of [...inSample, ...outOfSample]) expect(Math.abs(ratio)).toBeLessThan(2);
  },
);
