import { join, resolve } from 'node:path';
import { ConfigError } from '../../../core/errors.ts';
import { systemRandom } from '../../../core/random.ts';
import { VERSION } from '../../../core/version.ts';
import { getArtifact } from '../../../lab/queue/artifacts.ts';
import { Connection } from '../../../lab/queue/connection.ts';
import { workOnQueue } from '../../../lab/queue/queueWorker.ts';
import { versionsAtWork } from '../../../lab/queue/studies.ts';
import { hasTables, JOBS } from '../../../lab/queue/tables.ts';
import type { CommandContext } from '../../../process/context.ts';
import { dataHomeOf } from '../../../process/files.ts';
import { artifactCache } from '../../../app/lab/artifactCache.ts';
import { unpackRecipe } from '../../../app/lab/packedRecipe.ts';
import { processName, troubleOn } from '../../../app/lab/queuedStudy.ts';
import { queueAddress, requireNoKeys, workersOf, type QueueFlags } from '../../../app/lab/queueAddress.ts';
import { recentPools, type RecentPools } from '../../../app/lab/recentPools.ts';
import { realmOf } from '../../../app/backtest/strategies.ts';
import { threadPool } from '../../../app/lab/threadPool.ts';
import { printResult } from '../../../process/output.ts';
import { InterruptedError } from '../../../process/terminal.ts';

type WorkerFlags = QueueFlags & Readonly<{ workers?: number; memory?: number; cache?: string }>;

/** Time in ms for running slices to record their results when the worker stops while the database is unreachable. */
const LAST_MS = 10_000;
/** Interval between two checks for a first study, in ms. */
const WAIT_MS = 1_000;

/** `drover worker`: takes slices of studies from a queue until stopped. */
export async function workerCommand(flags: WorkerFlags, context: CommandContext): Promise<number> {
  requireNoKeys(context);
  const { clock, terminal, stopSignal } = context;
  const address = queueAddress(flags, context);
  const threads = workersOf(flags.workers);
  const report = (text: string) => terminal.err(`drover: ${text}`);
  const signal = stopSignal();
  const last = new AbortController();
  const connection = await Connection.open(
    { ...address, clock, signal: last.signal, onTrouble: troubleOn(terminal.err.bind(terminal)) },
    JOBS,
  );
  signal.addEventListener(
    'abort',
    () => {
      report('ends after the slices in progress; a second signal ends it at once');
      void clock.sleep(LAST_MS, last.signal).then(
        () => last.abort(),
        () => undefined,
      );
    },
    { once: true },
  );
  const pools = poolsOf(flags, { connection, threads, report, context });
  const name = processName(context);
  report(
    `worker ${name} takes trials from ${address.shown}, ${threads} at a time; whoever can write to that database runs code here`,
  );
  try {
    await untilThere(connection, context, signal);
    await requireVersion(connection);
    const id = systemRandom.uuid();
    const done = await workOnQueue({
      connection,
      id,
      name,
      threads,
      poolOf: pools.get,
      clock,
      signal,
      report,
    });
    return printResult(context, { worker: name, ...done }, `${done.trials} trials in ${done.slices} slices`);
  } catch (error) {
    if (!last.signal.aborted) throw error;
    throw new InterruptedError(
      'stopped while the queue was unreachable: another worker repeats trials that were not recorded',
    );
  } finally {
    last.abort();
    await pools.close();
    await connection.close();
  }
}

type PoolsGiven = Readonly<{
  connection: Connection;
  threads: number;
  report: (text: string) => void;
  context: CommandContext;
}>;

/** Threads for the current studies, with bars and code from the folder or the queue. */
function poolsOf(
  { cache, memory }: WorkerFlags,
  { connection, threads, report, context }: PoolsGiven,
): RecentPools {
  const { clock, cwd, env } = context;
  const folder = cache === undefined ? join(dataHomeOf(env), 'drover', 'queue') : resolve(cwd, cache);
  const read = artifactCache({ folder, fetch: (hash) => getArtifact(connection, hash), clock, report });
  return recentPools(async (recipe) =>
    threadPool(await unpackRecipe(recipe, read), {
      workers: threads,
      apart: true,
      clock,
      realm: realmOf(context),
      ...(memory !== undefined && { memoryMb: memory }),
    }),
  );
}

/** Waits for the first study of a database. */
async function untilThere(
  { query, boss }: Connection,
  { clock }: CommandContext,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && !(await hasTables(query)))
    await clock.sleep(WAIT_MS, signal).catch(() => undefined);
  if (!signal.aborted) await boss.start();
}

/** @throws {ConfigError} when all unfinished studies are of other versions: this worker would wait forever */
async function requireVersion(connection: Connection): Promise<void> {
  const versions = await versionsAtWork(connection);
  if (versions.length === 0 || versions.includes(VERSION)) return;
  throw new ConfigError(
    `the studies in this queue are of drover ${versions.join(', ')}, and this worker is of ${VERSION}, whose results may differ. Install the same version on both sides`,
  );
}
