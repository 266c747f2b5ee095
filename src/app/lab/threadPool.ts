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
  /** Maximum memory of one thread in MB, without the shared bars. Default: the runtime's. */
  memoryMb?: number;
  /** Runs no trials in this thread, even for one worker. Default: a single worker uses this thread. */
  apart?: boolean;
  clock: Clock;
  /** Realm of this thread, for trials that it runs. */
  realm: Realm;
}>;

/** Entry file of the threads; null if the program runs from source. */
const threadFile = (): string | null => {
  const file = programFile('trialThread.js');
  return existsSync(file) ? file : null;
};

/** Pool of threads that share the bars; from source, or for one worker that may run here, trials run in this thread. */
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
  // A thread that crashes before its first task takes none, and tasks waiting for one would never complete.
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
        // The thread crashed with all its tasks; each is retried by itself.
        return tasks.map((): TrialOutcome => ({ state: 'crashed', why: crashText(error) }));
      }
    },
    close: () => threads.destroy(),
  };
}

const crashText = (error: unknown): string =>
  codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY'
    ? 'its worker ran out of memory. Give each more with --memory MB, or use fewer --workers'
    : `its worker crashed: ${messageOf(error)}`;
