import { marks, percent, ratio, type MetricGroup } from './entry.ts';

export const RETURN_METRICS = {
  totalReturn: percent(
    'Total return',
    'Growth of 1 over the run, less 1, without deposits and withdrawals.',
    'no mark',
    'Π(1 + r) − 1',
  ),
  moneyWeightedReturn: percent(
    'Money-weighted return a year',
    'Yearly rate at which the money paid in becomes the money at the end (internal rate of return).',
    'Y < 0.25, or no such rate',
    'the yearly rate that turns E₀ and each F into the last E',
  ),
  cagr: percent(
    'Growth a year (CAGR)',
    'Compound growth a year. Needs a quarter of a year.',
    'Y < 0.25',
    'Π(1 + r)^(1/Y) − 1',
  ),
  expectedDay: percent('Expected day', 'Geometric mean return of a session.', 'n < 20'),
  expectedMonth: percent('Expected month', 'Geometric mean return of a calendar month.', 'n < 20'),
  expectedYear: percent('Expected year', 'Geometric mean return of a calendar year.', 'n < 20'),
  bestDay: percent('Best day', 'Highest return of a session.', 'no mark'),
  worstDay: percent('Worst day', 'Lowest return of a session.', 'no mark'),
  bestMonth: percent('Best month', 'Highest return of a calendar month.', 'no mark'),
  worstMonth: percent('Worst month', 'Lowest return of a calendar month.', 'no mark'),
  bestYear: percent('Best year', 'Highest return of a calendar year.', 'no mark'),
  worstYear: percent('Worst year', 'Lowest return of a calendar year.', 'no mark'),
  positiveDays: percent('Positive days', 'Share of sessions with a return above 0.', 'n < 20'),
  positiveWeeks: percent('Positive weeks', 'Share of calendar weeks with a return above 0.', 'n < 20'),
  positiveMonths: percent('Positive months', 'Share of calendar months with a return above 0.', 'n < 20'),
  positiveQuarters: percent(
    'Positive quarters',
    'Share of calendar quarters with a return above 0.',
    'n < 20',
  ),
  positiveYears: percent('Positive years', 'Share of calendar years with a return above 0.', 'n < 20'),
} as const satisfies MetricGroup;

export const RISK_METRICS = {
  volatility: percent.less(
    'Volatility a year',
    'Standard deviation of session returns (n − 1), times the root of the sessions a year.',
    'n < 20',
    'sd(r)·√A',
  ),
  downsideDeviation: percent.less(
    'Downside deviation a year',
    'Yearly root mean square of the shortfalls below the risk-free return, over all sessions.',
    'n < 20',
    '√(mean(min(r − f, 0)²)·A), over all n',
  ),
  sharpe: ratio(
    'Sharpe',
    'Mean return above the risk-free one over its standard deviation, times the root of the sessions a year.',
    'n < 20, volatility 0',
    'mean(r − f)/sd(r)·√A',
  ),
  smartSharpe: ratio(
    'Smart Sharpe',
    'Sharpe ratio divided by a penalty for returns that follow each other (autocorrelation).',
    'as sharpe',
    'sharpe/√(1 + 2Σₖ((n − k)/n)ρᵏ), ρ the size of the lag-1 autocorrelation',
  ),
  sortino: ratio(
    'Sortino',
    'Yearly mean return above the risk-free one, over the downside deviation.',
    'n < 20, no downside',
    'A·mean(r − f)/downsideDeviation',
  ),
  calmar: ratio(
    'Calmar',
    'CAGR over the maximum drawdown of the whole run.',
    'as cagr, no drawdown',
    'cagr/−maxDrawdown',
  ),
  calmar36Months: ratio(
    'Calmar, 36 months',
    'CAGR over the maximum drawdown, both of the last 36 months.',
    'as cagr, no drawdown, less than 36 months',
    'cagr/−maxDrawdown of the last 36 months',
  ),
  omega: ratio(
    'Omega',
    'Sum of the gains over the sum of the losses of sessions.',
    'n < 20, no loss',
    'Σmax(r, 0)/Σmax(−r, 0)',
  ),
  gainToPainDaily: ratio(
    'Gain to pain, days',
    'Sum of returns over the sum of losses, by session.',
    'n < 20, no loss',
    'Σr/Σmax(−r, 0), of marks',
  ),
  gainToPainMonthly: ratio(
    'Gain to pain, months',
    'Sum of returns over the sum of losses, by calendar month.',
    'n < 20, no loss',
    'Σr/Σmax(−r, 0), of months',
  ),
  riskReturn: ratio(
    'Return over risk, per day',
    'Mean return of a session over its standard deviation, not annualised.',
    'n < 20, volatility 0',
    'mean(r)/sd(r), of one mark',
  ),
  riskAdjustedReturn: percent(
    'Yearly return while exposed',
    'CAGR over the share of sessions with a position.',
    'as cagr, never exposed',
    'cagr/exposureTime',
  ),
  stability: ratio(
    'Stability (R²)',
    'R² of a straight line through the cumulative logarithmic return.',
    'n < 20, nothing left, no movement',
    'R² of a straight line through Σln(1 + r)',
  ),
  probabilisticSharpe: percent(
    'Probability of a Sharpe above 0',
    'Probability that the true Sharpe ratio is above 0, from length, skew and kurtosis of the sample.',
    'as sharpe',
    'Φ(s√(n − 1)/√(1 − g₃s + (g₄ − 1)/4·s²)): s of one mark, g₃ skew, g₄ plain kurtosis',
  ),
  deflatedSharpe: percent(
    'Deflated Sharpe',
    'Probability that the true Sharpe ratio is above the best that chance gives among as many runs. The number of runs must be given.',
    'as sharpe, no `--trials`',
    'probabilisticSharpe above s* = √V·((1 − γ)Φ⁻¹(1 − 1/K) + γΦ⁻¹(1 − 1/(K·e))), the best of K runs by chance: K = `--trials`, V = `--trial-variance`/A, γ = 0.5772; without V that of s itself',
  ),
  minimumTrackRecord: marks.less(
    'Minimum track record',
    'Sessions needed to distinguish this Sharpe ratio from 0 with 95 % confidence.',
    'as sharpe, s not above 0',
    '1 + (1 − g₃s + (g₄ − 1)/4·s²)(Φ⁻¹(0.95)/s)² marks',
  ),
} as const satisfies MetricGroup;
