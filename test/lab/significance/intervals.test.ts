import { describe, expect, test } from 'vitest';
import type { Random } from '../../../src/core/random.ts';
import { seededRandom } from '../../../src/core/seededRandom.ts';
import { INTERVAL_METRICS, metricIntervals, type Interval } from '../../../src/lab/significance/intervals.ts';
import { metricsOf } from '../../../src/statistics/metrics.ts';
import { equitiesOf, figuresOf, tradeOf } from '../../statistics/figures.ts';
import { normals, YEAR } from './series.ts';

const returns = [...normals(600, seededRandom(1))].map((value) => 0.01 * (value + 0.08));
const market = [...normals(600, seededRandom(2))].map(
  (value, at) => 0.008 * value + 0.5 * (returns[at] ?? NaN),
);
const closes = equitiesOf(market, 50);
const trades = Array.from({ length: 40 }, (_, place) => tradeOf(place % 3 === 0 ? -30 : 25 + place, place));
const figures = figuresOf(equitiesOf(returns), { trades, benchmark: { symbol: 'SPY', start: 50, closes } });

const isInterval = (found: object): found is Interval => 'low' in found;

/** Draws every place once, in order, for several values one after the other: a block begins at 0 and never ends. */
function inOrder(...counts: readonly number[]): Random {
  const values = counts.flatMap((count) => [0, ...Array.from({ length: count - 1 }, () => 0.999_999)]);
  return { next: () => values.shift() ?? 0, uuid: () => '' };
}

test('a resample in the original order has every metric of the run', () => {
  const { metrics } = metricsOf(figures, { riskFree: 0.02 });
  const intervals = metricIntervals(figures, { riskFree: 0.02 }, { random: inOrder(600, 40), draws: 1 });
  for (const name of INTERVAL_METRICS) {
    const found = intervals[name];
    expect(metrics[name], name).not.toBeNull();
    expect(isInterval(found) ? found.low : found.reason, name).toBeCloseTo(metrics[name] ?? NaN, 10);
    expect(isInterval(found) ? found.high : found.reason, name).toBeCloseTo(metrics[name] ?? NaN, 10);
  }
});

describe('the confidence interval', () => {
  const intervals = metricIntervals(figures, {}, { random: seededRandom(3), draws: 800 });
  const { metrics } = metricsOf(figures);
  const of = (name: (typeof INTERVAL_METRICS)[number]): Interval => {
    const found = intervals[name];
    if (!isInterval(found)) throw new Error(found.reason);
    return found;
  };

  test('of the Sharpe ratio agrees with its standard error, √((1 + s²/2)/n)', () => {
    const { low, high } = of('sharpe');
    const ratio = (metrics.sharpe ?? NaN) / Math.sqrt(YEAR);
    const error = 1.645 * Math.sqrt(((1 + ratio ** 2 / 2) / 600) * YEAR);
    expect(low / ((metrics.sharpe ?? NaN) - error)).toBeCloseTo(1, 0.5);
    expect(high / ((metrics.sharpe ?? NaN) + error)).toBeCloseTo(1, 0.8);
  });

  test('of beta agrees with that of a regression', () => {
    const { low, high } = of('beta');
    const error =
      Math.sqrt((1 - (metrics.rSquared ?? NaN)) / 598) *
      ((metrics.beta ?? NaN) / (metrics.correlation ?? NaN));
    expect((high - low) / (2 * 1.645 * error)).toBeCloseTo(1, 0.8);
    expect((high + low) / 2 / (metrics.beta ?? NaN)).toBeCloseTo(1, 1);
  });

  test('of the win rate agrees with that of a binomial', () => {
    const { low, high } = of('winRate');
    const error = 1.645 * Math.sqrt(((metrics.winRate ?? NaN) * (1 - (metrics.winRate ?? NaN))) / 40);
    // The blocks capture that every third place is a loss.
    expect(high - low).toBeLessThan(2.6 * error);
    expect(low).toBeLessThan(metrics.winRate ?? NaN);
    expect(high).toBeGreaterThan(metrics.winRate ?? NaN);
  });

  test.each(INTERVAL_METRICS)('of %s has its low below its high', (name) =>
    expect(of(name).low).toBeLessThan(of(name).high),
  );
});

test('the interval covers the true Sharpe ratio about nine times in ten', () => {
  const covered = Array.from({ length: 80 }, (_, seed) => {
    const drawn = [...normals(250, seededRandom(seed))].map((value) => 0.01 * (value + 0.06));
    const { sharpe } = metricIntervals(
      figuresOf(equitiesOf(drawn)),
      {},
      { random: seededRandom(seed), draws: 120 },
    );
    const truth = 0.06 * Math.sqrt(YEAR);
    return isInterval(sharpe) && sharpe.low <= truth && truth <= sharpe.high;
  }).filter(Boolean).length;
  expect(covered).toBeGreaterThan(63);
  expect(covered).toBeLessThan(80);
});

test('the interval of an undefined metric is undefined, with its reason', () => {
  const { winRate, alpha, sharpe, cagr } = metricIntervals(
    figuresOf(equitiesOf(returns.slice(0, 30))),
    {},
    { random: seededRandom(1), draws: 20 },
  );
  expect(winRate).toEqual({ reason: '0 trades, but it needs 10' });
  expect(alpha).toEqual({ reason: 'the run has no benchmark' });
  expect(cagr).toEqual({ reason: 'less than a quarter of a year' });
  expect(sharpe).toHaveProperty('low');
  expect(metricIntervals(figuresOf([10_100]), {}, { random: seededRandom(1), draws: 2 }).sharpe).toEqual({
    reason: '1 returns, but it needs 20',
  });
});

test('sessions without a price of the benchmark are left out of beta', () => {
  const holes = closes.map((close, at) => (at % 50 === 20 ? null : close));
  const { beta } = metricIntervals(
    { ...figures, benchmark: { symbol: 'SPY', start: 50, closes: holes } },
    {},
    { random: seededRandom(3), draws: 200 },
  );
  const { metrics } = metricsOf(figures);
  if (!isInterval(beta)) throw new Error(beta.reason);
  expect(beta.low).toBeLessThan(metrics.beta ?? NaN);
  expect(beta.high).toBeGreaterThan(metrics.beta ?? NaN);
});
