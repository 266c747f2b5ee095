import { StrategyError } from '../../core/errors.ts';
import type { TrialResult, TrialRunner } from '../trials/trial.ts';
import type { SearchResult } from './search.ts';
import type { BookedTrial } from './studyFile.ts';

type DoneTrial = BookedTrial & Readonly<{ outcome: TrialResult }>;

const isDone = (trial: BookedTrial): trial is DoneTrial => trial.outcome.state === 'done';

/** Largest relative difference between two runs of a trial: Node.js versions may differ in a function's last digit. */
const TOLERANCE = 1e-9;

/**
 * Repeats the best trial and the one proposed furthest from it, later one first: state that a strategy file keeps
 * between backtests then differs.
 * @throws {StrategyError} for a trial with a different result
 */
export async function requireRepeatable(
  { trials, best, span }: SearchResult,
  runner: TrialRunner,
): Promise<void> {
  if (best === null || !isDone(best)) return;
  const away = ({ number }: BookedTrial) => Math.abs(number - best.number);
  const furthest = trials
    .filter(isDone)
    .reduce((one, other) => (away(other) > away(one) ? other : one), best);
  const chosen = [...new Set([best, furthest])].sort((a, b) => b.number - a.number);
  for (const { params, outcome } of chosen) {
    const again = await runner.run({ params, span });
    if (again.state !== 'done' || !isSame(again, outcome)) throw unrepeatable(params);
  }
}

function isSame(one: TrialResult, other: TrialResult): boolean {
  const [values, others] = [one, other].map(({ objectives, returns }) => [
    returns.length,
    ...objectives,
    ...returns,
  ]) as [(number | null)[], (number | null)[]];
  return values.every((value, index) => isNear(value, others[index] ?? null));
}

const isNear = (one: number | null, other: number | null): boolean =>
  one === null || other === null
    ? one === other
    : Math.abs(one - other) <= TOLERANCE * Math.max(1, Math.abs(one), Math.abs(other));

const unrepeatable = (params: BookedTrial['params']): StrategyError =>
  new StrategyError(
    `the trial of ${JSON.stringify(params)} gives another result when repeated, so no result of this study is valid. ` +
      'The strategy, its fill model or its objective keeps state from one backtest to the next, at the top of its file: ' +
      'create it in `create`. With a queue, make sure that all workers use the same version of Node.js',
  );
