import type { ParamSet } from '../src/lab/search/space.ts';
import { localPool } from '../src/lab/trials/localPool.ts';
import { StudyTrials } from '../src/lab/trials/studyTrials.ts';
import { labStudy, taskOf, type LabEngine } from './labStudy.ts';

/** Runs the trials it receives, one set of parameters each, and reports when they have ended. */
const { setup } = await labStudy(process.argv[2] as LabEngine);
const pool = localPool(new StudyTrials(setup));
process.on('message', (sets: ParamSet[]) => {
  void pool.run(sets.map(taskOf)).then((outcomes) => process.send?.(outcomes.length));
});
process.send?.('ready');
