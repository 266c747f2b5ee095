import type { MetricName } from '../../statistics/metrics.ts';
import { labelOf, METRIC_ENTRIES, METRIC_GROUPS, type MetricUnit } from '../../statistics/catalogue.ts';
import { saidOf, type MarkName } from '../../statistics/markName.ts';
import type { RunRecord } from '../runRecord.ts';
import { written, type Format } from './format.ts';
import { markup, type Markup } from './markup.ts';

const OF_RETURNS = {
  totalReturn: 'What 1 became, less 1. Deposits and withdrawals are taken out.',
  cagr: 'Growth a year: the product of 1 + return, to the power of 1 / years, less 1. It takes a quarter of a year.',
  moneyWeightedReturn:
    'The yearly rate at which what was paid in becomes what is there at the end (internal rate of return).',
  expectedDay: 'Geometric mean return of a session.',
  expectedMonth: 'Geometric mean return of a calendar month.',
  expectedYear: 'Geometric mean return of a calendar year.',
  bestDay: 'Highest return of a session.',
  worstDay: 'Lowest return of a session.',
  bestMonth: 'Highest return of a calendar month.',
  worstMonth: 'Lowest return of a calendar month.',
  bestYear: 'Highest return of a calendar year.',
  worstYear: 'Lowest return of a calendar year.',
  positiveDays: 'Share of sessions with a return above 0.',
  positiveWeeks: 'Share of calendar weeks with a return above 0.',
  positiveMonths: 'Share of calendar months with a return above 0.',
  positiveQuarters: 'Share of calendar quarters with a return above 0.',
  positiveYears: 'Share of calendar years with a return above 0.',
  volatility: 'Standard deviation of session returns (n − 1), times the root of the sessions a year.',
  downsideDeviation:
    'Root of the mean square of what falls short of the risk-free return, over all sessions, by the year.',
  sharpe:
    'Mean return above the risk-free one over its standard deviation, times the root of the sessions a year.',
  smartSharpe: 'Sharpe ratio over a penalty for returns that follow each other (autocorrelation).',
  sortino: 'Yearly mean return above the risk-free one, over the downside deviation.',
  calmar: 'CAGR over the maximum drawdown, over the whole run.',
  calmar36Months: 'The same over the last 36 months.',
  omega: 'Sum of gains over the sum of losses of sessions.',
  gainToPainDaily: 'Sum of returns over the sum of losses, by session.',
  gainToPainMonthly: 'Sum of returns over the sum of losses, by calendar month.',
  riskReturn: 'Mean return over standard deviation of a session, not by the year.',
  riskAdjustedReturn: 'CAGR over the share of sessions with a position.',
  stability: 'R² of a straight line through the cumulative logarithmic return.',
  probabilisticSharpe:
    'How probable it is that the true Sharpe ratio is above 0, by length, skew and kurtosis of the sample.',
  deflatedSharpe:
    'The same against the best that chance gives among as many runs: how many it was chosen from has to be said.',
  minimumTrackRecord: 'Sessions that it takes to tell this Sharpe ratio from 0 with 95 % confidence.',
  maxDrawdown: 'Deepest fall below the highest value so far, on session closes.',
  maxDrawdownCash: 'Deepest fall below the highest equity so far, in mUSD.',
  averageDrawdown: 'Mean depth of all drawdowns.',
  averageDrawdownDays: 'Mean of calendar days from peak to recovery, or to the end of the run.',
  longestDrawdownDays: 'Most calendar days from a peak to its recovery, or to the end of the run.',
  maxDrawdownDays: 'Calendar days of the deepest drawdown, from peak to recovery or to the end of the run.',
  maxDrawdownToTroughDays: 'Calendar days from its peak to its trough.',
  maxDrawdownRecoveryDays: 'Calendar days from its trough to its recovery.',
  underwaterShare: 'Share of sessions that close below an earlier peak.',
  ulcerIndex: 'Root of the mean square of the drawdown, over all sessions.',
  ulcerPerformance: 'CAGR above the risk-free return, over the ulcer index (Martin ratio).',
  painIndex: 'Mean of the drawdown over all sessions.',
  recoveryFactor: 'Net profit over the maximum drawdown, both in mUSD; it keeps its sign.',
  serenity:
    'Sum of returns above the risk-free one, over ulcer index times pitfall (the drawdown beyond its 5 % quantile over the volatility).',
  valueAtRisk5: 'Loss of a session that one in twenty reaches: the negative 5 % quantile of returns.',
  valueAtRisk1: 'Loss of a session that one in a hundred reaches.',
  parametricValueAtRisk5: 'The same from mean and deviation, as if returns were normally distributed.',
  parametricValueAtRisk1: 'The same from mean and deviation, as if returns were normally distributed.',
  conditionalValueAtRisk5: 'Mean loss of the sessions at or beyond VaR 5 %.',
  conditionalValueAtRisk1: 'Mean loss of the sessions at or beyond VaR 1 %.',
  tailRatio: 'Size of the 95th percentile of returns over that of the 5th.',
  skew: 'Third standardised moment of returns: below 0 the losses have the longer tail.',
  excessKurtosis: 'Fourth standardised moment of returns less 3: 0 for a normal distribution.',
  outlierWinRatio: '99th percentile of returns over the mean gain.',
  outlierLossRatio: '1st percentile of returns over the mean loss.',
  riskOfRuin:
    'Share of 1,000 simulated years, of blocks of 20 returns drawn with repetition, in which half of the account is gone at some close.',
  benchmarkReturn: 'Buying at the start and holding to the end, without costs.',
  excessReturn: 'Total return less that of the benchmark.',
  beta: 'Covariance of the returns with those of the benchmark, over the variance of those.',
  alpha: 'Yearly mean return above the risk-free one that beta does not explain.',
  correlation: 'Of session returns with those of the benchmark.',
  rSquared: 'Square of the correlation.',
  trackingError: 'Yearly standard deviation of the difference of the returns.',
  informationRatio: 'Yearly mean difference of the returns over the tracking error.',
  treynor: 'CAGR above the risk-free return, over beta.',
  upCapture: 'Geometric mean return where the benchmark rose, over that of the benchmark.',
  downCapture: 'Geometric mean return where the benchmark fell, over that of the benchmark.',
  captureRatio: 'Up capture over down capture.',
} as const satisfies Partial<Record<MetricName, string>>;

const OF_TRADES = {
  trades: 'Round trips: from the first share bought to the last one sold.',
  wins: 'Closed with a profit, fees included.',
  losses: 'Closed with a loss, fees included.',
  breakEvens: 'Closed with neither.',
  winRate: 'Share of trades won. It takes 10 trades, as all that follows from it.',
  averageWin: 'Mean profit of the trades won, in mUSD.',
  averageLoss: 'Mean loss of the trades lost, in mUSD.',
  payoff: 'Average win over average loss.',
  profitFactor: 'Sum of wins over sum of losses, in mUSD.',
  expectancy: 'Mean profit of a trade, in mUSD.',
  expectancyRatio: 'Win rate times (1 + payoff), less 1: mean profit by the average loss.',
  expectancyR: 'Mean profit over the initial risk of each trade, where it has been said.',
  sqn: 'Root of the number of trades times mean profit over its deviation, in mUSD.',
  sqn100: 'The same with the number of trades capped at 100.',
  kelly: 'Win rate less (1 − win rate) / payoff: an upper bound, not advice.',
  cpc: 'Profit factor times win rate times payoff.',
  commonSense: 'Profit factor times tail ratio.',
  consecutiveWins: 'Longest run of trades won.',
  consecutiveLosses: 'Longest run of trades lost.',
  runsZScore: 'Below 0 wins follow wins, above 0 they alternate (Wald and Wolfowitz).',
  bestTrade: 'Largest profit of a trade, in mUSD.',
  worstTrade: 'Largest loss of a trade, in mUSD.',
  tradesPerDay: 'Closed trades over sessions.',
  tradeDaysMean: 'From entry to exit, in days of 24 hours.',
  tradeDaysMedian: 'Half of the trades were held longer.',
  tradeDaysMax: 'From entry to exit, in days of 24 hours.',
  winnerDaysMean: 'From entry to exit, in days of 24 hours.',
  loserDaysMean: 'From entry to exit, in days of 24 hours.',
  averageMae: 'Furthest against a trade while it was held, as a part of its entry price.',
  averageMfe: 'Furthest for a trade while it was held, as a part of its entry price.',
  endTradeDrawdown: 'Mean of what was given back from the furthest point to the exit.',
  edgeRatio: 'Mean MFE over mean MAE, both over the volatility of the symbol.',
  exposureTime: 'Share of sessions with a position.',
  averageGross: 'Mean of all positions without sign, as a part of equity at the close.',
  averageNet: 'Mean of all positions with sign, as a part of equity at the close.',
  maxWeight: 'Most of the equity that one symbol ever was at a close.',
  herfindahl: 'Herfindahl index of the weights, over the sessions with a position: 1 for one symbol alone.',
  turnoverFund:
    'The lesser of all purchases and all sales of a calendar year over its mean equity; the mean of the years, parts scaled.',
  turnoverOneWay: 'Half of the value traded over equity, by the year.',
  fees: 'All fees paid, in mUSD.',
  mintFees: 'What of them was paid for minting.',
  protocolFees: 'What of them went to the protocol.',
  feesBps: 'Fees over the value traded, in hundredths of a percent.',
  slippage:
    'What fills were worse than the market’s price of then, in mUSD: what the model of slippage took.',
  slippageBps: 'Slippage over the value traded, in hundredths of a percent.',
  costDrag: 'What fees took of the CAGR.',
  shortfall: 'How much worse than the price at the decision the fills were, in mUSD, where that is known.',
  shortfallBps: 'Implementation shortfall over the value at the prices of the decisions.',
  fillRate: 'Orders filled, wholly or partly, over orders sent.',
  expiredShare: 'Orders that expired over orders sent.',
  rejectedShare: 'Orders that were rejected over orders sent.',
} as const satisfies Partial<Record<MetricName, string>>;

/** What each metric is. */
const MEANINGS: Readonly<Record<MetricName, string>> = { ...OF_RETURNS, ...OF_TRADES };

/** How a metric is written, and the unit that its label names. */
const WRITTEN: Readonly<Record<MetricUnit, readonly [format: Format, unit: string]>> = {
  percent: ['percent', ''],
  ratio: ['ratio', ''],
  money: ['money', 'mUSD'],
  bps: ['tenths', 'bps'],
  days: ['tenths', 'days'],
  marks: ['round', 'sessions'],
  count: ['round', ''],
};

/** Of marks that are weeks `positiveDays` says it. */
const OF_WEEKS: MetricName = 'positiveWeeks';

/** Every metric of a run by group, with its meaning for those who point at it, and the reason where it is undefined. */
export function metricTables(record: RunRecord, mark: MarkName): Markup {
  const others = Object.keys(record.metrics).filter((name) => !(name in METRIC_ENTRIES));
  return markup`<div class="metrics">${Object.entries(METRIC_GROUPS).map(([title, entries]) =>
    groupTable(
      title,
      Object.keys(entries)
        .filter((name) => name in record.metrics && !(mark === 'week' && name === OF_WEEKS))
        .map((name) => knownRow(name as MetricName, mark, record)),
    ),
  )}${groupTable(
    'Others',
    others.map((name) => metricRow(markup`${name}`, { name, format: 'general' }, record)),
  )}</div>
`;
}

const groupTable = (title: string, rows: readonly Markup[]): Markup | null =>
  rows.length === 0 ? null : markup`<table><caption>${title}</caption><tbody>\n${rows}</tbody></table>`;

function knownRow(name: MetricName, mark: MarkName, record: RunRecord): Markup {
  const entry = METRIC_ENTRIES[name];
  const [format, unitOf] = WRITTEN[entry.unit];
  const unitName = saidOf(mark, unitOf);
  const meaning = saidOf(mark, MEANINGS[name]);
  const term = markup`<span data-tip="${meaning}" title="${meaning}" tabindex="0">${labelOf(entry, mark)}</span>${unitName === '' ? null : markup` <small>${unitName}</small>`}`;
  return metricRow(term, { name, format }, record);
}

function metricRow(
  term: Markup,
  { name, format }: Readonly<{ name: string; format: Format }>,
  { metrics, notes }: RunRecord,
): Markup {
  const value = metrics[name] ?? null;
  const cell =
    value === null
      ? markup`<td class="none">N/A <small>${notes[name] ?? 'no reason given'}</small></td>`
      : markup`<td>${written(value, format)}</td>`;
  return markup`<tr><th scope="row">${term}</th>${cell}</tr>\n`;
}
