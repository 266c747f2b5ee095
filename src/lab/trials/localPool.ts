import type { Clock } from '../../core/clock.ts';
import { messageOf } from '../../core/errors.ts';
import type { TrialOutcome, TrialPool, TrialRunner } from './trial.ts';

/**
 * Pool with one worker in this thread, for programs and single-core machines.
 * @param clock lets signals and timers run between two trials
 */
export const localPool = (runner: TrialRunner, clock?: Clock): TrialPool => ({
  workers: 1,
  async run(tasks) {
    await clock?.sleep(0);
    const outcomes: TrialOutcome[] = [];
    for (const task of tasks)
      outcomes.push(
        await runner
          .run(task)
          .catch((error: unknown) => ({ state: 'crashed' as const, why: messageOf(error) })),
      );
    return outcomes;
  },
  close: () => Promise.resolve(),
});
