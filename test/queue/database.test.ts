import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Running } from '../e2e/cli.ts';
import { resultOf, trialsIn } from '../e2e/studyKills.ts';
import { postgresFolder } from './postgres.ts';
import { startRelay } from './relay.ts';
import {
  freshStudy,
  gridOf,
  locally,
  nameOf,
  startQueued,
  startWorker,
  strategyFile,
  untilBooked,
  usePostgres,
  WORK,
} from './stage.ts';

/** Longer than the wait for a response, in ms. */
const SLOW_MS = 63_000;
const AWAY = /the queue is unreachable \(.*\); trying again until it answers/;
const BACK = /the queue is reachable again/;

describe.skipIf(postgresFolder === null)(
  'a study on a queue gives the same result as without one, although its database',
  () => {
    const { server, database } = usePostgres();
    const strategy = strategyFile(WORK);
    const args = gridOf(strategy, 100);
    const through = (queue: string, port: number): string => {
      const url = new URL(queue);
      url.port = String(port);
      return url.href;
    };

    /** Runs a grid on a queue with one worker, while `disturb` acts on the database. */
    async function sameDespite(queue: string, disturb: (sides: readonly Running[]) => Promise<void>) {
      const study = freshStudy();
      const queued = startQueued(args, queue, study);
      const worker = startWorker(queue);
      await disturb([queued, worker]);
      const ended = await queued.done;
      expect(ended.code, ended.err).toBe(0);
      const here = freshStudy();
      expect(resultOf(ended)).toEqual(resultOf(await locally(args, here)));
      expect(trialsIn(study)).toEqual(trialsIn(here));
      worker.child.kill('SIGTERM');
      expect((await worker.done).code).toBe(0);
      return [ended.err, (await worker.done).err];
    }

    test.concurrent('loses the connection in a commit, before or after it', async () => {
      const queue = await database();
      const relay = await startRelay(server().port, (commit) =>
        commit % 3 === 0 ? (commit % 2 === 0 ? 'lost' : 'unanswered') : 'pass',
      );
      await sameDespite(through(queue, relay.port), () => Promise.resolve());
      expect(relay.cut).toBeGreaterThan(2);
      await relay.close();
    });

    test.concurrent('is slow for a minute', async () => {
      const queue = await database();
      const relay = await startRelay(server().port);
      await sameDespite(through(queue, relay.port), async () => {
        await untilBooked(server(), queue, 20);
        relay.stall();
        await sleep(SLOW_MS);
        relay.flow();
      });
      await relay.close();
    });

    test.concurrent('refuses connections for a while', async () => {
      const queue = await database();
      const name = nameOf(queue);
      const said = await sameDespite(queue, async () => {
        await untilBooked(server(), queue, 20);
        await server().sql('postgres', `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
        const end = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1';
        await server().sql('postgres', end, [name]);
        await sleep(3_000);
        await server().sql('postgres', `ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
      });
      for (const err of said) expect(err).toMatch(AWAY);
      for (const err of said) expect(err).toMatch(BACK);
    });

    test.concurrent('refuses a wrong password or is unknown, which ends the worker with what to do', async () => {
      const queue = await database();
      const wrong = await startWorker(queue, [], { DROVER_QUEUE: 'not the one' }).done;
      expect([wrong.code, wrong.err]).toEqual([
        2,
        expect.stringMatching(/refuses: password authentication failed.* the password in DROVER_QUEUE/),
      ]);
      const none = await startWorker(`${queue}none`).done;
      expect([none.code, none.err]).toEqual([
        2,
        expect.stringMatching(/refuses: database .* does not exist/),
      ]);
    });
  },
);

describe.skipIf(postgresFolder === null)('a study on a queue, whose database server', () => {
  const { server, database } = usePostgres();

  test('is gone when a worker is stopped, lets the worker end', async () => {
    const queue = await database();
    const queued = startQueued(gridOf(strategyFile(''), 50), queue, freshStudy());
    const worker = startWorker(queue);
    await queued.done;
    await server().stop();
    await worker.line(AWAY);
    worker.child.kill('SIGTERM');
    const { code, err } = await worker.done;
    await server().start();
    expect([code, err]).toEqual([130, expect.stringContaining('stopped while the queue was unreachable')]);
  });

  test('restarts and crashes, ends as without a queue', async () => {
    const queue = await database();
    const study = freshStudy();
    const args = gridOf(strategyFile(WORK), 100);
    const queued = startQueued(args, queue, study);
    const worker = startWorker(queue);
    for (const [how, count] of [
      ['fast', 20],
      ['kill', 40],
    ] as const) {
      await untilBooked(server(), queue, count);
      await server().stop(how);
      await sleep(1_000);
      await server().start();
    }
    const ended = await queued.done;
    expect(ended.code, ended.err).toBe(0);
    expect(ended.err).toMatch(AWAY);
    const here = freshStudy();
    await locally(args, here);
    expect(trialsIn(study)).toEqual(trialsIn(here));
    expect(worker.child.exitCode).toBeNull();
  });
});
