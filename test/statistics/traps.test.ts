import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FillFigures, RunFigures } from '../../src/statistics/figures.ts';
import { headlineOf } from '../../src/lab/trials/headline.ts';
import { metricsOf, type MetricName } from '../../src/statistics/metrics.ts';
import { equitiesOf, figuresOf, marksOf, sessionsFrom, START, tradeOf } from './figures.ts';
import { runs } from '../runs.ts';

const of = (returns: readonly number[], more: Partial<RunFigures> = {}) =>
  metricsOf(figuresOf(equitiesOf(returns), more));

const WAVE = Array.from({ length: 60 }, (_, index) => 0.004 * Math.sin(index * 1.7) + 0.0004);
const FALLING = WAVE.map((value) => -value);

describe('an undefined metric', () => {
  test('is null with its reason, and never 0 or infinite', () => {
    const { metrics, notes } = of([0.01, 0.02]);
    expect(metrics).toMatchObject({
      sharpe: null,
      sortino: null,
      cagr: null,
      winRate: null,
      beta: null,
      skew: null,
    });
    expect(notes).toMatchObject({
      sharpe: '2 returns, but it needs 20',
      cagr: 'less than a quarter of a year',
      winRate: '0 trades, but it needs 10',
      beta: 'the run has no benchmark',
      bestTrade: 'no trade has closed',
      deflatedSharpe: 'the number of runs it was chosen from was not given',
    });
  });

  test('has a divisor of 0, also by rounding', () => {
    const { metrics, notes } = of(Array.from({ length: 40 }, () => 0.001));
    expect(metrics).toMatchObject({
      sharpe: null,
      riskReturn: null,
      sortino: null,
      omega: null,
      calmar: null,
      skew: null,
    });
    expect(notes.sharpe).toBe('the volatility is 0');
    expect(notes.omega).toBe('the sum of losses is 0');
    expect(metrics.maxDrawdown).toBe(0);
  });

  test('does not keep a run going after the account is ruined', () => {
    const { metrics } = metricsOf(figuresOf([10_500, 0, 0, 0]));
    expect(metrics).toMatchObject({ totalReturn: -1, maxDrawdown: -1, recoveryFactor: -10_000 / 10_500 });
  });

  test('has its reason, and every defined one is finite, for any returns and trades', () => {
    const returns = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { maxLength: 60 });
    fc.assert(
      fc.property(returns, fc.array(fc.integer({ min: -50, max: 50 }), { maxLength: 14 }), (values, pnls) => {
        const trades = pnls.map((pnl, place) => tradeOf(pnl, place));
        const { metrics, notes } = of(values, { trades });
        for (const [name, value] of Object.entries(metrics)) {
          if (value === null) expect(notes[name as MetricName], name).toMatch(/\w/);
          else expect(Number.isFinite(value) && notes[name as MetricName] === undefined, name).toBe(true);
        }
      }),
      { numRuns: runs(60) },
    );
  });
});

describe('an equity of NaN', () => {
  test('leaves the drawdown undefined, instead of 0', () => {
    const equities = [...equitiesOf(Array.from({ length: 30 }, (_, index) => (index % 2 ? 0.01 : -0.01)))];
    equities[12] = NaN;
    const { metrics, notes } = metricsOf(figuresOf(equities));
    for (const name of ['maxDrawdown', 'maxDrawdownCash', 'underwaterShare', 'ulcerIndex', 'calmar'] as const)
      expect([name, metrics[name]]).toEqual([name, null]);
    expect(notes.maxDrawdown).toBe('the equity of a mark is not a number');
    const years = 30 / 252;
    const returns = Float64Array.from([0.01, NaN, 0.01]);
    expect(headlineOf(returns, { years, marksPerYear: 252, riskFree: 0 }).maxDrawdown).toBeNull();
  });
});

describe('the conventions of metrics', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, place) => tradeOf(place % 3 === 0 ? -10 : 8, place));

  test('take ratios from returns of sessions, whatever the number of trades', () => {
    const [few, lots] = [of(WAVE, { trades: many(12) }).metrics, of(WAVE, { trades: many(40) }).metrics];
    for (const name of ['sharpe', 'sortino', 'calmar', 'ulcerPerformance'] as const)
      expect(few[name], name).toBe(lots[name]);
  });

  test('see a drawdown between two winning trades, because equity is marked at every session', () => {
    const { metrics } = metricsOf(
      figuresOf([10_100, 8_000, 10_200], { trades: [tradeOf(100, 0), tradeOf(100, 30)] }),
    );
    expect(metrics.maxDrawdown).toBeCloseTo(8_000 / 10_100 - 1, 12);
  });

  test('measure the profit factor in money, not in percent of the stake', () => {
    const trades = many(9).map((trade) => ({ ...trade, pnl: 0 }));
    const [small, large] = [tradeOf(10, 10, { entryPrice: 10 }), tradeOf(-100, 11, { entryPrice: 1_000 })];
    expect(of(WAVE, { trades: [...trades, small, large] }).metrics.profitFactor).toBeCloseTo(0.1, 12);
  });

  test('count trades without profit or loss, as neither won nor lost', () => {
    const trades = [...many(9), tradeOf(0, 20)];
    expect(of(WAVE, { trades }).metrics).toMatchObject({ winRate: 0.6, wins: 6, losses: 3, breakEvens: 1 });
  });

  test('give alpha, tracking error and information ratio for a year', () => {
    const closes = equitiesOf(
      WAVE.map((value) => value / 2),
      50,
    );
    const { metrics } = of(
      WAVE.map((value) => value / 2 + 0.0002 * (value > 0 ? 1 : -1) + 0.0001),
      {
        benchmark: { symbol: 'X', start: 50, closes },
      },
    );
    const active = WAVE.map((value) => 0.0002 * (value > 0 ? 1 : -1) + 0.0001);
    const mean = active.reduce((sum, value) => sum + value, 0) / 60;
    const deviation = Math.sqrt(active.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 59);
    expect(metrics.trackingError).toBeCloseTo(deviation * Math.sqrt(252), 9);
    expect(metrics.informationRatio).toBeCloseTo((mean * 252) / (deviation * Math.sqrt(252)), 7);
  });

  test('give beta 1, alpha 0 and full captures if the benchmark is the run itself', () => {
    const closes = equitiesOf(WAVE, 50);
    const { metrics, notes } = of(WAVE, { benchmark: { symbol: 'X', start: 50, closes } });
    expect(metrics.beta).toBeCloseTo(1, 9);
    expect(metrics.alpha).toBeCloseTo(0, 9);
    expect(metrics.upCapture).toBeCloseTo(1, 9);
    expect(metrics.downCapture).toBeCloseTo(1, 9);
    expect(notes.informationRatio).toBe('the tracking error is 0');
  });

  test('give a losing run a recovery factor below 0', () => {
    expect(of(FALLING).metrics.recoveryFactor).toBeLessThan(0);
  });

  test('use years of 365.25 days and 252 sessions: Treynor uses annual growth', () => {
    const returns = Array.from({ length: 504 }, (_, index) => 0.004 * Math.sin(index * 1.7) + 0.0004);
    const closes = equitiesOf(
      returns.map((value) => value * 2),
      50,
    );
    const { metrics } = of(returns, { benchmark: { symbol: 'X', start: 50, closes } });
    expect(metrics.treynor).toBeCloseTo((metrics.cagr ?? NaN) / 0.5, 6);
    expect(metrics.totalReturn).toBeGreaterThan((metrics.cagr ?? NaN) * 1.5);
  });

  test('average the ulcer index over all sessions', () => {
    // 30 sessions: flat, but 2 of them 10 % down.
    const equities = Array.from({ length: 30 }, (_, index) => (index === 4 || index === 5 ? 9_000 : START));
    expect(metricsOf(figuresOf(equities)).metrics.ulcerIndex).toBeCloseTo(Math.sqrt((2 * 0.01) / 30), 12);
  });

  test('use plain kurtosis for the probabilistic Sharpe ratio', () => {
    // ±1 % in turn and once ±8 %: mean 0.1 %, kurtosis by hand from moments over n.
    const returns = Array.from(
      { length: 40 },
      (_, index) => 0.001 + (index % 2 === 0 ? 1 : -1) * (index < 2 ? 0.08 : 0.01),
    );
    const [second, fourth] = [(2 * 0.08 ** 2 + 38 * 0.01 ** 2) / 40, (2 * 0.08 ** 4 + 38 * 0.01 ** 4) / 40];
    const ratio = 0.001 / Math.sqrt((second * 40) / 39);
    const z = (ratio * Math.sqrt(39)) / Math.sqrt(1 + ((fourth / second ** 2 - 1) / 4) * ratio ** 2);
    const { metrics } = of(returns);
    expect(metrics.excessKurtosis).toBeCloseTo(fourth / second ** 2 - 3, 9);
    // scipy.stats.norm.cdf(0.30173027656)
    expect(z).toBeCloseTo(0.30173027656, 9);
    expect(metrics.probabilisticSharpe).toBeCloseTo(0.6185711570153825, 9);
  });

  test('include returns that are equal but for rounding in an expected shortfall', () => {
    // The 5th percentile of 90 lies among the seven of -10 %, which the equity gives back with different last digits.
    const returns = Array.from({ length: 90 }, (_, index) => (index % 13 === 5 ? -0.1 : 0.01));
    expect(of(returns).metrics.conditionalValueAtRisk5).toBeCloseTo(0.1, 12);
  });

  test('simulate the risk of ruin from the returns, repeatable by seed', () => {
    const wild = Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? 0.12 : -0.13));
    const ruin = (seed: number) => metricsOf(figuresOf(equitiesOf(wild)), { seed }).metrics.riskOfRuin;
    expect(ruin(1)).toBe(ruin(1));
    expect(ruin(1)).toBeGreaterThan(0.99);
    expect(of(WAVE).metrics.riskOfRuin).toBe(0);
  });
});

describe('exposure and costs', () => {
  const marks = marksOf([START, START, START, START], (index) => ({
    positions: index === 1 ? { X: 4_000, Y: 1_000 } : {},
  }));
  const sessions = sessionsFrom('2026-01-02', 4);
  type Traded = readonly [session: number, side: 'buy' | 'sell', worth: number];
  const fill = ([session, side, worth]: Traded, more: Partial<FillFigures> = {}): FillFigures => ({
    at: (sessions[session]?.close ?? NaN) - 60_000,
    symbol: 'X',
    side,
    shares: worth / 10,
    price: 10,
    fees: worth / 1_000,
    ...more,
  });

  test('count a session with a position at its close, and with a fill in it', () => {
    const fills = [
      fill([1, 'buy', 5_000]),
      fill([2, 'sell', 5_000]),
      fill([2, 'buy', 1_000]),
      fill([2, 'sell', 1_000]),
    ];
    const { metrics } = metricsOf({ ...figuresOf([]), marks, fills });
    expect(metrics).toMatchObject({
      exposureTime: 0.5,
      averageGross: 0.125,
      averageNet: 0.125,
      maxWeight: 0.4,
    });
    expect(metrics.herfindahl).toBeCloseTo(0.8 ** 2 + 0.2 ** 2, 12);
    // Bought 6000 and sold 6000 over a mean equity of 10000, in 4 of 252 sessions of a year.
    expect(metrics.turnoverFund).toBeCloseTo((252 / 4) * 0.6, 12);
    expect(metrics.turnoverOneWay).toBeCloseTo((252 * (0.5 + 0.7)) / 2 / 4, 12);
    expect(metrics.fees).toBeCloseTo(12, 12);
    expect(metrics.feesBps).toBeCloseTo(10, 12);
  });

  test("have a fund turnover of the lesser of a year's purchases and sales", () => {
    const year = marksOf(Array.from({ length: 251 }, (_, index) => (index < 100 ? 10_000 : 20_000)));
    const opens = year.map(({ at }) => at);
    const at = (session: number) => ({ at: opens[session] ?? NaN });
    // Each purchase and each sale in a session of its own: 30000 bought, 24000 sold.
    const fills = [
      fill([0, 'buy', 10_000], at(0)),
      fill([0, 'sell', 9_000], at(50)),
      fill([0, 'buy', 20_000], at(120)),
      fill([0, 'sell', 15_000], at(200)),
    ];
    const { metrics } = metricsOf({ ...figuresOf([]), marks: year, fills });
    // A whole year: mean equity (100 · 10000 + 151 · 20000) / 251 = 16015.94.
    expect(metrics.turnoverFund).toBeCloseTo(24_000 / 16_015.936_254_980_08, 9);
    expect(metrics.turnoverFund).toBeCloseTo(1.498_507, 6);
  });

  test('have a fund turnover that is the mean of years, with parts of a year scaled', () => {
    const both = marksOf(Array.from({ length: 251 + 63 }, () => 10_000));
    const [first, second] = [both[100]?.at ?? NaN, both[300]?.at ?? NaN];
    const fills = [
      fill([0, 'buy', 9_000], { at: first }),
      fill([0, 'sell', 8_000], { at: first }),
      fill([0, 'buy', 1_000], { at: second }),
      fill([0, 'sell', 2_000], { at: second }),
    ];
    const { metrics } = metricsOf({ ...figuresOf([]), marks: both, fills });
    // 2026: 8000/10000. 2027: 1000/10000 in 63 of 252 sessions, which is 0.4 a year.
    expect(metrics.turnoverFund).toBeCloseTo((0.8 + 0.4) / 2, 12);
  });

  test('have the shortfall of an order against the price at its decision, on either side', () => {
    const fills = [
      fill([1, 'buy', 1_000], { decisionPrice: 9.9 }),
      fill([2, 'sell', 1_000], { decisionPrice: 10.1 }),
    ];
    const { metrics } = metricsOf({ ...figuresOf([]), marks, fills });
    expect(metrics.shortfall).toBeCloseTo(20, 9);
    expect(metrics.shortfallBps).toBeCloseTo((20 / 2_000) * 10_000, 9);
  });

  test('have slippage if every fill states it', () => {
    const told = [fill([1, 'buy', 1_000], { slippage: 0.5 }), fill([2, 'sell', 1_000], { slippage: 1.5 })];
    const { metrics } = metricsOf({ ...figuresOf([]), marks, fills: told });
    expect(metrics).toMatchObject({ slippage: 2, slippageBps: 10 });
    const { metrics: none, notes } = metricsOf({
      ...figuresOf([]),
      marks,
      fills: [...told, fill([3, 'sell', 1])],
    });
    expect(none).toMatchObject({ slippage: null, slippageBps: null });
    expect(notes.slippageBps).toMatch(/within the prices/);
  });

  test('have a cost drag of the growth lost to fees', () => {
    const flat = Array.from({ length: 253 }, () => START - 100);
    const { metrics } = metricsOf(figuresOf(flat, { fills: [fill([0, 'buy', 100_000])] }));
    expect(metrics.costDrag).toBeCloseTo(0 - (metrics.cagr ?? NaN), 12);
    expect(metrics.costDrag).toBeGreaterThan(0.009);
  });
});

test('the same run with ten times the money has the same ratios', () => {
  const bps = fc.array(fc.integer({ min: -1_000, max: 1_000 }), { minLength: 80, maxLength: 120 });
  fc.assert(
    fc.property(bps, (inBps) => {
      const values = inBps.map((value) => value / 10_000);
      const small = metricsOf(figuresOf(equitiesOf(values))).metrics;
      const large = metricsOf({
        ...figuresOf([]),
        startEquity: START * 10,
        marks: marksOf(equitiesOf(values, START * 10)),
      }).metrics;
      for (const [name, value] of Object.entries(small)) {
        const other = large[name as MetricName];
        const scale = name === 'maxDrawdownCash' ? 10 : 1;
        if (value === null || other === null) expect(other, name).toBe(value);
        else expect(Math.abs(other - value * scale), name).toBeLessThan(1e-7 * Math.max(1, Math.abs(other)));
      }
    }),
    { numRuns: 20 },
  );
});
