import {
  correlationOf,
  autocorrelationOf,
  deviationOf,
  growthOf,
  meanOf,
  sumOf,
  covarianceOf,
} from './moments.ts';
import { deepestFall } from './drawdown.ts';
import { from, missing, quotient, type Measure, NOTHING } from './figures.ts';
import { periodReturns } from './periods.ts';
import { ofReturns, type Sample } from './sample.ts';

const NO_VOLATILITY = 'the volatility';

export function ratioMetrics(sample: Sample, cagr: Measure, exposureTime: Measure) {
  const { returns, marksPerYear, riskFreeOfMark } = sample;
  const of = (measure: () => Measure) => ofReturns(sample, measure);
  const [mean, deviation, year] = [meanOf(returns), deviationOf(returns), Math.sqrt(marksPerYear)];
  const sharpe = of(() =>
    from(quotient(mean - riskFreeOfMark, deviation, NO_VOLATILITY), (ratio) => ratio * year),
  );
  const downside = downsideOf(sample);
  return {
    volatility: of(() => deviation * year),
    downsideDeviation: of(() => downside),
    sharpe,
    smartSharpe: from(sharpe, (ratio) => ratio / penaltyOf(returns)),
    sortino: of(() => quotient((mean - riskFreeOfMark) * marksPerYear, downside, 'the downside deviation')),
    calmar: of(() => overDrawdown(cagr, returns)),
    calmar36Months: of(() => calmar36Months(sample)),
    omega: of(() => omega(returns)),
    gainToPainDaily: of(() => gainToPain(returns)),
    gainToPainMonthly: of(() => gainToPain(periodReturns(sample, 'month').map(({ value }) => value))),
    riskReturn: of(() => quotient(mean, deviation, NO_VOLATILITY)),
    riskAdjustedReturn: from(cagr, (growth) =>
      from(exposureTime, (share) => quotient(growth, share, 'the exposure time')),
    ),
    stability: of(() => stability(returns)),
  };
}

/** Downside deviation below the risk-free return, over all returns, annualised. */
const downsideOf = ({ returns, riskFreeOfMark, marksPerYear }: Sample): number =>
  Math.sqrt(meanOf(returns.map((value) => Math.min(value - riskFreeOfMark, 0) ** 2)) * marksPerYear);

/** Factor by which autocorrelation makes the long-term deviation exceed the one implied by short-term returns. */
function penaltyOf(returns: readonly number[]): number {
  const rho = Math.abs(autocorrelationOf(returns));
  const n = returns.length;
  let sum = 0;
  for (let lag = 1, power = rho; lag < n; lag++, power *= rho) sum += ((n - lag) / n) * power;
  return Math.sqrt(1 + 2 * sum);
}

const overDrawdown = (cagr: Measure, returns: readonly number[]): Measure =>
  from(cagr, (growth) => quotient(growth, -deepestFall(returns), 'the maximum drawdown'));

const CALMAR_DAYS = 3 * 365.25;

function calmar36Months({ returns, days, years }: Sample): Measure {
  if (years < 3) return missing('less than 36 months');
  const last = days.at(-1) ?? 0;
  const first = days.findIndex((day) => day >= last - CALMAR_DAYS);
  const part = returns.slice(first + 1);
  const span = (last - (days[first] ?? 0)) / (CALMAR_DAYS / 3);
  return overDrawdown(growthOf(part) ** (1 / span) - 1, part);
}

const omega = (returns: readonly number[]): Measure =>
  quotient(
    sumOf(returns.map((value) => Math.max(value, 0))),
    sumOf(returns.map((value) => Math.max(-value, 0))),
    'the sum of losses',
  );

const gainToPain = (returns: readonly number[]): Measure =>
  quotient(sumOf(returns), sumOf(returns.map((value) => Math.max(-value, 0))), 'the sum of losses');

/** R² of a straight line through the logarithm of the growth curve. */
function stability(returns: readonly number[]): Measure {
  if (returns.some((value) => value <= -1)) return missing('nothing was left');
  let sum = 0;
  const logs = returns.map((value) => (sum += Math.log1p(value)));
  return from(
    correlationOf(
      logs,
      logs.map((_, index) => index),
    ),
    (value) => value ** 2,
  );
}

/** One value per mark, from the last `window` returns; null before there are that many, and where it is undefined. */
export type Rolling = readonly (number | null)[];

const roll = (length: number, window: number, of: (from: number, to: number) => number): Rolling =>
  Array.from({ length }, (_, last) => {
    const value = last + 1 < window ? NaN : of(last + 1 - window, last + 1);
    return Number.isFinite(value) ? value : null;
  });

const over = (dividend: number, divisor: number): number => (divisor > NOTHING ? dividend / divisor : NaN);

export const rollingSharpe = (sample: Sample, window: number): Rolling =>
  roll(sample.returns.length, window, (from, to) => {
    const part = sample.returns.slice(from, to);
    return over(meanOf(part) - sample.riskFreeOfMark, deviationOf(part)) * Math.sqrt(sample.marksPerYear);
  });

/** Sortino ratio of the last `window` returns at each mark. */
export const rollingSortino = (sample: Sample, window: number): Rolling =>
  roll(sample.returns.length, window, (from, to) => {
    const returns = sample.returns.slice(from, to);
    const beyond = (meanOf(returns) - sample.riskFreeOfMark) * sample.marksPerYear;
    return over(beyond, downsideOf({ ...sample, returns }));
  });

/** Volatility of the last `window` returns at each mark, annualised. */
export const rollingVolatility = ({ returns, marksPerYear }: Sample, window: number): Rolling =>
  roll(returns.length, window, (from, to) => deviationOf(returns.slice(from, to)) * Math.sqrt(marksPerYear));

/** @param benchmark its returns, one per mark; a window with a null return is null */
export const rollingBeta = (
  { returns }: Pick<Sample, 'returns'>,
  benchmark: readonly (number | null)[],
  window: number,
): Rolling =>
  roll(returns.length, window, (from, to) => {
    const part = benchmark.slice(from, to).map((value) => value ?? NaN);
    return over(covarianceOf(returns.slice(from, to), part), covarianceOf(part, part));
  });
