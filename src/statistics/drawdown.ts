import { type RunFigures, from, missing, NOTHING, quotient, type Measure } from './figures.ts';
import { deviationOf, meanOf, meanUpTo, quantileOf, sorted, sumOf } from './moments.ts';
import { ofReturns, type Sample } from './sample.ts';

/** Fall below the highest value so far, until that value is reached again. Days are calendar days. */
export type Drawdown = Readonly<{
  peakDate: string;
  troughDate: string;
  /** Null while it has not recovered. */
  recoveryDate: string | null;
  /** Depth at the trough, as a fraction of the peak: below 0. */
  depth: number;
  /** Days from the peak to the recovery, or to the last mark. */
  days: number;
  daysToTrough: number;
  /** Days from the trough to the recovery. */
  daysToRecovery: number | null;
  /** Indexes of the marks of the peak (−1 for the start), of the trough, and of the recovery or the last mark. */
  from: number;
  lowest: number;
  to: number;
}>;

/** Drawdown at each mark: 0 at a new high, -0.1 for 10 % below the high so far; NaN from an unknown return on. */
export function drawdownSeries(returns: readonly number[]): number[] {
  let [value, peak] = [1, 1];
  return returns.map((one) => {
    value *= 1 + one;
    peak = Math.max(peak, value);
    const depth = value / peak - 1;
    return depth >= -NOTHING ? 0 : depth;
  });
}

/** Deepest drawdown; 0 for none. */
export const deepestFall = (returns: readonly number[]): number =>
  drawdownSeries(returns).reduce((least, depth) => Math.min(least, depth), 0);

/** All drawdowns, oldest first. */
export function drawdownsOf({ returns, dates, days }: Sample): Drawdown[] {
  const found: Drawdown[] = [];
  const depths = drawdownSeries(returns);
  // The start is at the open of the first session.
  const [dateAt, dayAt] = [
    (index: number) => dates[Math.max(index, 0)] ?? '',
    (index: number) => days[Math.max(index, 0)] ?? 0,
  ];
  for (let index = 0; index < depths.length; index++) {
    if (!((depths[index] ?? 0) < 0)) continue;
    const peak = index - 1;
    let trough = index;
    for (; index < depths.length && (depths[index] ?? 0) < 0; index++)
      if ((depths[index] ?? 0) < (depths[trough] ?? 0)) trough = index;
    const isOver = index < depths.length;
    const end = isOver ? index : index - 1;
    found.push({
      peakDate: dateAt(peak),
      troughDate: dateAt(trough),
      depth: depths[trough] ?? NaN,
      recoveryDate: isOver ? dateAt(end) : null,
      days: dayAt(end) - dayAt(peak),
      daysToTrough: dayAt(trough) - dayAt(peak),
      daysToRecovery: isOver ? dayAt(end) - dayAt(trough) : null,
      from: peak,
      lowest: trough,
      to: end,
    });
  }
  return found;
}

/** Worst drawdowns, deepest first. */
export const worstDrawdowns = (sample: Sample, count = 10): Drawdown[] =>
  drawdownsOf(sample)
    .sort((a, b) => a.depth - b.depth)
    .slice(0, count);

const NONE = 'the account was never below its highest value';
const NO_MARK = 'no session was marked';
const CVAR_SHARE = 0.05;

const UNKNOWN = missing('the equity of a mark is not a number');

/** Drawdown metrics: none if a return is unknown, because the fall may have happened then. */
export function drawdownMetrics(figures: RunFigures, sample: Sample, cagr: Measure) {
  const measures = fallsOf(figures, sample, cagr);
  if (!sample.returns.some(Number.isNaN)) return measures;
  return Object.fromEntries(Object.keys(measures).map((name) => [name, UNKNOWN])) as typeof measures;
}

function fallsOf(figures: RunFigures, sample: Sample, cagr: Measure) {
  const depths = drawdownSeries(sample.returns);
  const all = drawdownsOf(sample);
  const [deepest] = worstDrawdowns(sample, 1);
  const days = all.map((one) => one.days);
  const ofAll = (value: number): Measure => (all.length === 0 ? missing(NONE) : value);
  const ulcer = Math.sqrt(meanOf(depths.map((depth) => depth ** 2)));
  const { profit, fall } = inCash(figures);
  return {
    maxDrawdown: deepest?.depth ?? (depths.length > 0 ? 0 : missing(NO_MARK)),
    maxDrawdownCash: depths.length > 0 ? -fall : missing(NO_MARK),
    averageDrawdown: ofAll(meanOf(all.map(({ depth }) => depth))),
    averageDrawdownDays: ofAll(meanOf(days)),
    longestDrawdownDays: ofAll(Math.max(...days)),
    maxDrawdownDays: deepest?.days ?? missing(NONE),
    maxDrawdownToTroughDays: deepest?.daysToTrough ?? missing(NONE),
    maxDrawdownRecoveryDays: deepest
      ? (deepest.daysToRecovery ?? missing('it has not recovered'))
      : missing(NONE),
    underwaterShare: ofReturns(sample, () => meanOf(depths.map((depth) => (depth < 0 ? 1 : 0)))),
    ulcerIndex: ofReturns(sample, () => ulcer),
    ulcerPerformance: ofReturns(sample, () =>
      from(cagr, (growth) => quotient(growth - sample.riskFree, ulcer, 'the ulcer index')),
    ),
    painIndex: ofReturns(sample, () => -meanOf(depths)),
    recoveryFactor: quotient(profit, fall, 'the maximum drawdown'),
    serenity: ofReturns(sample, () => serenity(sample, depths, ulcer)),
  };
}

/** Profit and deepest fall in mUSD, excluding deposits and withdrawals. */
function inCash({ startEquity, marks }: RunFigures): Readonly<{ profit: number; fall: number }> {
  let [flows, peak, fall, equity] = [0, startEquity, 0, startEquity];
  for (const mark of marks) {
    flows += mark.flow ?? 0;
    equity = mark.equity - flows;
    peak = Math.max(peak, equity);
    fall = Math.max(fall, peak - equity);
  }
  return { profit: equity - startEquity, fall };
}

function serenity({ returns, riskFree }: Sample, depths: readonly number[], ulcer: number): Measure {
  const bound = quantileOf(sorted(depths), CVAR_SHARE);
  const worst = meanUpTo(depths, bound);
  return from(quotient(-worst, deviationOf(returns), 'the volatility'), (pitfall) =>
    quotient(sumOf(returns) - riskFree, ulcer * pitfall, 'ulcer index times pitfall'),
  );
}
