import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../src/core/seededRandom.ts';
import type { Running } from '../e2e/cli.ts';
import { resultOf, trialsIn } from '../e2e/studyKills.ts';
import { postgresFolder } from './postgres.ts';
import {
  freshStudy,
  locally,
  searchOf,
  startQueued,
  startWorker,
  untilBooked,
  usePostgres,
} from './stage.ts';

const TRIALS = 2_000;
const SESSIONS = 3_700;
const KILLS = 30;
/** Kills after which the server restarts; in the second of the three it crashes. */
const RESTARTS: Readonly<Record<number, 'fast' | 'kill'>> = { 8: 'fast', 16: 'kill', 24: 'fast' };
const WORKERS = 3;

describe.skipIf(postgresFolder === null)('2,000 trials over three workers', () => {
  const { server, database } = usePostgres();

  test(
    'with 30 kills of workers and 3 restarts of the database end as on one machine',
    { timeout: 1_200_000 },
    async () => {
      const random = seededRandom('queue kills');
      const queue = await database();
      const args = searchOf(TRIALS, SESSIONS);
      const [here, there] = [freshStudy(), freshStudy()];
      const queued = startQueued(args, queue, there);
      const workers: Running[] = Array.from({ length: WORKERS }, () => startWorker(queue));
      const progress = { isOver: false };
      void queued.done.then(() => (progress.isOver = true));
      let met = 0;
      await untilBooked(server(), queue, 1);
      for (let kill = 1; kill <= KILLS; kill++) {
        await sleep(1_000 + random.next() * 2_000);
        const index = Math.floor(random.next() * WORKERS);
        workers[index]?.child.kill('SIGKILL');
        workers[index] = startWorker(queue);
        met += progress.isOver ? 0 : 1;
        const how = RESTARTS[kill];
        if (how === undefined) continue;
        await server().stop(how);
        await sleep(1_000);
        await server().start();
      }
      const ended = await queued.done;
      expect(ended.code, ended.err).toBe(0);
      expect(met).toBe(KILLS);
      const expected = await locally(args, here);
      expect(trialsIn(there)).toHaveLength(TRIALS);
      expect(trialsIn(there)).toEqual(trialsIn(here));
      expect(JSON.stringify(resultOf(ended))).toBe(JSON.stringify(resultOf(expected)));
    },
  );
});
