import { METRIC_TABLE } from '../../statistics/metricTable.ts';
import type { MetricEntry } from '../../statistics/metricEntries/entry.ts';
import { written, type Format } from '../../figures/format.ts';
import type { Belief } from '../belief/belief.ts';
import type { OptimisationResult, OptimiseOptions } from '../optimise.ts';
import { scoreOf, type Objective } from '../search/objective.ts';
import { keyOf } from '../search/space.ts';
import type { BookedTrial } from '../study/studyFile.ts';

const NONE: Objective = { name: 'objective', isLessBetter: false, metric: null };

/** Values shared by the figures of a study. */
export function studyViewOf(optimised: OptimisationResult, options: OptimiseOptions, belief: Belief) {
  const { whole } = optimised;
  const { objectives } = options.setup;
  const [objective = NONE] = objectives;
  const trials = whole.trials.map((trial) => trialView(trial, objective));
  const inFront = new Set(whole.front.map(({ params }) => keyOf(params)));
  return {
    optimised,
    options,
    belief,
    space: options.sampling.space,
    objectives,
    /** First objective, and the format of its values. */
    objective,
    format: formatOf(objective),
    trials,
    /** Trials on the Pareto front; null with a single objective. */
    front: objectives.length > 1 ? trials.filter(({ params }) => inFront.has(keyOf(params))) : null,
    best: whole.best?.params ?? null,
    effects: 'reason' in belief.effects ? null : belief.effects,
  };
}

export type StudyView = Readonly<ReturnType<typeof studyViewOf>>;
export type TrialView = Readonly<ReturnType<typeof trialView>>;

/**
 * Trial as figures show it. `value`: of the first objective, as its metric is defined; `score`: the same, with higher
 * being better. Both are null if it is undefined.
 */
function trialView({ number, params, outcome }: BookedTrial, objective: Objective) {
  const done = outcome.state === 'done' ? outcome : null;
  const value = done?.objectives[0] ?? null;
  return {
    number,
    params,
    value,
    score: scoreOf(objective, value),
    values: done?.objectives ?? [],
    totalReturn: done?.headline.totalReturn ?? null,
    maxDrawdown: done?.headline.maxDrawdown ?? null,
    trades: done?.trades ?? null,
  };
}

const FORMATS: Readonly<Record<MetricEntry['unit'], Format>> = {
  percent: 'percent1',
  ratio: 'ratio',
  money: 'money',
  bps: 'tenths',
  days: 'tenths',
  marks: 'round',
  count: 'round',
};

/** Formatted value of an objective, from its score. */
export const writtenScore = ({ isLessBetter, metric }: Objective, score = NaN): string =>
  written(isLessBetter ? -score : score, formatOf({ metric }));

export const labelOfObjective = ({ name, metric }: Objective): string =>
  metric === null ? name : METRIC_TABLE[metric].label;

export const formatOf = ({ metric }: Pick<Objective, 'metric'>): Format =>
  metric === null ? 'general' : FORMATS[METRIC_TABLE[metric].unit];
