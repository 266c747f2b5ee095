import type { Missing } from '../../statistics/figures.ts';
import { probabilityAbove, sharpeEstimateOf } from '../../statistics/sharpeTests.ts';
import { deflatedSharpe } from './deflatedSharpe.ts';
import { entryTestOf, type Holding } from './entryTest.ts';
import { overfittingOf } from './overfitting.ts';
import { plateauOf } from './plateau.ts';
import type { DrawOptions } from './resampling.ts';
import { superiorAbilityOf } from './superiorAbility.ts';
import { activeReturns, columnsOf, goneOn, sharpeOf, type TrialReturns } from './trialReturns.ts';

/** Finished study: the trials made, the one chosen, and its results. */
export type Study = Readonly<{
  /** All trials made, over the same sessions; failed ones are left out. */
  trials: readonly TrialReturns[];
  /** Index of the chosen one among them. */
  chosen: number;
  /** Number of trials made on these sessions, including those without returns. Default: the number in `trials`. */
  trialCount?: number | undefined;
  /** Closed trades of the chosen trial. */
  trades: number;
  /**
   * Returns of buying and holding what the strategy trades (the mean of several stocks), session by session. Null if
   * unavailable: a rising market then looks like skill, and the verdict is never "yes".
   */
  benchmark: Float64Array | null;
  /** Risk-free return per session. Default 0. */
  riskFree?: number | undefined;
  /** Sessions per year, for the texts. Default 252. */
  marksPerYear?: number | undefined;
  /** Position of the chosen trial in its stock, if it trades only one. */
  holding?: Holding | null | undefined;
  /** Parameters that were searched on a logarithmic scale. */
  logarithmic?: ReadonlySet<string> | undefined;
  /** Out-of-sample returns, as from a walk-forward, with the benchmark's for the same sessions. */
  outOfSample?: Readonly<{ returns: Float64Array; benchmark: Float64Array | null }> | null | undefined;
}>;

export type OutOfSample = Readonly<{
  sessions: number;
  /** Sharpe ratio per session. */
  ratio: number;
  /** Probability that the true ratio exceeds half of the one in sample. */
  aboveHalf: number;
}>;

/**
 * Runs all tests on a study, and collects the evidence for the verdict. Sharpe ratios are of active returns: in excess
 * of what the same exposure earned without selection.
 * @throws {InvalidValueError} for returns that do not fit together
 */
export function evidenceOf(study: Study, drawing: DrawOptions) {
  const { trials, chosen, benchmark, riskFree, holding = null, outOfSample = null } = study;
  const { trialCount = 0, marksPerYear = 252, logarithmic } = study;
  const made = Math.max(trialCount, trials.length);
  const columns = columnsOf(trials).map((column) => activeReturns(column, { riskFree, benchmark }));
  const values = columns.map((column, trial) => ({
    params: trials[trial]?.params ?? {},
    value: sharpeOf(column),
  }));
  return {
    trials: made,
    /** Number of trials without known returns, because they were stopped early or failed. */
    unknown: made - trials.length,
    sessions: columns[0]?.length ?? 0,
    trades: study.trades,
    marksPerYear,
    isOverBenchmark: benchmark !== null,
    deflated: deflatedSharpe(columns, chosen, made),
    superior: superiorAbilityOf(columns, drawing),
    overfitting: overfittingOf(columns),
    plateau: plateauOf(values, chosen, logarithmic),
    /** Null if it was not given. */
    entries: holding && entryTestOf(holding, drawing),
    outOfSample: outOfSample && laterOf(activeOf(outOfSample, riskFree), values[chosen]?.value ?? NaN),
  };
}

export type Evidence = Readonly<ReturnType<typeof evidenceOf>>;

const activeOf = ({ returns, benchmark }: NonNullable<Study['outOfSample']>, riskFree: Study['riskFree']) =>
  activeReturns(goneOn(returns, benchmark?.length ?? 0), { riskFree, benchmark });

/** Results for out-of-sample returns. @param before Sharpe ratio in sample */
function laterOf(returns: Float64Array, before: number): OutOfSample | Missing {
  const estimate = sharpeEstimateOf(returns);
  if ('reason' in estimate) return estimate;
  const { ratio } = estimate;
  return { sessions: returns.length, ratio, aboveHalf: probabilityAbove(estimate, before / 2) };
}
