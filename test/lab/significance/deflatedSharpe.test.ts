import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../src/core/seededRandom.ts';
import { deflatedSharpe, independentTrials } from '../../../src/lab/significance/deflatedSharpe.ts';
import { normalBelow, normalQuantile } from '../../../src/statistics/normal.ts';
import { bestOfChance, probabilityAbove } from '../../../src/statistics/sharpeTests.ts';
import { normals } from './series.ts';

/** Columns that share a part of their variance. */
function related(count: number, sessions: number, shared: number): Float64Array[] {
  const random = seededRandom(`related ${count} ${shared}`);
  const common = normals(sessions, random);
  return Array.from({ length: count }, () =>
    normals(sessions, random).map(
      (own, at) => 0.01 * (Math.sqrt(shared) * (common[at] ?? NaN) + Math.sqrt(1 - shared) * own),
    ),
  );
}

const mean = (values: Float64Array | readonly number[]) =>
  [...values].reduce((sum, value) => sum + value, 0) / values.length;
function moment(values: Float64Array | readonly number[], power: number): number {
  const middle = mean(values);
  return mean([...values].map((value) => (value - middle) ** power));
}

describe('the example of Bailey and López de Prado (2014)', () => {
  // Yearly Sharpe ratio 2.5 over 1,250 sessions, 250 a year; yearly variance of the trials' Sharpe ratios ½.
  const fat = { ratio: 2.5 / Math.sqrt(250), skew: -3, kurtosis: 10, returns: 1_250 };
  const normal = { ...fat, skew: 0, kurtosis: 3 };
  const bar = (trials: number) => Math.sqrt(0.5 / 250) * bestOfChance(trials);

  test('assumes no luck with up to 1.2 trials', () =>
    expect([0.5, 1, 1.1, 1.2].map(bestOfChance)).toEqual([0, 0, 0, 0]));

  test('has the published best of 100 trials by luck', () => expect(bar(100)).toBeCloseTo(0.1132, 4));
  test.each([
    [fat, 100, 0.9004],
    [fat, 46, 0.9505],
    [normal, 88, 0.9505],
  ])('has the published probability: %o over %d trials', (estimate, trials, known) =>
    expect(probabilityAbove(estimate, bar(trials))).toBeCloseTo(known, 4),
  );
});

describe('the deflated Sharpe ratio of a study', () => {
  const columns = related(40, 600, 0.4);

  test('equals that of its trials, written out', () => {
    const ratios = columns.map((column) => mean(column) / Math.sqrt((moment(column, 2) * 600) / 599));
    const chosen = ratios.indexOf(Math.max(...ratios));
    const column = columns[chosen] ?? new Float64Array();
    const ratio = ratios[chosen] ?? NaN;
    const scaled = columns.map((one) => {
      const [middle, deviation] = [mean(one), Math.sqrt(moment(one, 2))];
      return one.map((value) => (value - middle) / deviation);
    });
    let [pairs, correlations] = [0, 0];
    for (const [index, one] of scaled.entries())
      for (const other of scaled.slice(index + 1)) {
        correlations += mean(one.map((value, at) => value * (other[at] ?? NaN)));
        pairs++;
      }
    const rho = correlations / pairs;
    const independent = rho + (1 - rho) * 40;
    const variance = (moment(ratios, 2) * 40) / 39;
    const best =
      (1 - 0.5772156649015329) * normalQuantile(1 - 1 / independent) +
      0.5772156649015329 * normalQuantile(1 - 1 / (independent * Math.E));
    const bar = Math.sqrt(variance) * best;
    const [skew, kurtosis] = [3, 4].map((power) => moment(column, power) / moment(column, 2) ** (power / 2));
    const error = Math.sqrt((1 - (skew ?? NaN) * ratio + (((kurtosis ?? NaN) - 1) / 4) * ratio ** 2) / 599);
    const found = deflatedSharpe(columns, chosen);
    if ('reason' in found) throw new Error(found.reason);
    expect(found.independent).toBeCloseTo(independent, 8);
    expect(found.variance).toBeCloseTo(variance, 12);
    expect(found.bar).toBeCloseTo(bar, 10);
    expect(found.ratio).toBeCloseTo(ratio, 12);
    expect(found.probability).toBeCloseTo(normalBelow((ratio - bar) / error), 10);
  });

  test('has a higher bar for a larger number of trials', () => {
    const [these, more] = [deflatedSharpe(columns, 0), deflatedSharpe(columns, 0, 4_000)];
    if ('reason' in these || 'reason' in more) throw new Error('no Sharpe ratio');
    expect(more.trials).toBe(4_000);
    expect(more.independent / these.independent).toBeCloseTo(100, -1);
    expect(more.bar).toBeGreaterThan(1.3 * these.bar);
    expect(more.probability).toBeLessThan(these.probability);
  });

  test('leaves out trials that never traded', () => {
    const idle = Array.from({ length: 40 }, () => new Float64Array(600));
    expect(deflatedSharpe([...columns, ...idle], 3)).toEqual(deflatedSharpe(columns, 3));
    expect(deflatedSharpe([...columns, ...idle], 60)).toEqual({ reason: 'the volatility is 0' });
  });

  test('of one trial is the probability of a Sharpe ratio above 0', () => {
    const found = deflatedSharpe(columns.slice(0, 1), 0);
    expect(found).toMatchObject({ trials: 1, independent: 1, bar: 0 });
  });
});

describe('the number of independent trials', () => {
  test('is 1 for identical trials', () => {
    const [one = new Float64Array()] = related(1, 500, 0);
    expect(independentTrials(Array.from({ length: 30 }, () => one))).toBeCloseTo(1, 8);
  });

  test('is their number for unrelated trials, within the precision of 2,500 sessions', () =>
    expect(independentTrials(related(50, 2_500, 0))).toBeCloseTo(50, 0));

  test('is about a quarter for trials that share three quarters of their variance', () =>
    expect(independentTrials(related(80, 2_500, 0.75))).toBeCloseTo(0.75 + 0.25 * 80, -0.5));

  test('is at most their number for opposite trials', () => {
    const [one = new Float64Array()] = related(1, 500, 0);
    expect(independentTrials([one, one.map((value) => -value)])).toBe(2);
  });
});
