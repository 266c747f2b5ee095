import { NOTHING } from '../../statistics/figures.ts';
import type { MetricName } from '../../statistics/metrics.ts';
import { RETURNS_MIN } from '../../statistics/sample.ts';

/**
 * Metrics of a trial that depend only on its session returns, in display order. A large search cannot wait for all
 * metrics of each trial: these take microseconds, and equal those of `metricsOf` to the digit.
 */
export const HEADLINE = [
  'totalReturn',
  'cagr',
  'volatility',
  'sharpe',
  'sortino',
  'maxDrawdown',
  'calmar',
] as const satisfies readonly MetricName[];
export type HeadlineName = (typeof HEADLINE)[number];
export type Headline = Readonly<Record<HeadlineName, number | null>>;

/** Time span and rates of the returns. `years`: from the first session's date to the last one's, of 365.25 days. */
export type ReturnSpan = Readonly<{ years: number; marksPerYear: number; riskFree: number }>;

/** Minimum number of years for an annual growth rate: `docs/statistics.md`. */
const YEARS_MIN = 0.25;

/** Computes the headline of session returns, by the formulas in `docs/statistics.md`. */
export function headlineOf(returns: Float64Array, { years, marksPerYear, riskFree }: ReturnSpan): Headline {
  const count = returns.length;
  const riskFreeOfMark = (1 + riskFree) ** (1 / marksPerYear) - 1;
  const { growth, depth, sum } = pathOf(returns);
  const mean = sum / count;
  const { deviation, downside } = spreadsOf(returns, mean, riskFreeOfMark);
  if (Number.isNaN(sum)) return UNKNOWN;
  const enough = count >= RETURNS_MIN;
  const year = Math.sqrt(marksPerYear);
  const excess = mean - riskFreeOfMark;
  const cagr = years >= YEARS_MIN ? growth ** (1 / years) - 1 : null;
  return {
    totalReturn: count > 0 ? growth - 1 : null,
    cagr,
    volatility: enough ? deviation * year : null,
    sharpe: enough ? scaled(quotient(excess, deviation), year) : null,
    sortino: enough ? quotient(excess * marksPerYear, downside * year) : null,
    maxDrawdown: count > 0 ? depth : null,
    calmar: enough && cagr !== null ? quotient(cagr, -depth) : null,
  };
}

/** Headline of returns of which one is unknown. */
const UNKNOWN = Object.fromEntries(HEADLINE.map((name) => [name, null])) as Headline;

const quotient = (dividend: number, divisor: number): number | null =>
  Math.abs(divisor) > NOTHING ? dividend / divisor : null;

const scaled = (value: number | null, by: number): number | null => (value === null ? null : value * by);

/** Growth of 1, deepest drawdown (at most 0) and sum of returns. */
function pathOf(returns: Float64Array): Readonly<{ growth: number; depth: number; sum: number }> {
  let [growth, peak, depth, sum] = [1, 1, 0, 0];
  for (let index = 0; index < returns.length; index++) {
    const value = returns[index] ?? NaN;
    sum += value;
    growth *= 1 + value;
    if (growth > peak) peak = growth;
    const below = growth / peak - 1;
    if (below < depth && below < -NOTHING) depth = below;
  }
  return { growth, depth, sum };
}

/** Sample deviation, and root mean square of the shortfalls below the risk-free return, per mark. */
function spreadsOf(returns: Float64Array, mean: number, riskFreeOfMark: number) {
  let [squares, shortfalls] = [0, 0];
  for (let index = 0; index < returns.length; index++) {
    const value = returns[index] ?? NaN;
    squares += (value - mean) * (value - mean);
    const short = value - riskFreeOfMark;
    if (short < 0) shortfalls += short * short;
  }
  return {
    deviation: Math.sqrt(squares / (returns.length - 1)),
    downside: Math.sqrt(shortfalls / returns.length),
  };
}
