import type { BacktestResult } from '../../backtest/result.ts';
import { ConfigError } from '../../core/errors.ts';
import { yearsBetween } from '../../statistics/sample.ts';
import { scoreOf, type Objective } from '../search/objective.ts';
import { HEADLINE, headlineOf, type Headline, type HeadlineName, type ReturnSpan } from './headline.ts';
import type { ObjectiveFunction, StopRule, TrialResult, TrialSetup } from './trial.ts';

/**
 * Backtest from which a trial is measured, by either engine. `equities`: at the start, and at the close of each
 * session, in mUSD; `metrics` may be costly, and are read only if an objective needs them.
 */
export type MeasuredRun = Pick<
  BacktestResult,
  'runId' | 'marksPerYear' | 'trades' | 'fees' | 'metrics' | 'notes'
> &
  Readonly<{ equities: ArrayLike<number>; dates: RunDates }>;

/** Dates of the first and last sessions. */
export type RunDates = Readonly<{ first: string; last: string }>;

/** Measures the result of a backtest. */
export function trialResultOf(
  { objectives, functions, options }: TrialSetup,
  run: MeasuredRun,
): Omit<TrialResult, 'elapsedMs'> {
  const { runId, marksPerYear, trades, fees, equities, dates } = run;
  const returns = returnsOf(equities);
  const years = yearsBetween(dates.first, dates.last);
  const headline = headlineOf(returns, { years, marksPerYear, riskFree: options.riskFree ?? 0 });
  const found = objectives.map((objective) => valueOf(objective, { run, headline, returns }, functions));
  return {
    runId,
    objectives: found.map(({ value }) => value),
    why: found.find(({ value }) => value === null)?.why ?? null,
    headline,
    trades,
    fees: Number(fees),
    returns,
  };
}

type TrialOutcome = Readonly<{ run: MeasuredRun; headline: Headline; returns: Float64Array }>;
type Value = Readonly<{ value: number | null; why: string | null }>;

function valueOf(
  { name, metric }: Objective,
  found: TrialOutcome,
  functions: TrialSetup['functions'],
): Value {
  if (metric === null) return ownValue(name, functions[name], found);
  const { run, headline } = found;
  const value = isHeadline(metric) ? headline[metric] : run.metrics[metric];
  return { value, why: value === null ? (run.notes[metric] ?? null) : null };
}

/** Score of a trial at half-time if it is too low to continue; null for one that continues. */
export function hopelessScore(
  equities: ArrayLike<number>,
  { below }: StopRule,
  { objectives: [first], options }: TrialSetup,
): number | null {
  const score = first ? halfScore(returnsOf(equities), first, options) : null;
  return score !== null && score < below ? score : null;
}

/** Marks per year for the half-time measure, which needs no dates. */
const HALF_MARKS = 252;

export const isHeadline = (name: string): name is HeadlineName =>
  (HEADLINE as readonly string[]).includes(name);

/** True for an objective that a stop rule can measure at half-time. */
export const isHalfWay = ({ metric }: Objective): boolean => metric !== null && isHeadline(metric);

/** First objective over the returns of a trial's first half, higher is better; null if it is undefined. */
export function halfScore(
  returns: Float64Array,
  objective: Objective,
  { riskFree = 0 }: Pick<TrialSetup['options'], 'riskFree'>,
): number | null {
  const { metric } = objective;
  if (metric === null || !isHeadline(metric)) return null;
  const span: ReturnSpan = { years: returns.length / HALF_MARKS, marksPerYear: HALF_MARKS, riskFree };
  return scoreOf(objective, headlineOf(returns, span)[metric]);
}

function ownValue(name: string, make: ObjectiveFunction | undefined, { run, returns }: TrialOutcome): Value {
  if (!make) throw new ConfigError(`the objective ${name} has no function`);
  const value: unknown = make({ metrics: run.metrics, returns, trades: run.trades });
  if (value === null || (typeof value === 'number' && Number.isFinite(value))) return { value, why: null };
  const found = typeof value === 'number' ? `${value}` : `a value of type ${typeof value}`;
  const why = `the objective ${name} gave ${found}, neither a number nor null`;
  return { value: null, why };
}

/** Returns between consecutive equities, ending when nothing is left. */
function returnsOf(equities: ArrayLike<number>): Float64Array {
  let count = 0;
  while (count < equities.length - 1 && !((equities[count] ?? NaN) <= 0)) count++;
  const returns = new Float64Array(count);
  for (let index = 0; index < count; index++)
    returns[index] = (equities[index + 1] ?? NaN) / (equities[index] ?? NaN) - 1;
  return returns;
}
