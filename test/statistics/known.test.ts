import { describe, expect, test } from 'vitest';
import { metricsOf, type MetricName } from '../../src/statistics/metrics.ts';
import { normalBelow, normalQuantile } from '../../src/statistics/normal.ts';
import { equitiesOf, figuresOf, marksOf, START, tradeOf } from './figures.ts';

/** Returns of thirty sessions in percent, of a run and of what it is measured by. */
const OWN = [
  0.8, -0.5, 1.2, -1.7, 0.3, 0, 2.1, -0.9, -1.1, 0.6, 0.4, -0.2, 1.5, -2.4, 0.7, 0.9, -0.3, 0.1, -0.6, 1.8,
  -1.3, 0.5, 0.2, -0.4, 1.1, 0.3, -0.8, 0.6, -0.1, 1,
];
const OTHER = [
  0.5, -0.4, 0.9, -1.2, 0.1, 0.2, 1.4, -0.3, -0.8, 0.2, 0.5, 0.1, 0.8, -1.9, 0.9, 0.4, -0.1, -0.2, -0.7, 1.1,
  -0.6, 0.1, 0.3, -0.5, 0.7, 0, -0.4, 0.3, 0.2, 0.6,
];
const parts = (percents: readonly number[]) => percents.map((percent) => percent / 100);

/** numpy 2.4 and scipy 1.17 gave these: r the returns, b the benchmark, f = 1.03^(1/252) − 1, sd over n − 1. */
const KNOWN: Readonly<Partial<Record<MetricName, number>>> = {
  totalReturn: 0.0371349555915963, // prod(1 + r) − 1
  expectedDay: 0.0012161409396076461, // prod(1 + r)^(1/30) − 1
  volatility: 0.16220701970438675, // sd(r)·√252
  downsideDeviation: 0.10903616352399254, // √(mean(min(r − f, 0)²)·252), over all 30
  sharpe: 1.785616088881792, // mean(r − f)/sd(r)·√252
  smartSharpe: 1.0358250155588682, // sharpe/√(1 + 2Σ(n − k)/n·ρ^k)
  sortino: 2.6563614745119493, // 252·mean(r − f)/downsideDeviation
  omega: 1.3689320388349515, // Σmax(r, 0)/Σmax(−r, 0)
  gainToPainDaily: 0.3689320388349514, // Σr/Σmax(−r, 0)
  riskReturn: 0.12396325387604105, // mean(r)/sd(r)
  stability: 0.5493042125045479, // corrcoef(0…29, cumsum(log1p(r)))²
  probabilisticSharpe: 0.7231771866356468, // Φ(s√29/√(1 − g3·s + (g4 − 1)/4·s²)), scipy kurtosis(fisher=False)
  deflatedSharpe: 0.5270719828721256, // the same over 10 trials of variance 0.004
  minimumTrackRecord: 224.64546159926272,
  maxDrawdown: -0.02400000000000002,
  ulcerIndex: 0.010827257641621402, // √mean(D²)
  painIndex: 0.008426566772721062, // mean|D|
  underwaterShare: 0.7333333333333333,
  serenity: 0.3439509180698707, // (Σr − 0.03)/(ulcer·(−mean(D | D ≤ 5 %)/sd(r)))
  valueAtRisk5: 0.0152, // −quantile(r, 0.05)
  valueAtRisk1: 0.02197,
  parametricValueAtRisk5: 0.015540582220883573, // −(mean + Φ⁻¹(0.05)·sd)
  parametricValueAtRisk1: 0.02250414617489526,
  conditionalValueAtRisk5: 0.0205, // −mean(r | r ≤ quantile)
  conditionalValueAtRisk1: 0.024,
  tailRatio: 1.0953947368421046,
  skew: -0.3523742752360458, // scipy.stats.skew
  excessKurtosis: -0.026551912006926415, // scipy.stats.kurtosis
  outlierWinRatio: 2.427021276595745,
  outlierLossRatio: 2.559611650485437,
  benchmarkReturn: 0.021500840411224464,
  excessReturn: 0.0371349555915963 - 0.021500840411224464,
  beta: 1.3901940755873337, // cov(r, b)/var(b)
  alpha: 0.0738264808054744, // 252·(mean(r) − f − beta·(mean(b) − f))
  correlation: 0.957335396326848,
  rSquared: 0.9164910610602832,
  trackingError: 0.06400689618018274, // sd(r − b)·√252
  informationRatio: 2.0997737434675328, // 252·mean(r − b)/trackingError
  upCapture: 1.4391194035640016, // geometric means of r and b where b > 0
  downCapture: 1.3952531153989303,
  captureRatio: 1.0314396632990346,
};

test('a known series of returns has the known metrics', () => {
  const closes = equitiesOf(parts(OTHER), 50);
  const figures = figuresOf(equitiesOf(parts(OWN)), { benchmark: { symbol: 'X', start: 50, closes } });
  const { metrics, notes } = metricsOf(figures, { riskFree: 0.03, trials: { count: 10, variance: 0.004 } });
  for (const [name, known] of Object.entries(KNOWN))
    expect(metrics[name as MetricName], name).toBeCloseTo(known, 9);
  // 2026-01-02 to 2026-02-17.
  expect({ cagr: metrics.cagr, why: notes.cagr }).toEqual({
    cagr: null,
    why: 'less than a quarter of a year',
  });
});

test('the deflated Sharpe ratio without a trial variance assumes that trials differ by chance only', () => {
  const { metrics } = metricsOf(figuresOf(equitiesOf(parts(OWN))), { riskFree: 0.03, trials: { count: 10 } });
  // Φ(Φ⁻¹(probabilisticSharpe) − (1 − γ)Φ⁻¹(1 − 1/10) − γΦ⁻¹(1 − 1/(10e))), by Python's statistics.NormalDist.
  expect(metrics.deflatedSharpe).toBeCloseTo(0.16297795961557854, 8);
});

/** Money of 12 closed trades. */
const PROFITS = [120, -80, 45, -60, 200, 0, -35, 90, -150, 75, -20, 310];

test('known trades have the known metrics', () => {
  const trades = PROFITS.map((pnl, place) => tradeOf(pnl, place));
  const { metrics } = metricsOf(figuresOf([START + 495], { trades }));
  expect(metrics).toMatchObject({
    trades: 12,
    wins: 6,
    losses: 5,
    breakEvens: 1,
    winRate: 0.5,
    averageWin: 140,
    averageLoss: -69,
    consecutiveWins: 1,
    consecutiveLosses: 1,
    bestTrade: 310,
    worstTrade: -150,
    expectancy: 41.25,
    tradesPerDay: 12,
    tradeDaysMean: 0.25,
    tradeDaysMedian: 0.25,
    tradeDaysMax: 0.25,
    expectancyR: null,
  });
  expect(metrics.payoff).toBeCloseTo(140 / 69, 12);
  expect(metrics.profitFactor).toBeCloseTo(840 / 345, 12); // in money, not in percent
  expect(metrics.expectancyRatio).toBeCloseTo(0.5144927536231885, 12); // p(1 + payoff) − 1
  expect(metrics.sqn).toBeCloseTo(1.1171910586350542, 12); // √12·mean/sd
  expect(metrics.kelly).toBeCloseTo(0.25357142857142856, 12); // p − (1 − p)/payoff
  expect(metrics.cpc).toBeCloseTo(2.4700693131695024, 12); // profitFactor·p·payoff
  // Eleven signs in eleven runs: expected 2·6·5/11 + 1, variance (μ − 1)(μ − 2)/10.
  expect(metrics.runsZScore).toBeCloseTo(2.916059217599022, 12);
});

describe('a metric worked out on paper is right:', () => {
  test('a drawdown and its recovery, in calendar days', () => {
    // 2026-01-02 is a Friday. 10000 → 11000 → 9900 → 10450 → 11000 → 10780.
    const { metrics } = metricsOf(figuresOf([11_000, 9_900, 10_450, 11_000, 10_780]));
    expect(metrics.maxDrawdown).toBeCloseTo(-0.1, 12);
    expect(metrics.averageDrawdown).toBeCloseTo(-(0.1 + 0.02) / 2, 12);
    expect(metrics).toMatchObject({
      maxDrawdownCash: -1_100,
      maxDrawdownDays: 5,
      maxDrawdownToTroughDays: 3,
      maxDrawdownRecoveryDays: 2,
      longestDrawdownDays: 5,
      averageDrawdownDays: 3,
    });
    expect(metrics.recoveryFactor).toBeCloseTo(780 / 1_100, 12);
  });

  test('growth per year of 365.25 days, between the first and the last date', () => {
    // 2026-01-02 and the session 252 later, 2027-01-05: 368 days.
    const equities = Array.from({ length: 253 }, (_, index) => 10_000 + 10 * index);
    const { metrics } = metricsOf(figuresOf(equities));
    expect(metrics.totalReturn).toBeCloseTo(0.252, 12);
    expect(metrics.cagr).toBeCloseTo(1.252 ** (365.25 / 368) - 1, 12);
    expect(metrics.moneyWeightedReturn).toBeCloseTo(metrics.cagr ?? NaN, 9);
  });

  test('returns without deposits, and the money-weighted return by their dates', () => {
    const days = 253;
    // 10,000 more come on 2026-07-07, 186 days in.
    const half = 126;
    const marks = marksOf(
      Array.from({ length: days }, (_, index) => (index < half ? 10_000 : 20_000)),
      (index) => (index === half ? { flow: 10_000 } : {}),
    );
    const { metrics } = metricsOf({ ...figuresOf([]), marks });
    expect(metrics.totalReturn).toBeCloseTo(0, 12);
    expect(metrics.moneyWeightedReturn).toBeCloseTo(0, 9);
    const late = marks.map((mark, index) => (index === days - 1 ? { ...mark, equity: 22_000 } : mark));
    const grown = metricsOf({ ...figuresOf([]), marks: late }).metrics;
    // The rate i with 10000(1 + i)^(368/365.25) + 10000(1 + i)^(182/365.25) = 22000, by scipy.optimize.brentq.
    expect(grown.moneyWeightedReturn).toBeCloseTo(0.13417651545487255, 9);
    expect(grown.totalReturn).toBeCloseTo(0.1, 12);
    expect(grown.maxDrawdownCash).toBeCloseTo(0, 12);
  });
});

describe('the normal distribution', () => {
  // scipy.stats.norm.cdf and ppf
  test.each([
    [-8, 6.22096057427174e-16],
    [-3, 0.0013498980316300933],
    [-1.96, 0.024997895148220435],
    [0, 0.5],
    [0.3, 0.6179114221889526],
    [1.645, 0.9500150944608786],
    [5, 0.9999997133484281],
  ])('below %d is as published', (x, known) => expect(normalBelow(x)).toBeCloseTo(known, 14));

  test.each([
    [1e-10, -6.361340902404056],
    [0.001, -3.090232306167813],
    [0.05, -1.6448536269514729],
    [0.3, -0.5244005127080409],
    [0.5, 0],
    [0.9, 1.2815515655446004],
    [0.999999, 4.753424308817087],
  ])('has the published quantile of %d', (part, known) => expect(normalQuantile(part)).toBeCloseTo(known, 9));
});
