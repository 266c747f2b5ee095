import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { Connection } from '../../src/lab/queue/connection.ts';
import { hasTables, JOBS, makeTables } from '../../src/lab/queue/tables.ts';
import { freshDir } from '../e2e/cli.ts';
import { resultOf, trialsIn } from '../e2e/studyKills.ts';
import { PASSWORD, postgresFolder } from './postgres.ts';
import {
  freshStudy,
  locally,
  nameOf,
  searchOf,
  slicesIn,
  startQueued,
  startWorker,
  until,
  usePostgres,
} from './stage.ts';

describe.skipIf(postgresFolder === null)('a study on a queue', () => {
  const { server, database } = usePostgres();

  test('over two workers ends as on this machine, trial for trial, and leaves nothing in the database', async () => {
    const queue = await database();
    const args = [...searchOf(60), '--walk-forward', '1y/6m'];
    const [here, there] = [freshStudy(), freshStudy()];
    const expected = await locally(args, here);
    const cache = freshDir();
    const workers = [1, 2].map(() => startWorker(queue, ['--cache', cache]));
    const queued = await startQueued(args, queue, there).done;
    expect(queued.code, queued.err).toBe(0);
    expect(trialsIn(there)).toEqual(trialsIn(here));
    expect(resultOf(queued)).toEqual(resultOf(expected));
    for (const { child } of workers) child.kill('SIGTERM');
    const ends = await Promise.all(workers.map(({ done }) => done));
    expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    const trials = ends.map(({ out }) => (JSON.parse(out) as { trials: number }).trials);
    expect(trials[0]).toBeGreaterThan(0);
    expect((trials[0] ?? 0) + (trials[1] ?? 0)).toBe(trialsIn(here).length);
    const left = await server().sql<{ count: string }>(
      nameOf(queue),
      `SELECT (SELECT count(*) FROM drover.result) + (SELECT count(*) FROM drover.study)
       + (SELECT count(*) FROM drover_jobs.job WHERE state < 'completed') AS count`,
    );
    expect(left).toEqual([{ count: '0' }]);
  });

  test('is run by workers of the role that docs/queue.md describes, which can change nothing else there', async () => {
    const queue = await database();
    const rights = /```sql\n([^]*?)```/.exec(readFileSync('docs/queue.md', 'utf8'))?.[1] ?? '';
    const study = freshStudy();
    const queued = startQueued(searchOf(20), queue, study);
    await until(async () => (await slicesIn(server(), queue)) > 0);
    await server().sql(nameOf(queue), rights);
    const url = new URL(queue);
    url.username = 'worker';
    const worker = startWorker(url.href, [], { DROVER_QUEUE: 'another password' });
    const ended = await queued.done;
    expect(ended.code, ended.err).toBe(0);
    worker.child.kill('SIGTERM');
    expect((await worker.done).code).toBe(0);
    const forbidden = [
      "INSERT INTO drover.artifact (hash, parts) VALUES ('x', 1)",
      "INSERT INTO drover.artifact_part VALUES ('x', 0, '')",
      'DELETE FROM drover.artifact',
      "INSERT INTO drover.study (id, name, version, coordinator) VALUES ('x', 'x', 'x', 'x')",
      "INSERT INTO drover_jobs.job (name) VALUES ('slices')",
      "UPDATE drover_jobs.job SET data = '{}'",
      'UPDATE drover.result SET outcome = $$x$$',
      'CREATE SCHEMA mine',
    ];
    for (const statement of forbidden)
      await expect(server().sql(nameOf(queue), `SET ROLE worker; ${statement}`), statement).rejects.toThrow(
        'permission denied',
      );
  });

  test('has its tables made once, however many clients begin at once', async () => {
    const url = new URL(await database());
    url.password = encodeURIComponent(PASSWORD);
    const { signal } = new AbortController();
    const given = { url: url.href, shown: 'here', clock: systemClock, signal, onTrouble: () => undefined };
    const all = await Promise.all(Array.from({ length: 6 }, () => Connection.open(given, JOBS)));
    await Promise.all(all.map(makeTables));
    for (const connection of all) expect(await hasTables(connection.query)).toBe(true);
    await Promise.all(all.map((connection) => connection.close()));
  });

  test('with the name of another one gets its own results', async () => {
    const queue = await database();
    const signals = searchOf(25).map((word) => (word === 'sma-cross' ? 'sma-signals' : word));
    const searches = [searchOf(25), signals];
    const studies = searches.map(() => join(freshDir(), 'same.study'));
    const queued = searches.map((args, index) => startQueued(args, queue, studies[index] ?? ''));
    startWorker(queue);
    for (const [index, { done }] of queued.entries()) {
      const { code, err } = await done;
      expect(code, err).toBe(0);
      const here = freshStudy();
      await locally(searches[index] ?? [], here);
      expect(trialsIn(studies[index] ?? '')).toEqual(trialsIn(here));
    }
  });

  test('stopped without a worker ends at once, and says how to resume', async () => {
    const queue = await database();
    const queued = startQueued(searchOf(20), queue, freshStudy());
    await until(async () => (await slicesIn(server(), queue)) > 0);
    queued.child.kill('SIGINT');
    const { code, err } = await queued.done;
    expect([code, err]).toEqual([130, expect.stringContaining('the same command with --resume continues')]);
  });

  test('of another version refuses a worker', async () => {
    const queue = await database();
    const queued = startQueued(searchOf(20), queue, freshStudy());
    await until(async () => (await slicesIn(server(), queue)) > 0);
    queued.child.kill('SIGKILL');
    await queued.done;
    await server().sql(
      nameOf(queue),
      "UPDATE drover.study SET version = '0.0.1', seen_at = now() + interval '1 hour'",
    );
    const { code, err } = await startWorker(queue).done;
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(
        /are of drover 0\.0\.1, and this worker is of .*Install the same version on both sides/,
      ),
    ]);
  });
});
