import { describe, expect, test } from 'vitest';
import { freshDir } from '../e2e/cli.ts';
import { resultOf, trialsIn } from '../e2e/studyKills.ts';
import { postgresFolder } from './postgres.ts';
import { freshStudy, locally, nameOf, searchOf, startQueued, startWorker, usePostgres } from './stage.ts';

describe.skipIf(postgresFolder === null)('a study on a queue', () => {
  const { server, database } = usePostgres();

  test('over two workers ends as one on this machine, trial for trial, and leaves nothing', async () => {
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
});
