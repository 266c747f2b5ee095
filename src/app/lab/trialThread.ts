import { workerData } from 'node:worker_threads';
import { systemClock } from '../../core/clock.ts';
import { printable } from '../../core/printable.ts';
import { localPool } from '../../lab/trials/localPool.ts';
import { StudyTrials } from '../../lab/trials/studyTrials.ts';
import type { TrialOutcome, TrialTask } from '../../lab/trials/trial.ts';
import { lockRealm } from '../realm/realm.ts';
import { setupOf, type TrialRecipe } from './trialRecipe.ts';

/** Thread of a pool: runs the trials that it receives. Its code and bars are loaded once. */
const pool = setupOf(workerData as TrialRecipe, systemClock, {
  lock: lockRealm,
  print: (text) => void process.stderr.write(printable(text)),
}).then((setup) => localPool(new StudyTrials(setup)));

export default async (tasks: readonly TrialTask[]): Promise<readonly TrialOutcome[]> =>
  (await pool).run(tasks);
