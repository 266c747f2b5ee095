import type { Missing } from '../../statistics/figures.ts';
import { probabilityAbove, sharpeEstimateOf } from '../../statistics/sharpeTests.ts';
import { deflatedSharpe } from './deflatedSharpe.ts';
import { entryTestOf, type Holding } from './entryTest.ts';
import { overfittingOf } from './overfitting.ts';
import { plateauOf } from './plateau.ts';
import type { DrawOptions } from './resampling.ts';
import { superiorAbilityOf } from './superiorAbility.ts';
import { activeReturns, columnsOf, goneOn, sharpeOf, type TrialReturns } from './trialReturns.ts';

/** Finished study: what was tried, what was chosen, and what came of it. */
export type Study = Readonly<{
  /** All trials that were made, all over the same sessions; those that failed are left out. */
  trials: readonly TrialReturns[];
  /** Place of the chosen one among them. */
  chosen: number;
  /** Number of trials made on these sessions, those without returns included. Default: that of these. */
  trialCount?: number | undefined;
  /** Closed trades of the chosen one. */
  trades: number;
  /**
   * Returns of buying and holding what the strategy trades (of several stocks the mean), session by session. Null if there is none:
   * a rising market then looks like skill, and no verdict is "yes".
   */
  benchmark: Float64Array | null;
  /** Risk-free return of a session. Default 0. */
  riskFree?: number | undefined;
  /** Sessions a year, for the sentences. Default 252. */
  marksPerYear?: number | undefined;
  /** Position of the chosen one in its stock, where it trades one. */
  holding?: Holding | null | undefined;
  /** Parameters that were searched by their logarithm. */
  logarithmic?: ReadonlySet<string> | undefined;
  /** Returns that no choice has seen, as of a walk-forward, with the benchmark's for the same sessions. */
  outOfSample?: Readonly<{ returns: Float64Array; benchmark: Float64Array | null }> | null | undefined;
}>;

export type OutOfSample = Readonly<{
  sessions: number;
  /** Sharpe ratio of a session. */
  ratio: number;
  /** Probability that the true one is above half of that in sample. */
  aboveHalf: number;
}>;

/**
 * Runs every test over a study, and collects all that the verdict rests on. Sharpe ratios are of active returns: above what the same
 * exposure earned without a choice.
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
    /** Number of them without known returns, because they were stopped early or failed. */
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

/** Statements about returns that no choice has seen. @param before Sharpe ratio of those that it has seen */
function laterOf(returns: Float64Array, before: number): OutOfSample | Missing {
  const estimate = sharpeEstimateOf(returns);
  if ('reason' in estimate) return estimate;
  const { ratio } = estimate;
  return { sessions: returns.length, ratio, aboveHalf: probabilityAbove(estimate, before / 2) };
}
