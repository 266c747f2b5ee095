import type { ParamSet } from './space.ts';

type Score = readonly (number | null)[];

const valueOf = (score: Score, index: number): number => score[index] ?? -Infinity;

/** True when a score is at least as good in each objective, and better in one. Undefined is worst. */
export const dominates = (first: Score, second: Score): boolean =>
  first.every((_, index) => valueOf(first, index) >= valueOf(second, index)) &&
  first.some((_, index) => valueOf(first, index) > valueOf(second, index));

/** Trials that no other dominates, in their order; trials with an undefined objective are excluded. */
export const paretoFront = <Trial extends Pick<ParamScore, 'objectives'>>(
  trials: readonly Trial[],
): Trial[] =>
  trials.filter(
    ({ objectives }) =>
      objectives.every((value) => value !== null) &&
      !trials.some((other) => dominates(other.objectives, objectives)),
  );

/**
 * Sets from best to worst: by front (nondominated sorting), within a front by the first objective, then by their order.
 */
export function rankOf(trials: readonly ParamScore[]): readonly ParamSet[] {
  const fronts = frontsOf(trials);
  return trials
    .map((trial, index) => ({ ...trial, index, front: fronts[index] ?? 0 }))
    .sort(
      (a, b) =>
        a.front - b.front || compare(valueOf(b.objectives, 0), valueOf(a.objectives, 0)) || a.index - b.index,
    )
    .map(({ params }) => params);
}

/** Difference that is 0 if both are undefined. */
const compare = (a: number, b: number): number => (a === b ? 0 : a - b);

/** Front number of each trial, 0 for the best. */
function frontsOf(trials: readonly ParamScore[]): readonly number[] {
  const fronts = trials.map(() => 0);
  // With a single objective, the order alone ranks them.
  if (trials.every(({ objectives }) => objectives.length === 1)) return fronts;
  let left = trials.map((_, index) => index);
  for (let front = 0; left.length > 0; front++) {
    const best = left.filter(
      (index) => !left.some((other) => dominates(scoreAt(trials, other), scoreAt(trials, index))),
    );
    for (const index of best) fronts[index] = front;
    const taken = new Set(best);
    left = left.filter((index) => !taken.has(index));
  }
  return fronts;
}

const scoreAt = (trials: readonly ParamScore[], index: number): Score => trials[index]?.objectives ?? [];

/** Finished trial as seen by a search: each objective, higher is better; null if it is undefined or failed. */
export type ParamScore = Readonly<{ params: ParamSet; objectives: readonly (number | null)[] }>;
