import { describe, expect, test } from 'vitest';
import { drawdownSeries, drawdownsOf, worstDrawdowns } from '../../src/statistics/drawdown.ts';
import { turnoverSeries, weightsOf } from '../../src/statistics/exposure.ts';
import { histogram } from '../../src/statistics/moments.ts';
import { METRIC_TABLE } from '../../src/statistics/metricTable.ts';
import { metricsOf } from '../../src/statistics/metrics.ts';
import { monthTable, periodReturns } from '../../src/statistics/periods.ts';
import {
  rollingBeta,
  rollingSharpe,
  rollingSortino,
  rollingVolatility,
} from '../../src/statistics/ratios.ts';
import { sampleOf } from '../../src/statistics/sample.ts';
import { simulatedFan } from '../../src/statistics/simulation.ts';
import { groupTrades } from '../../src/statistics/trades.ts';
import { equitiesOf, figuresOf, marksOf, sessionsFrom, START, tradeOf } from './figures.ts';

const near = (values: readonly (number | null)[], places = 12) =>
  values.map((value) => (value === null ? null : Number(value.toFixed(places))));

const sample = (returns: readonly number[]) => sampleOf(figuresOf(equitiesOf(returns)));

describe('drawdowns', () => {
  test('are measured from the highest value so far, the start included', () => {
    expect(near(drawdownSeries([-0.1, 0.2, -0.5, 0.5]))).toEqual([-0.1, 0, -0.5, -0.25]);
  });

  test('end when the value is back, in spite of rounding', () => {
    const found = drawdownsOf(sampleOf(figuresOf([9_000, 9_500, START, 9_000])));
    expect(found).toMatchObject([
      {
        peakDate: '2026-01-02',
        troughDate: '2026-01-02',
        recoveryDate: '2026-01-06',
        days: 4,
        daysToTrough: 0,
        from: -1,
        lowest: 0,
        to: 2,
      },
      {
        peakDate: '2026-01-06',
        troughDate: '2026-01-07',
        recoveryDate: null,
        days: 1,
        daysToRecovery: null,
        from: 2,
        lowest: 3,
        to: 3,
      },
    ]);
  });

  test('come deepest first', () => {
    const depths = worstDrawdowns(sample([-0.1, 0.2, -0.3, 0.5, -0.2]), 2).map(({ depth }) => depth);
    expect(near(depths)).toEqual([-0.3, -0.2]);
  });
});

describe('returns of calendar periods', () => {
  // 23 sessions from 2026-05-01, a Friday: 20 of May, then 3 of June.
  const dates = sessionsFrom('2026-05-01', 23).map(({ date }) => date);
  const returns = dates.map((_, index) => (index === 0 ? 0.1 : index === 22 ? -0.5 : index === 10 ? 0.2 : 0));

  test('compound the sessions in them', () => {
    expect(periodReturns({ returns, dates }, 'month').map(({ name }) => name)).toEqual([
      '2026-05',
      '2026-06',
    ]);
    expect(near(periodReturns({ returns, dates }, 'month').map(({ value }) => value))).toEqual([0.32, -0.5]);
    expect(periodReturns({ returns, dates }, 'quarter').map(({ name }) => name)).toEqual(['2026-Q2']);
    expect(periodReturns({ returns, dates }, 'week')[0]).toEqual({ name: '2026-04-27', value: 0.1 + 1 - 1 });
  });

  test('include partial periods', () => {
    const marks = marksOf(equitiesOf(returns), undefined, '2026-05-01');
    const { metrics } = metricsOf(figuresOf([], { marks }));
    const { expectedMonth, expectedYear, worstMonth, positiveMonths, positiveYears } = metrics;
    expect(near([expectedMonth, worstMonth, expectedYear].map((value) => value ?? null))).toEqual(
      near([Math.sqrt(1.32 * 0.5) - 1, -0.5, 1.32 * 0.5 - 1]),
    );
    expect([positiveMonths, positiveYears]).toEqual([0.5, 0]);
  });

  test('form a table of months', () => {
    const [year, ...more] = monthTable({ returns, dates });
    expect(more).toEqual([]);
    const empty = (count: number): null[] => Array.from({ length: count }, () => null);
    expect(near(year?.months ?? [])).toEqual([...empty(4), 0.32, -0.5, ...empty(6)]);
    expect(year?.total).toBeCloseTo(-0.34, 12);
  });
});

describe('a rolling metric', () => {
  const returns = [0.01, -0.02, 0.03, 0.01];

  test('begins with the first full window', () => {
    // Of the last two: deviations |a − b|/√2.
    const volatility = rollingVolatility(sample(returns), 2);
    const year = Math.sqrt(252 / 2);
    expect(near(volatility, 9)).toEqual(near([null, 0.03 * year, 0.05 * year, 0.02 * year], 9));
    expect(near(rollingSharpe(sample(returns), 2), 6)).toEqual(
      near(
        [
          null,
          (-0.005 / 0.03) * Math.sqrt(504),
          (0.005 / 0.05) * Math.sqrt(504),
          (0.02 / 0.02) * Math.sqrt(504),
        ],
        6,
      ),
    );
  });

  test('is right for Sortino: losses, over all returns of the window', () => {
    // Of 0.03 and 0.01 nothing fell.
    expect(near(rollingSortino(sample(returns), 2), 6)).toEqual(
      near(
        [
          null,
          (-0.005 * 252) / Math.sqrt((0.02 ** 2 / 2) * 252),
          (0.005 * 252) / Math.sqrt((0.02 ** 2 / 2) * 252),
          null,
        ],
        6,
      ),
    );
  });

  test('is null for beta if the benchmark is unknown or constant', () => {
    const doubled = returns.map((value) => value / 2);
    expect(near(rollingBeta({ returns }, doubled, 3), 9)).toEqual([null, null, 2, 2]);
    expect(rollingBeta({ returns }, [null, ...doubled.slice(1)], 3)).toEqual([
      null,
      null,
      null,
      expect.closeTo(2, 9),
    ]);
    expect(rollingBeta({ returns }, [0.01, 0.01, 0.01, 0.01], 3)).toEqual([null, null, null, null]);
  });
});

describe('the data of a chart', () => {
  test('as a histogram have every value once', () => {
    const values = Array.from({ length: 500 }, (_, index) => Math.sin(index));
    const bins = histogram(values);
    expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(500);
    expect([bins[0]?.from, bins.at(-1)?.to]).toEqual([expect.closeTo(-1, 3), expect.closeTo(1, 3)]);
    expect(bins.length).toBeGreaterThan(5);
    expect(histogram([])).toEqual([]);
    expect(histogram([2, 2])).toEqual([{ from: 2, to: 2, count: 2 }]);
  });

  test('as a histogram of mostly one value still separate the others', () => {
    const values = Array.from({ length: 100 }, (_, index) => (index % 5 === 0 ? index / 100 : 0));
    const bins = histogram(values);
    expect(bins).toHaveLength(20);
    expect(bins.filter(({ count }) => count > 0).length).toBeGreaterThan(15);
  });

  test('have weights and turnover of a session', () => {
    expect(weightsOf({ equity: 100, positions: { X: 30, Y: 10 } })).toMatchObject({
      bySymbol: { X: 0.3, Y: 0.1 },
      gross: 0.4,
      herfindahl: expect.closeTo(0.625, 12) as number,
    });
    const fill = { symbol: 'X', shares: 2, price: 10, fees: 0 };
    const fills = [
      { ...fill, at: 1, side: 'buy' as const },
      { ...fill, at: 6, side: 'sell' as const },
    ];
    expect(turnoverSeries([{ at: 5 }, { at: 10 }], fills)).toEqual([
      { bought: 20, sold: 0 },
      { bought: 0, sold: 20 },
    ]);
  });

  test('group trades by what they have in common', () => {
    const trades = [tradeOf(5, 0), tradeOf(-2, 1, { exitReason: 'stop' }), tradeOf(4, 2)];
    expect(groupTrades(trades, ({ exitReason }) => exitReason)).toEqual([
      { name: 'out', trades: 2, pnl: 9, wins: 2 },
      { name: 'stop', trades: 1, pnl: -2, wins: 0 },
    ]);
  });

  test('have a fan of simulated years, ordered and repeatable', () => {
    const returns = Array.from({ length: 80 }, (_, index) => 0.01 * Math.sin(index));
    const fan = simulatedFan(sample(returns), 7);
    expect(fan).toEqual(simulatedFan(sample(returns), 7));
    expect(fan?.p50).toHaveLength(252);
    for (const [index, low] of (fan?.p5 ?? []).entries()) {
      expect(low).toBeLessThanOrEqual(fan?.p50[index] ?? NaN);
      expect(fan?.p50[index]).toBeLessThanOrEqual(fan?.p95[index] ?? NaN);
    }
    expect(simulatedFan(sample([0.1]), 7)).toBeNull();
  });

  test('the table of metrics has a label for every metric, and no other', () => {
    expect(Object.keys(METRIC_TABLE).sort()).toEqual(Object.keys(metricsOf(figuresOf([])).metrics).sort());
  });
});
