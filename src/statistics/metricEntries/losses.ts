import { days, money, percent, ratio, type MetricGroup } from './entry.ts';

export const DRAWDOWN_METRICS = {
  maxDrawdown: percent(
    'Maximum drawdown',
    'Deepest fall below the highest value so far, on session closes.',
    'no mark',
    'min D',
  ),
  maxDrawdownCash: money(
    'Maximum drawdown',
    'Deepest fall below the highest equity so far, in mUSD, without deposits and withdrawals.',
    'no mark',
    'min(E − max E), without F',
  ),
  averageDrawdown: percent(
    'Average drawdown',
    'Mean depth of all drawdowns.',
    'no drawdown',
    'mean of the troughs of D',
  ),
  averageDrawdownDays: days.less(
    'Average drawdown lasts',
    'Mean number of calendar days from a peak to its recovery, or to the last mark.',
    'no drawdown',
  ),
  longestDrawdownDays: days.less(
    'Longest drawdown',
    'Largest number of calendar days from a peak to its recovery, or to the last mark.',
    'no drawdown',
  ),
  maxDrawdownDays: days.less(
    'Deepest drawdown lasts',
    'Calendar days of the deepest drawdown, from its peak to its recovery or to the last mark.',
    'no drawdown',
  ),
  maxDrawdownToTroughDays: days.less(
    'Deepest drawdown, to its trough',
    'Calendar days of the deepest drawdown from its peak to its trough.',
    'no drawdown',
  ),
  maxDrawdownRecoveryDays: days.less(
    'Deepest drawdown, from its trough',
    'Calendar days of the deepest drawdown from its trough to its recovery.',
    'no drawdown, not recovered',
  ),
  underwaterShare: percent.less(
    'Time under water',
    'Share of sessions that close below an earlier peak.',
    'n < 20',
    'share of marks with D < 0',
  ),
  ulcerIndex: percent.less(
    'Ulcer index',
    'Root mean square of the drawdown, over all sessions.',
    'n < 20',
    '√mean(D²)',
  ),
  ulcerPerformance: ratio(
    'Ulcer performance (Martin)',
    'CAGR above the risk-free return, over the ulcer index (Martin ratio).',
    'as cagr, ulcer index 0',
    '(cagr − risk-free)/ulcerIndex',
  ),
  painIndex: percent.less(
    'Pain index',
    'Mean size of the drawdown over all sessions.',
    'n < 20',
    'mean of the size of D',
  ),
  recoveryFactor: ratio(
    'Recovery factor',
    'Net profit over the maximum drawdown, both in mUSD, with the sign of the profit.',
    'no drawdown',
    'profit in mUSD/−maxDrawdownCash, with its sign',
  ),
  serenity: ratio(
    'Serenity',
    'Sum of returns above the risk-free one, over ulcer index times pitfall (the drawdown beyond its 5 % quantile over the volatility).',
    'n < 20, a divisor 0',
    '(Σr − risk-free)/(ulcerIndex·pitfall), pitfall = −mean(D up to its 5th percentile)/sd(r)',
  ),
} as const satisfies MetricGroup;

export const TAIL_METRICS = {
  valueAtRisk5: percent.less(
    'Value at risk, 5 %',
    'Loss that one session in twenty reaches.',
    'n < 20',
    '−quantile of r at 5 %',
  ),
  valueAtRisk1: percent.less(
    'Value at risk, 1 %',
    'Loss that one session in a hundred reaches.',
    'n < 20',
    '−quantile of r at 1 %',
  ),
  parametricValueAtRisk5: percent.less(
    'Value at risk of a normal curve, 5 %',
    'Loss that one session in twenty reaches if returns are normally distributed.',
    'n < 20',
    '−(mean(r) + Φ⁻¹(0.05)·sd(r))',
  ),
  parametricValueAtRisk1: percent.less(
    'Value at risk of a normal curve, 1 %',
    'Loss that one session in a hundred reaches if returns are normally distributed.',
    'n < 20',
    '−(mean(r) + Φ⁻¹(0.01)·sd(r))',
  ),
  conditionalValueAtRisk5: percent.less(
    'Expected shortfall, 5 %',
    'Mean loss of the sessions at or beyond VaR 5 %.',
    'n < 20',
    '−mean(r up to the 5 % quantile)',
  ),
  conditionalValueAtRisk1: percent.less(
    'Expected shortfall, 1 %',
    'Mean loss of the sessions at or beyond VaR 1 %.',
    'n < 20',
    '−mean(r up to the 1 % quantile)',
  ),
  tailRatio: ratio(
    'Tail ratio',
    'Size of the 95th percentile of returns over that of the 5th.',
    'n < 20, 5th percentile 0',
  ),
  skew: ratio(
    'Skew',
    'Third standardised moment of returns: below 0 the losses have the longer tail.',
    'n < 20, all equal',
    'moments over n',
  ),
  excessKurtosis: ratio(
    'Excess kurtosis',
    'Fourth standardised moment of returns less 3: 0 for a normal distribution.',
    'n < 20, all equal',
    'moments over n; plain kurtosis − 3',
  ),
  outlierWinRatio: ratio(
    'Outlier win ratio',
    '99th percentile of returns over the mean gain.',
    'n < 20, no gain',
  ),
  outlierLossRatio: ratio.less(
    'Outlier loss ratio',
    '1st percentile of returns over the mean loss.',
    'n < 20, no loss',
  ),
  riskOfRuin: percent.less(
    'Risk of losing half in a year',
    'Share of 1,000 simulated years in which half of the account is gone at some close.',
    'n < 20',
    'years of blocks of 20 returns, drawn with repetition by `--seed`',
  ),
} as const satisfies MetricGroup;

export const BENCHMARK_METRICS = {
  benchmarkReturn: percent(
    'Return of the benchmark',
    'Return of buying at the start and holding to the end, without costs.',
    'no price at the first or last mark',
    'last close/first open − 1',
  ),
  excessReturn: percent(
    'Return beyond the benchmark',
    'Total return less that of the benchmark.',
    'no price at the first or last mark',
    'totalReturn − benchmarkReturn',
  ),
  beta: ratio.less(
    'Beta',
    'Covariance of the returns with those of the benchmark, over the variance of the latter.',
    'n < 20, b never moves',
    'cov(r, b)/var(b)',
  ),
  alpha: percent(
    'Alpha a year (Jensen)',
    'Yearly mean return above the risk-free one that beta does not explain.',
    'as beta',
    'A(mean(r) − f − beta(mean(b) − f))',
  ),
  correlation: ratio(
    'Correlation',
    'Correlation of session returns with those of the benchmark.',
    'n < 20, one never moves',
  ),
  rSquared: ratio('R²', 'Square of the correlation.', 'n < 20, one never moves'),
  trackingError: percent.less(
    'Tracking error a year',
    'Yearly standard deviation of the difference of the returns.',
    'n < 20',
    'sd(r − b)·√A',
  ),
  informationRatio: ratio(
    'Information ratio',
    'Yearly mean difference of the returns over the tracking error.',
    'n < 20, tracking error 0',
    'A·mean(r − b)/trackingError',
  ),
  treynor: ratio(
    'Treynor',
    'CAGR above the risk-free return, over beta.',
    'as cagr and beta, beta 0',
    '(cagr − risk-free)/beta',
  ),
  upCapture: ratio(
    'Up capture',
    'Geometric mean return where the benchmark rose, over that of the benchmark.',
    'n < 20, b never rose',
    'geometric means of r over b where b > 0',
  ),
  downCapture: ratio.less(
    'Down capture',
    'Geometric mean return where the benchmark fell, over that of the benchmark.',
    'n < 20, b never fell',
    'geometric means of r over b where b < 0',
  ),
  captureRatio: ratio('Capture ratio', 'Up capture over down capture.', 'n < 20, b never rose or fell'),
} as const satisfies MetricGroup;
