import { existsSync } from 'node:fs';
import { Piscina } from 'piscina';
import type { Clock } from '../../core/clock.ts';
import { codeOf, ConfigError, messageOf } from '../../core/errors.ts';
import { localPool } from '../../lab/trials/localPool.ts';
import { StudyTrials } from '../../lab/trials/studyTrials.ts';
import type { TrialOutcome, TrialPool } from '../../lab/trials/trial.ts';
import { programFile } from '../../process/files.ts';
import type { Realm } from '../strategies/loadStrategy.ts';
import { setupOf, type TrialRecipe } from './trialRecipe.ts';

type PoolOptions = Readonly<{
  workers: number;
  /** Maximum memory of one thread, in MB, without the shared bars. Default: that of the runtime. */
  memoryMb?: number;
  /** Leaves this thread free of trials, even for one worker. Default: one worker needs no thread of its own. */
  apart?: boolean;
  clock: Clock;
  /** This thread, where it runs trials. */
  realm: Realm;
}>;

/** File of the threads; absent if the program runs from its sources. */
const threadFile = (): string | null => {
  const file = programFile('trialThread.js');
  return existsSync(file) ? file : null;
};

/** Pool of threads that share the bars; from sources, or for one worker that need not be apart, trials run in this thread. */
export async function threadPool(recipe: TrialRecipe, options: PoolOptions): Promise<TrialPool> {
  const { workers, memoryMb, clock, realm, apart = false } = options;
  const file = threadFile();
  if (file === null || (workers === 1 && !apart))
    return localPool(new StudyTrials(await setupOf(recipe, clock, realm)), clock);
  const threads = new Piscina({
    filename: file,
    workerData: recipe,
    minThreads: workers,
    maxThreads: workers,
    concurrentTasksPerWorker: 1,
    env: {},
    argv: [],
    execArgv: [],
    ...(memoryMb !== undefined && { resourceLimits: { maxOldGenerationSizeMb: memoryMb } }),
  });
  // A thread that goes down before it has a task takes none, and nobody would answer the tasks that wait for one.
  const notBegun = new Promise<never>((_resolve, reject) => {
    threads.on('error', (error: unknown) => {
      reject(
        new ConfigError(`a thread for trials could not begin: ${crashText(error)}`, {}, { cause: error }),
      );
    });
  });
  notBegun.catch(() => undefined);
  return {
    workers,
    async run(tasks) {
      try {
        return await Promise.race([threads.run(tasks) as Promise<readonly TrialOutcome[]>, notBegun]);
      } catch (error) {
        if (error instanceof ConfigError) throw error;
        // The thread went down with all of its tasks; each is tried again by itself.
        return tasks.map((): TrialOutcome => ({ state: 'crashed', why: crashText(error) }));
      }
    },
    close: () => threads.destroy(),
  };
}

const crashText = (error: unknown): string =>
  codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY'
    ? 'its worker ran out of memory. Give each more by --memory MB, or use fewer --workers'
    : `its worker crashed: ${messageOf(error)}`;
