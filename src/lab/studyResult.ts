import type { Missing } from '../statistics/figures.ts';
import type { Belief } from './belief/belief.ts';
import type { OptimisationResult, OptimiseOptions } from './optimise.ts';
import { windowRows } from './belief/windowRows.ts';
import type { BookedTrial } from './study/studyFile.ts';
import type { TrialEngine } from './trials/studyTrials.ts';

/** Everything known about a finished study. `file`: of the study. */
export type StudyOutcome = Readonly<{
  optimised: OptimisationResult;
  belief: Belief;
  engine: TrialEngine;
  options: OptimiseOptions;
  file: string;
  elapsedMs: number;
}>;

/** Result of a study: the output of `drover optimise --json`, and the return value of `optimise`. */
export type StudyResult = ReturnType<typeof studyResultOf>;

export function studyResultOf({ optimised, belief, engine, options, file, elapsedMs }: StudyOutcome) {
  const { whole, walkForward } = optimised;
  const { best, trials } = whole;
  const { objectives } = options.setup;
  const [first] = objectives;
  return {
    generated: belief.chosen.generated,
    study: file,
    trials: trials.length,
    failed: failedOf(trials),
    stopped: stoppedOf(trials),
    windowTrials: windowTrialsOf(optimised),
    engine: engine.name,
    /** Features that the columnar engine does not support. */
    engineWhy: engine.why,
    method: options.sampling.method,
    objective: objectives.map(({ name }) => name).join(','),
    best: best && {
      params: allParams(options, best),
      runId: best.outcome.state === 'done' ? best.outcome.runId : null,
      objective: best.outcome.state === 'done' ? (best.outcome.objectives[0] ?? null) : null,
      inSample: inSampleOf(best),
      outOfSample: walkForward && walkForward.outOfSample.metrics,
    },
    comparison: belief.comparison,
    pareto: objectives.length > 1 ? whole.front.map((trial) => frontRow(trial, options)) : undefined,
    windows:
      walkForward && first
        ? windowRows(optimised, first, belief.heldIn).map(({ label: _label, ...row }) => row)
        : undefined,
    believe: believeJson(belief),
    elapsedMs,
  };
}

const valueIn = <Found extends object>(
  found: Found | Missing,
  value: (found: Found) => number,
): number | null => ('reason' in found ? null : value(found));

/** Verdict with its numeric evidence. */
function believeJson({
  verdict: { verdict, reasons },
  evidence,
  intervals,
  shuffle,
  effects,
  costs,
  noise,
  crises,
}: Belief) {
  const { deflated, overfitting, superior, plateau, entries } = evidence;
  return {
    verdict,
    why: reasons.map(({ text }) => text),
    speaks: reasons.map(({ speaks }) => speaks),
    deflatedSharpe: valueIn(deflated, ({ probability }) => probability),
    overfitting: valueIn(overfitting, ({ probability }) => probability),
    lossProbability: valueIn(overfitting, ({ lossProbability }) => lossProbability),
    superiorAbility: valueIn(superior, ({ superiorAbility }) => superiorAbility),
    realityCheck: valueIn(superior, ({ realityCheck }) => realityCheck),
    plateau: valueIn(plateau, ({ score }) => score),
    randomEntries: entries && valueIn(entries, ({ probability }) => probability),
    intervals,
    tradeShuffle: shuffle,
    parameterEffects: effects,
    costsDoubled: costs,
    priceNoise: noise,
    crises,
  };
}

export const failedOf = (trials: readonly BookedTrial[]): number =>
  trials.filter(({ outcome }) => outcome.state === 'failed' || outcome.state === 'crashed').length;

export const stoppedOf = (trials: readonly BookedTrial[]): number =>
  trials.filter(({ outcome }) => outcome.state === 'stopped').length;

/** Trials of the searches within the windows of a walk-forward: the same sets again, over parts of the sessions. */
export const windowTrialsOf = ({ walkForward }: OptimisationResult): number =>
  (walkForward?.searches ?? []).reduce((sum, { trials }) => sum + trials.length, 0);

/** Parameters of a trial, including those that were not searched. */
export const allParams = ({ setup }: OptimiseOptions, { params }: Pick<BookedTrial, 'params'>): object => ({
  ...(setup.strategy.params as object),
  ...params,
});

const inSampleOf = ({ outcome }: BookedTrial) =>
  outcome.state === 'done' ? { ...outcome.headline, trades: outcome.trades, fees: outcome.fees } : {};

const frontRow = (trial: BookedTrial, options: OptimiseOptions) => ({
  params: allParams(options, trial),
  objectives: trial.outcome.state === 'done' ? trial.outcome.objectives : [],
});
