import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import { drover, freshDir, start, type Done, type Running } from '../e2e/cli.ts';
import { barsFile } from '../e2e/studyKills.ts';
import { PASSWORD, startPostgres, type Postgres } from './postgres.ts';

/** Programs started by the tests of this file: they end with the file, because its tests run at the same time. */
const begun: Running[] = [];

function begin(args: readonly string[], env: Readonly<Record<string, string>>): Running {
  const running = start(args, env);
  begun.push(running);
  return running;
}

/** A server for the tests of a file, in which each test has a database of its own. */
export function usePostgres(): Readonly<{ server: () => Postgres; database: () => Promise<string> }> {
  let server: Postgres | null = null;
  let count = 0;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(async () => {
    for (const { child } of begun.splice(0)) child.kill('SIGKILL');
    await server?.remove();
  });
  const started = (): Postgres => {
    if (!server) throw new Error('the server has not been started');
    return server;
  };
  return { server: started, database: () => started().database(`q${++count}`) };
}

/** Name of the database of an address. */
export const nameOf = (url: string): string => new URL(url).pathname.slice(1);

const SECRET = { DROVER_QUEUE: PASSWORD };

/** Starts a worker of one thread. */
export function startWorker(queue: string, more: readonly string[] = [], env = {}): Running {
  const args = ['worker', '--queue', queue, '--workers', '1', '--json', ...more];
  return begin(args, { ...SECRET, ...env });
}

const bars = new Map<number, string>();

/** Arguments of a search without sleeps: bars of a random walk, and a bundled strategy. */
export function searchOf(trials: number, sessions = 600): readonly string[] {
  const file = bars.get(sessions) ?? barsFile(sessions);
  bars.set(sessions, file);
  return [
    ['optimise', '--strategy', 'sma-cross', '--params', '{"symbol":"X"}', '--bars', `X=${file}`],
    ['--fill', 'next-open', '--space', '{"fast":{"min":2,"max":40},"slow":{"min":41,"max":160}}'],
    ['--method', 'random', '--trials', String(trials), '--json'],
  ].flat();
}

/** Runs a search on threads of its own process. */
export const locally = (args: readonly string[], study: string): Promise<Done> =>
  drover([...args, '--study', study]);

/** Starts a search whose trials go to a queue. */
export const startQueued = (args: readonly string[], queue: string, study: string): Running =>
  begin([...args, '--queue', queue, '--study', study], SECRET);

/** Waits until `holds` returns true. */
export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await sleep(50);
}

/** Waits until a queue has so many results. */
export const untilBooked = (server: Postgres, queue: string, count: number): Promise<void> =>
  until(async () => {
    const counted = 'SELECT count(*)::int AS count FROM drover.result';
    const [row] = await server.sql<{ count: number }>(nameOf(queue), counted).catch(() => []);
    return (row?.count ?? 0) >= count;
  });

export const freshStudy = (): string => join(freshDir(), 'a.study');

/** Slices that were put into a queue. */
export async function slicesIn(server: Postgres, queue: string): Promise<number> {
  const counted = 'SELECT count(*)::int AS count FROM drover_jobs.job';
  const [row] = await server.sql<{ count: number }>(nameOf(queue), counted).catch(() => []);
  return row?.count ?? 0;
}

/** Statements of a strategy that keep a processor busy for some 50 ms of a backtest. */
export const WORK = 'for (let i = 0; i < 150_000; i++) bars += i % 2 === 0 ? 1 : -1;';

/** Writes a strategy on daily bars of X with parameter `n`, 1 to 200, whose `onBar` begins with these statements. */
export function strategyFile(onBar: string): string {
  const file = join(freshDir(), 'mine.ts');
  writeFileSync(
    file,
    `import { defineStrategy } from 'drover/strategy';
import { z } from 'zod';
export default defineStrategy({
  name: 'mine',
  description: 'of a test',
  params: z.strictObject({ n: z.int().min(1).max(200) }),
  data: () => ({ bars: [{ symbol: 'X', interval: '1d' }] }),
  create({ params: { n } }) {
    let bars = 0;
    return {
      onBar({ view, order }) {
        bars++;
        ${onBar}
        if (bars % (n + 3) === 0) order.target('X', { weight: view.position('X') > 0 ? 0 : 1 }, 'in turns');
      },
    };
  },
});
`,
  );
  return file;
}

/** Arguments of a grid over `n` of such a strategy. */
export function gridOf(strategy: string, last: number, sessions = 300): readonly string[] {
  const file = bars.get(sessions) ?? barsFile(sessions);
  bars.set(sessions, file);
  const space = JSON.stringify({ n: { min: 1, max: last, step: 1 } });
  return [
    ['optimise', '--strategy', strategy, '--bars', `X=${file}`, '--fill', 'next-open'],
    ['--space', space, '--method', 'grid', '--json'],
  ].flat();
}
