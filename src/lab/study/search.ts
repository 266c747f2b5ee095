import { paretoFront, type ParamScore } from '../search/pareto.ts';
import { scoreOf, type Objective } from '../search/objective.ts';
import type { Sampler } from '../search/sampler.ts';
import type { ParamSet } from '../search/space.ts';
import type { Span, StopRule, TrialOutcome, TrialPool, TrialTask } from '../trials/trial.ts';
import { halfScore } from '../trials/trialResult.ts';
import type { BookedTrial, StudyFile } from './studyFile.ts';

/** Trials of one search over one span, in the order in which they were proposed. */
export type SearchResult = Readonly<{
  window: number;
  span: Span;
  trials: readonly BookedTrial[];
  /** Trial with the best first objective; null if it is undefined in all. */
  best: BookedTrial | null;
  /** Trials on the Pareto front. */
  front: readonly BookedTrial[];
}>;

export type SearchOptions = Readonly<{
  window: number;
  span: Span;
  sampler: Sampler;
  objectives: readonly Objective[];
  /** Stops trials after half of their sessions if they are worse than the median of the finished ones at that point. */
  stopEarly: boolean;
  /** Annual risk-free rate as a fraction, for the ratios that stop trials. Default 0. */
  riskFree?: number | undefined;
}>;

export type SearchEnvironment = Readonly<{
  study: StudyFile;
  pool: TrialPool;
  /** Called with each trial that ends now or was booked before. */
  onTrial: (trial: BookedTrial) => void;
  /** True once no new trial should begin. */
  isStopped: () => boolean;
}>;

/** Duration of work given to a worker at once, in ms: long compared to a message, short compared to a kill. */
const SLICE_MS = 200;
/** Minimum assumed time of a trial in ms, which bounds the size of a slice. */
const LEAST_MS = 1;
/** Maximum number of trials in progress if none depends on another: no worker then waits for the slowest of a few. */
const TOGETHER = 65_536;
/** Attempts at a trial whose worker crashes. */
const ATTEMPTS = 2;
/** Number of trials that use the same stop rule; the next ones use the results of these. */
const STOP_BLOCK = 16;

/** Runs one search to its end, or returns null when stopped before. Trials already in the study are not run again. */
export async function search(
  options: SearchOptions,
  environment: SearchEnvironment,
): Promise<SearchResult | null> {
  const { window, span, sampler, objectives } = options;
  const trials: BookedTrial[] = [];
  for (;;) {
    const history = trials.map((trial) => ({
      params: trial.params,
      objectives: scoresOf(trial.outcome, objectives),
    }));
    const sets = options.stopEarly ? sampler.next(history) : proposals(sampler, history);
    if (sets.length === 0) return resultOf({ window, span, trials }, objectives);
    const together = options.stopEarly ? STOP_BLOCK : sets.length;
    for (let at = 0; at < sets.length; at += together) {
      const stop = options.stopEarly ? stopRule(trials, options) : undefined;
      const generation = { ...options, first: trials.length, stop };
      const outcomes = await runAll(sets.slice(at, at + together), generation, environment);
      if (outcomes === null) return null;
      trials.push(...outcomes);
    }
  }
}

/** Next generation; several of them if results do not influence proposals. */
function proposals(sampler: Sampler, history: readonly ParamScore[]): readonly ParamSet[] {
  const sets = [...sampler.next(history)];
  while (!sampler.isAdaptive && sets.length > 0 && sets.length < TOGETHER) {
    const more = sampler.next(history);
    if (more.length === 0) break;
    sets.push(...more);
  }
  return sets;
}

/** Scores of a trial: higher is better; null if undefined. */
export const scoresOf = (outcome: TrialOutcome, objectives: readonly Objective[]): (number | null)[] =>
  objectives.map((objective, index) =>
    outcome.state === 'done' ? scoreOf(objective, outcome.objectives[index] ?? null) : null,
  );

/** Median over the first halves of the finished trials; undefined while there are few. */
function stopRule(
  trials: readonly BookedTrial[],
  { objectives: [first], riskFree }: SearchOptions,
): StopRule | undefined {
  if (!first) return undefined;
  const halves = trials.flatMap(({ outcome }) => {
    if (outcome.state === 'stopped') return [outcome.objective];
    if (outcome.state !== 'done') return [];
    const half = outcome.returns.subarray(0, Math.ceil(outcome.returns.length / 2));
    return halfScore(half, first, riskFree === undefined ? {} : { riskFree }) ?? [];
  });
  const below = halves.sort((a, b) => a - b)[Math.floor(halves.length / 2)];
  return below === undefined || halves.length < FINISHED_MIN ? undefined : { below };
}

const FINISHED_MIN = 10;

type Generation = Pick<SearchOptions, 'window' | 'span'> &
  Readonly<{ first: number; stop: StopRule | undefined }>;

/** Runs the sets that are not booked, in slices; null when stopped before all have ended. */
async function runAll(
  sets: readonly ParamSet[],
  { window, span, first, stop }: Generation,
  { study, pool, onTrial, isStopped }: SearchEnvironment,
): Promise<readonly BookedTrial[] | null> {
  const found: (BookedTrial | undefined)[] = sets.map((params, index) => {
    const outcome = study.outcome(window, params);
    return outcome && { window, number: first + index, params, outcome };
  });
  found.forEach((trial) => trial && onTrial(trial));
  const left = sets.flatMap((params, index) => (found[index] ? [] : [{ params, index }]));
  const slices = new Slices(pool);
  let running = 0;
  const runSlice = async (slice: typeof left): Promise<void> => {
    const tasks = slice.map(({ params }): TrialTask => ({ params, span, ...(stop && { stop }) }));
    const outcomes = await runWithRetry(tasks, pool);
    slices.took(outcomes);
    const booked = slice.flatMap(({ params, index }, place) => {
      const outcome = outcomes[place];
      return outcome ? [{ trial: { window, number: first + index, params, outcome }, index }] : [];
    });
    study.book(booked.map(({ trial }) => trial));
    for (const { trial, index } of booked) {
      found[index] = trial;
      onTrial(trial);
    }
  };
  const work = async (): Promise<void> => {
    if (left.length === 0 || isStopped()) return;
    running++;
    await runSlice(left.splice(0, slices.next(left.length)));
    running--;
    await crew();
  };
  /** As many slices as the pool accepts now: workers come and go. */
  const crew = (): Promise<unknown> =>
    Promise.all(Array.from({ length: Math.max(pool.workers - running, 0) }, work));
  await crew();
  return found.every((trial) => trial !== undefined) ? found : null;
}

/** Runs tasks. A task whose worker crashed is rerun alone, because a crash ends the whole slice. */
async function runWithRetry(tasks: readonly TrialTask[], pool: TrialPool): Promise<readonly TrialOutcome[]> {
  const outcomes = [...(await pool.run(tasks))];
  for (const [index, task] of tasks.entries())
    for (let attempt = 1; attempt < ATTEMPTS && outcomes[index]?.state === 'crashed'; attempt++)
      outcomes[index] = (await pool.run([task]))[0] ?? {
        state: 'crashed',
        why: 'its worker gave no outcome',
      };
  return outcomes;
}

/** Number of trials given to a worker at once: about its time of work, but leaving trials for the other workers. */
class Slices {
  readonly #pool: TrialPool;
  #eachMs = Infinity;

  constructor(pool: TrialPool) {
    this.#pool = pool;
  }

  next(left: number): number {
    const { workers, sliceMs = SLICE_MS } = this.#pool;
    const bySpeed = Math.floor(sliceMs / Math.max(this.#eachMs, LEAST_MS));
    return Math.max(1, Math.min(bySpeed, Math.ceil(left / workers / 2)));
  }

  took(outcomes: readonly TrialOutcome[]): void {
    const times = outcomes.flatMap((outcome) => ('elapsedMs' in outcome ? [outcome.elapsedMs] : []));
    if (times.length > 0) this.#eachMs = times.reduce((sum, ms) => sum + ms, 0) / times.length;
  }
}

function resultOf(
  { window, span, trials }: Pick<SearchResult, 'window' | 'span' | 'trials'>,
  objectives: readonly Objective[],
): SearchResult {
  const ranked = trials.map((trial) => ({ trial, objectives: scoresOf(trial.outcome, objectives) }));
  const scoreOfTrial = ({ objectives: [score] }: (typeof ranked)[number]) => score ?? -Infinity;
  const best = ranked.reduce<(typeof ranked)[number] | null>(
    (leader, next) => (scoreOfTrial(next) > (leader ? scoreOfTrial(leader) : -Infinity) ? next : leader),
    null,
  );
  return {
    window,
    span,
    trials,
    best: best?.trial ?? null,
    front: paretoFront(ranked).map(({ trial }) => trial),
  };
}
