import { hostname } from 'node:os';
import { systemRandom } from '../../core/random.ts';
import { putArtifact, sweepArtifacts } from '../../lab/queue/artifacts.ts';
import { Connection } from '../../lab/queue/connection.ts';
import { QueuePool } from '../../lab/queue/queuePool.ts';
import { removeSlices } from '../../lab/queue/slices.ts';
import { claimStudy, sweepStudies } from '../../lab/queue/studies.ts';
import { JOBS, makeTables } from '../../lab/queue/tables.ts';
import { sweepWorkers, type SeenWorker } from '../../lab/queue/workers.ts';
import { identityHash } from '../../lab/study/identity.ts';
import type { StudyIdentity } from '../../lab/study/studyFile.ts';
import type { CommandContext } from '../../process/context.ts';
import { InterruptedError } from '../../process/terminal.ts';
import { packRecipe } from './packedRecipe.ts';
import type { QueueAddress } from './queueAddress.ts';
import type { TrialRecipe } from './trialRecipe.ts';

type StudyParts = Readonly<{
  address: QueueAddress;
  /** Name of the study for people. */
  name: string;
  identity: StudyIdentity;
  recipe: TrialRecipe;
  signal: AbortSignal;
  /** Called occasionally with the currently known workers. */
  onWorkers: (workers: readonly SeenWorker[]) => void;
}>;

/** A study whose trials run on workers elsewhere. `close` leaves the queue and the database. */
export type QueuedStudyPool = Readonly<{ pool: QueuePool; close: (hasEnded: boolean) => Promise<void> }>;

/** Name of this process, for people, and with a part that makes it unique in the queue. */
export const processName = ({ pid }: CommandContext): string => `${hostname()}:${pid}`;

/**
 * Adds a study to the queue.
 * @throws {ConfigError} for a queue that refuses it, or a study that another process is running
 * @throws {NoAnswerError} for a queue that does not respond
 */
export async function queuedStudy(given: StudyParts, context: CommandContext): Promise<QueuedStudyPool> {
  const { address, name, identity, recipe, signal, onWorkers } = given;
  const { clock, terminal } = context;
  const connection = await Connection.open(
    { ...address, clock, signal, onTrouble: troubleOn(terminal.err.bind(terminal)) },
    JOBS,
  );
  try {
    await makeTables(connection);
    const coordinator = `${processName(context)} ${systemRandom.uuid()}`;
    const study = { id: identityHash(identity), name, coordinator };
    await claimStudy(connection, study, { clock, signal });
    await Promise.all([sweepStudies(connection), sweepArtifacts(connection), sweepWorkers(connection)]);
    await removeSlices(connection, study.id);
    const hashes = await packRecipe(recipe, (bytes) => putArtifact(connection, bytes));
    const pool = new QueuePool({
      connection,
      study,
      recipe: hashes.recipe,
      artifacts: [hashes.recipe, ...hashes.bars],
      clock,
      random: systemRandom,
      signal,
      onWorkers,
    });
    return {
      pool,
      async close(hasEnded) {
        // If the database is unreachable, the study's lease expires by itself.
        await pool.close(hasEnded).catch(() => undefined);
        await connection.close();
      },
    };
  } catch (error) {
    await connection.close();
    if (!signal.aborted) throw error;
    throw new InterruptedError(`stopped before ${name} was in the queue; no trial was run`);
  }
}

/** Reports when the queue becomes unreachable, and when it is back. */
export const troubleOn =
  (err: (text: string) => void) =>
  (why: string | null): void =>
    err(
      why === null
        ? 'drover: the queue is reachable again'
        : `drover: the queue is unreachable (${why}); trying again until it answers`,
    );
