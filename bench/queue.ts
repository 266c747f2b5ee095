import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { systemClock } from '../src/core/clock.ts';
import { systemRandom } from '../src/core/random.ts';
import { Connection } from '../src/lab/queue/connection.ts';
import { QueuePool } from '../src/lab/queue/queuePool.ts';
import { workOnQueue } from '../src/lab/queue/queueWorker.ts';
import { claimStudy } from '../src/lab/queue/studies.ts';
import { JOBS, makeTables } from '../src/lab/queue/tables.ts';
import { objectivesOf } from '../src/lab/search/objective.ts';
import { samplerOf } from '../src/lab/search/sampler.ts';
import { search } from '../src/lab/study/search.ts';
import { openStudy, WHOLE } from '../src/lab/study/studyFile.ts';
import type { TrialOutcome, TrialPool } from '../src/lab/trials/trial.ts';
import { barsFile } from '../test/e2e/studyKills.ts';
import { PASSWORD, postgresFolder, startPostgres } from '../test/queue/postgres.ts';
import { median, timed, type Result } from './result.ts';

/** Sessions of a trial: its returns are booked. */
const SESSIONS = 750;
/** Time in ms that a trial waits. */
const TRIAL_MS = 20;
const WAITING = [1, 8, 32, 60] as const;

const none = { totalReturn: 0, cagr: 0, volatility: 0, sharpe: 0, sortino: 0, maxDrawdown: 0, calmar: 0 };

/** Outcome of a trial that computed nothing. */
const outcomeOf = (elapsedMs: number): TrialOutcome => ({
  state: 'done',
  runId: systemRandom.uuid(),
  objectives: [systemRandom.next()],
  why: null,
  headline: none,
  trades: 1,
  fees: 0,
  returns: new Float64Array(SESSIONS).fill(0.001),
  elapsedMs,
});

/** Threads that wait instead of computing. @param ms for each trial; @param stated as its time */
const idlePool = (ms: number, stated: number): TrialPool => ({
  workers: 1,
  async run(tasks) {
    if (ms > 0) await systemClock.sleep(ms * tasks.length);
    return tasks.map(() => outcomeOf(stated));
  },
  close: () => Promise.resolve(),
});

type WaitingStudy = Readonly<{ url: string; workers: number; trials: number; pool: TrialPool }>;

/** Searches over workers that compute nothing; gives the time from the first slice to the last result, in ms. */
async function searchOver({ url, workers, trials, pool }: WaitingStudy): Promise<number> {
  const { signal } = new AbortController();
  const ending = new AbortController();
  const given = { url, shown: 'here', clock: systemClock, signal, onTrouble: () => undefined };
  const own = await Connection.open(given, JOBS);
  await makeTables(own);
  const connections = await Promise.all(Array.from({ length: workers }, () => Connection.open(given, JOBS)));
  const working = connections.map(async (connection, index) => {
    await connection.boss.start();
    const id = systemRandom.uuid();
    const poolOf = () => Promise.resolve(pool);
    const report = () => undefined;
    const who = { id, name: `worker ${index}`, threads: 1, report };
    return workOnQueue({ connection, ...who, poolOf, clock: systemClock, signal: ending.signal });
  });
  await systemClock.sleep(500);
  const study = { id: systemRandom.uuid(), name: 'bench', coordinator: systemRandom.uuid() };
  await claimStudy(own, study, { clock: systemClock, signal });
  const queue = new QueuePool({
    connection: own,
    study,
    recipe: 'none',
    artifacts: [],
    clock: systemClock,
    random: systemRandom,
    signal,
    onWorkers: () => undefined,
  });
  const file = openStudy(':memory:', { identity: { space: 'bench' }, resume: false });
  const space = [{ name: 'x', kind: 'range', min: 0, max: 1, log: false }] as const;
  const sampler = samplerOf({ space, method: 'random', trials, seed: 1, accepts: () => true });
  const span = { from: -Infinity, to: Infinity };
  const ms = await timed(() =>
    search(
      { window: WHOLE, span, sampler, objectives: objectivesOf('sharpe'), stopEarly: false },
      { study: file, pool: queue, onTrial: () => undefined, isStopped: () => false },
    ),
  );
  await queue.close(true);
  ending.abort();
  await Promise.all(working);
  await Promise.all([own, ...connections].map((connection) => connection.close()));
  file.close();
  return ms;
}

const MAIN = fileURLToPath(new URL('../bin/main.js', import.meta.url));
const result = z.object({ elapsedMs: z.number() });
const ROUNDS = 3;

/** Arguments of a search that computes: `trials` backtests over ten years of daily bars. */
const computing = (bars: string, trials: number): string[] =>
  [
    ['optimise', '--strategy', 'sma-cross', '--params', '{"symbol":"X"}', '--bars', `X=${bars}`],
    ['--fill', 'venue', '--space', '{"fast":{"min":2,"max":40},"slow":{"min":41,"max":160}}'],
    ['--method', 'random', '--trials', String(trials), '--json'],
  ].flat();

const [FEW, MANY] = [50, 1_050];

/** Trials per second of a search, without the command's start and end: computed from the difference of two searches. */
async function speedOf(bars: string, more: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const times: number[] = [];
  for (const trials of [FEW, MANY]) {
    const study = join(mkdtempSync(join(tmpdir(), 'drover-bench-')), 'a.study');
    const args = [MAIN, ...computing(bars, trials), ...more, '--study', study];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } });
    times.push(result.parse(JSON.parse(stdout)).elapsedMs);
  }
  return ((MANY - FEW) * 1_000) / ((times[1] ?? NaN) - (times[0] ?? NaN));
}

/** Two workers that compute against two threads of one process, alternating. */
async function compute(queue: string): Promise<Result> {
  const bars = barsFile(2_500);
  const env = { DROVER_QUEUE: PASSWORD };
  const ratios: number[] = [];
  const speeds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const local = await speedOf(bars, ['--workers', '2'], {});
    const workers: ChildProcess[] = [1, 2].map(() =>
      spawn(process.execPath, [MAIN, 'worker', '--queue', queue, '--workers', '1'], {
        env: { ...process.env, ...env },
        stdio: 'ignore',
      }),
    );
    const remote = await speedOf(bars, ['--queue', queue], env);
    for (const worker of workers) worker.kill('SIGTERM');
    speeds.push(remote);
    ratios.push(remote / local);
  }
  const ratio = { vs: 'two local threads', x: median(ratios) };
  return { name: 'queue-compute', value: median(speeds), unit: 'trials/s', ratio };
}

/** Trials over a PostgreSQL on this machine, synced to its disk. Needs what `npm run queue` installs. */
export async function queue(): Promise<Result[]> {
  if (postgresFolder === null) return [];
  const server = await startPostgres([]);
  try {
    const plain = await server.database('bench');
    const address = new URL(plain);
    address.password = encodeURIComponent(PASSWORD);
    const url = address.href;
    const results: Result[] = [];
    const books = async (name: string, trials: number, stated: number) => {
      const ms = await searchOver({ url, workers: 8, trials, pool: idlePool(0, stated) });
      results.push({ name, value: (trials * 1_000) / ms, unit: 'trials/s' });
    };
    await books('queue-book', 20_000, TRIAL_MS);
    await books('queue-slices', 2_000, 10_000);
    for (const workers of WAITING) {
      const trials = Math.round((workers * 12_000) / TRIAL_MS);
      const ms = await searchOver({ url, workers, trials, pool: idlePool(TRIAL_MS, TRIAL_MS) });
      const x = (trials * TRIAL_MS) / workers / ms;
      const ratio = { vs: 'workers without a queue', x };
      results.push({ name: `queue-wait-${workers}`, value: (trials * 1_000) / ms, unit: 'trials/s', ratio });
    }
    return [...results, await compute(plain)];
  } finally {
    await server.remove();
  }
}
