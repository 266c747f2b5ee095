import { messageOf } from '../../core/errors.ts';
import type { TrialOutcome, TrialPool, TrialRunner } from './trial.ts';

/** Pool of one worker in this thread, for programs and for a machine of one core. */
export const localPool = (runner: TrialRunner): TrialPool => ({
  workers: 1,
  async run(tasks) {
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
