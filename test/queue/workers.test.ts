import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { freshDir } from '../e2e/cli.ts';
import { resultOf, trialsIn } from '../e2e/studyKills.ts';
import { postgresFolder } from './postgres.ts';
import {
  freshStudy,
  gridOf,
  locally,
  slicesIn,
  startQueued,
  startWorker,
  strategyFile,
  until,
  untilBooked,
  usePostgres,
  WORK,
} from './stage.ts';

/** Longer than a lease, in ms. */
const LONG_MS = 22_000;

const mounts: string[] = [];

/** A disk of 64 kB; null where this user may not make one. */
function smallDisk(): string | null {
  const folder = freshDir();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'pipe' });
  } catch {
    return null;
  }
  mounts.push(folder);
  return folder;
}

describe.skipIf(postgresFolder === null)('a study on workers', () => {
  const { server, database } = usePostgres();
  afterAll(() => mounts.forEach((folder) => execFileSync('umount', ['-l', folder])));

  /** Runs a grid locally and on a queue, and expects equal results. */
  async function sameAs(strategy: string, last: number, disturb: (queue: string) => Promise<void>) {
    const queue = await database();
    const args = gridOf(strategy, last);
    const [here, there] = [freshStudy(), freshStudy()];
    const queued = startQueued(args, queue, there);
    await disturb(queue);
    const ended = await queued.done;
    expect(ended.code, ended.err).toBe(0);
    const expected = await locally(args, here);
    expect(trialsIn(there)).toEqual(trialsIn(here));
    expect(resultOf(ended)).toEqual(resultOf(expected));
    return ended;
  }

  test.concurrent('gives the slice of a killed worker to another', async () => {
    await sameAs(strategyFile(WORK), 120, async (queue) => {
      const [first] = [startWorker(queue), startWorker(queue)];
      await untilBooked(server(), queue, 30);
      first.child.kill('SIGKILL');
    });
  });

  test.concurrent('counts the results of a worker that was suspended for long once', async () => {
    await sameAs(strategyFile(WORK), 120, async (queue) => {
      const [first] = [startWorker(queue), startWorker(queue)];
      await untilBooked(server(), queue, 30);
      first.child.kill('SIGSTOP');
      await sleep(LONG_MS);
      first.child.kill('SIGCONT');
    });
  });

  test.concurrent('sets aside a trial that kills its worker three times, and names it', async () => {
    const queue = await database();
    const deadly = strategyFile("if (n === 7 && bars === 100) process.kill(process.pid, 'SIGKILL');");
    const study = freshStudy();
    const queued = startQueued(gridOf(deadly, 20), queue, study);
    let deaths = 0;
    // As a service manager would; the fourth is killed by the end of this file.
    const supervise = async () => {
      for (; deaths < 4; deaths++) await startWorker(queue).done;
    };
    void supervise();
    const { code, err, out } = await queued.done;
    expect(code, err).toBe(0);
    expect(deaths).toBe(3);
    expect(JSON.parse(out)).toMatchObject({ trials: 20, failed: 1 });
    const crashed = trialsIn(study).filter((trial) => (trial as { state: string }).state !== 'done');
    expect(crashed).toMatchObject([
      { key: '[["n",7]]', state: 'crashed', why: 'its worker crashed each of 3 times that it was tried' },
    ]);
  });

  test.concurrent('sets aside a trial whose thread crashes, and its worker continues', async () => {
    const queue = await database();
    const study = freshStudy();
    const queued = startQueued(gridOf(strategyFile('if (n === 7) process.exit(1);'), 20), queue, study);
    const worker = startWorker(queue);
    const { code, err, out } = await queued.done;
    expect(code, err).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ trials: 20, failed: 1 });
    expect(worker.child.exitCode).toBeNull();
  });

  test.concurrent('lets a worker with a full disk say so and go on', async ({ skip }) => {
    const folder = smallDisk();
    if (folder === null) return skip('only root may mount a small disk');
    writeFileSync(join(folder, 'filler'), Buffer.alloc(60_000));
    await sameAs(strategyFile(''), 30, async (queue) => {
      await startWorker(queue, ['--cache', folder]).line(/nothing can be stored in .*ENOSPC/);
    });
  });

  test.concurrent('is refused while another process works on it, and resumed after that was killed', async () => {
    const queue = await database();
    const args = gridOf(strategyFile(''), 30);
    const [one, two] = [freshStudy(), freshStudy()];
    const first = startQueued(args, queue, one);
    await until(async () => (await slicesIn(server(), queue)) > 0);
    const second = await startQueued(args, queue, two).done;
    expect([second.code, second.err]).toEqual([
      2,
      expect.stringMatching(/a\.study is in use by another drover \(.*:\d+\)\. Wait for its end, or stop it/),
    ]);
    first.child.kill('SIGKILL');
    startWorker(queue);
    const resumed = await startQueued([...args, '--resume'], queue, one).done;
    expect(resumed.code, resumed.err).toBe(0);
    const here = freshStudy();
    await locally(args, here);
    expect(trialsIn(one)).toEqual(trialsIn(here));
  });
});
