import { InvalidValueError } from '../../core/errors.ts';
import { NOTHING, isNumber } from '../../statistics/figures.ts';
import { betaOf, deviationOf, meanOf } from '../../statistics/moments.ts';
import { RETURNS_MIN } from '../../statistics/sample.ts';
import type { ParamSet } from '../search/space.ts';

/** Trial of a study: its parameters, and its return in each session, 0.01 for 1 %. */
export type TrialReturns = Readonly<{ params: ParamSet; returns: Float64Array }>;

/** Returns of the trials of a study, one column each, all over the same sessions. */
export type Columns = readonly Float64Array[];

/**
 * Columns of trials, all of equal length.
 * @throws {InvalidValueError} for no trial, fewer than 20 sessions, unequal sessions, or a return that is not a number
 */
export function columnsOf(trials: readonly Pick<TrialReturns, 'returns'>[]): Columns {
  const sessions = trials.reduce((most, { returns }) => Math.max(most, returns.length), 0);
  if (trials.length === 0) throw new InvalidValueError('no trial to judge: give the returns of at least one');
  if (sessions < RETURNS_MIN)
    throw new InvalidValueError(`${sessions} sessions, but it needs ${RETURNS_MIN}: give a longer study`);
  return trials.map(({ returns }, trial) => {
    const hole = returns.findIndex((value) => !Number.isFinite(value));
    if (hole >= 0)
      throw new InvalidValueError(
        `trial ${trial}, session ${hole}: return ${returns[hole] ?? ''} is not a number`,
      );
    const whole = goneOn(returns, sessions);
    if (whole.length !== sessions)
      throw new InvalidValueError(
        `trial ${trial} has ${returns.length} sessions, others ${sessions}: run all over the same sessions`,
      );
    return whole;
  });
}

/** Returns padded with 0 if they end because the account was empty; otherwise unchanged. */
export function goneOn(returns: Float64Array, sessions: number): Float64Array {
  if (returns.length >= sessions || (returns.at(-1) ?? 0) > -1) return returns;
  const whole = new Float64Array(sessions);
  whole.set(returns);
  return whole;
}

/** Sharpe ratio per session; 0 for a column that never moves, such as a trial that never trades. */
export function sharpeOf(column: Float64Array): number {
  const deviation = deviationOf(column);
  return deviation > NOTHING ? meanOf(column) / deviation : 0;
}

/** Columns that move: a trial that never traded has no Sharpe ratio, and could not have been chosen. */
export const movingOf = (columns: Columns): Columns =>
  columns.filter((column) => deviationOf(column) > NOTHING);

/** Standard against which returns are measured, per session. */
type Standard = Readonly<{
  /** Risk-free return. Default 0. */
  riskFree?: number | undefined;
  /** Returns of buying and holding the same stock, or those that the strategy trades; null for cash only. */
  benchmark: Float64Array | null;
}>;

/**
 * Returns in excess of the same exposure without selection: r − f − β·(b − f), with the β of the whole column (for a
 * strategy that is in or out at random, its mean exposure). Their mean is Jensen's alpha per session, their Sharpe
 * ratio the appraisal ratio (Treynor and Black, "How to use security analysis to improve portfolio selection", Journal
 * of Business 46(1), 1973). Without a benchmark r − f.
 *
 * A strategy that is long half of the time earns half of a rising market, whatever its skill. Tests against cash count
 * that as an edge; these returns exclude it, like Aronson's detrending ("Evidence-based technical analysis", 2006).
 */
export function activeReturns(column: Float64Array, { riskFree = 0, benchmark }: Standard): Float64Array {
  if (benchmark === null) return column.map((value) => value - riskFree);
  if (benchmark.length !== column.length)
    throw new InvalidValueError(
      `the benchmark has ${benchmark.length} sessions, the trial ${column.length}: give both for the same sessions`,
    );
  const slope = betaOf(column, benchmark);
  const beta = isNumber(slope) ? slope : 0;
  return column.map((value, at) => value - riskFree - beta * ((benchmark[at] ?? NaN) - riskFree));
}
