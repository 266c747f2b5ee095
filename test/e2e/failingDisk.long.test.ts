import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { writeLiveJournal } from '../../bench/liveJournal.ts';
import { epochMs } from '../../src/core/brand.ts';
import { seededRandom } from '../../src/core/seededRandom.ts';
import { Outbox, type OutboxReport } from '../../src/ops/notify/outbox.ts';
import { openOutboxFile } from '../../src/ops/notify/outboxFile.ts';
import { readJournal, verifyJournal } from '../../src/store/readJournal.ts';
import { drover, freshDir, start } from './cli.ts';

const folder = freshDir();
const original = join(folder, 'original');

/** State folder of a live run of 60 sessions, two thirds of them in 2026. */
beforeAll(() => {
  mkdirSync(original, { mode: 0o700 });
  const size = { from: '2026-11-02', sessions: 60, orders: 20, quotes: 500 };
  writeLiveJournal(join(original, 'journal.sqlite'), size);
  writeFileSync(join(original, 'account'), `0x${'11'.repeat(20)} on chain 143, ProductA\n`, { mode: 0o600 });
});

function copyOf(name: string): string {
  const state = join(folder, name);
  rmSync(state, { recursive: true, force: true });
  cpSync(original, state, { recursive: true });
  return state;
}

/** Number and sum of the last entry, after checking every entry of all files. */
function chainOf(state: string): { seq: number; sum: string } {
  const { seq, sum } = verifyJournal(join(state, 'journal.sqlite'));
  return { seq, sum };
}

const archivesOf = (state: string): number => {
  const reader = readJournal(join(state, 'journal.sqlite'));
  reader.close();
  return reader.archives.length;
};

describe('a prune that is killed', () => {
  const STEPS = [/^copying/, /^checking/, /^syncing/, /^removing/, /^compacting/];
  const KILLS = 20;
  /** Longest time in ms from the beginning of a step to the kill: about what the longest step takes. */
  const LATER_MS = 120;

  test('20 times, at every step, loses nothing, and the next one completes', async () => {
    const random = seededRandom('kills of a prune');
    const whole = chainOf(original);
    let interrupted = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const state = copyOf('killed');
      const prune = ['journal', 'prune', '--yes', '--state', state];
      const killed = start(prune);
      await killed.line(STEPS[kill % STEPS.length] ?? /^copying/);
      if (kill >= STEPS.length) await pause(random.next() * LATER_MS);
      killed.child.kill('SIGKILL');
      if ((await killed.done).code === null) interrupted++;
      expect(chainOf(state)).toEqual(whole);

      expect(await drover(prune)).toMatchObject({ code: 0 });
      expect(chainOf(state)).toEqual(whole);
      expect(archivesOf(state)).toBe(1);
      expect(readdirSync(state).filter((name) => /\.new/.test(name))).toEqual([]);
    }
    expect(interrupted).toBeGreaterThanOrEqual(KILLS / 2);
  });
});

const disk = join(folder, 'disk');
const mountDisk = (options: string): boolean => {
  mkdirSync(disk, { recursive: true });
  return spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', disk]).status === 0;
};
const unmountDisk = () => spawnSync('umount', [disk]);
const remount = (options: string) => spawnSync('mount', ['-o', `remount,${options}`, disk]);
const canMount = mountDisk('size=1m') && unmountDisk().status === 0;

const REST = /(Make room|Let this user|Name a file elsewhere|name a file elsewhere|or name another)/;

/** Commands about a state folder that write to the disk. */
const writing = (state: string, backup: string) =>
  [
    ['backup', join(disk, 'copy'), '--state', state],
    ['restore', backup, '--state', join(disk, 'restored')],
    ['report', '--state', state, '--out', join(disk, 'report.html')],
    ['journal', 'prune', '--yes', '--archive', disk, '--state', state],
  ] as const;

describe.skipIf(!canMount)('a disk', () => {
  const backup = join(folder, 'backup');
  beforeAll(async () => {
    expect(await drover(['backup', backup, '--state', original])).toMatchObject({ code: 0 });
  });
  afterEach(unmountDisk);

  /** Expects each command to fail on the disk with its path and a remedy, and to leave nothing there and all else unchanged. */
  async function expectRefusals(state: string, says: RegExp): Promise<void> {
    const whole = chainOf(state);
    for (const command of writing(state, backup)) {
      const before = readdirSync(disk);
      const { code, err } = await drover(command);
      expect([command[0], code, err]).toEqual([command[0], 2, expect.stringMatching(says)]);
      expect(err).toMatch(REST);
      expect(err).toContain(disk);
      expect(err).not.toMatch(/do not recover/);
      expect(readdirSync(disk)).toEqual(before);
      expect([chainOf(state), archivesOf(state)]).toEqual([whole, 0]);
    }
  }

  test('that is full refuses backup, restore, report and archive, and accepts them once there is room', async () => {
    mountDisk('size=64k,mode=700');
    const state = copyOf('state');
    await expectRefusals(state, /full|no space|no room/i);
    remount('size=200m');
    for (const command of writing(state, backup)) expect(await drover(command)).toMatchObject({ code: 0 });
    expect(readdirSync(disk).sort()).toEqual(['copy', 'journal-2026.sqlite', 'report.html', 'restored']);
    expect(chainOf(state)).toEqual(chainOf(original));
  });

  test('that is read-only refuses backup, restore, report and archive', async () => {
    mountDisk('size=64k,mode=700');
    remount('ro');
    await expectRefusals(copyOf('state'), /EROFS|read-only/);
  });

  test('that is read-only under the state folder is named when the journal is pruned', async () => {
    mountDisk('size=200m,mode=700');
    const state = join(disk, 'state');
    cpSync(original, state, { recursive: true });
    remount('ro');
    const { code, err } = await drover(['journal', 'prune', '--yes', '--state', state]);
    expect([code, err]).toEqual([4, expect.stringMatching(/cannot be locked.*this user must be/)]);
    expect(err).toContain(state);
    remount('rw');
    expect([chainOf(state), archivesOf(state)]).toEqual([chainOf(original), 0]);
  });

  test('that is full under the state folder leaves the journal unchanged when it is pruned', async () => {
    mountDisk('size=200m,mode=700');
    const state = join(disk, 'state');
    cpSync(original, state, { recursive: true });
    const whole = chainOf(state);
    remount('size=14m');
    const prune = ['journal', 'prune', '--yes', '--state', state];
    const { code, err } = await drover(prune);
    expect([code, err]).toEqual([2, expect.stringMatching(/full.*Make room/s)]);
    expect([chainOf(state), archivesOf(state)]).toEqual([whole, 0]);
    expect(readdirSync(state).filter((name) => /-2026/.test(name))).toEqual([]);
    remount('size=200m');
    expect(await drover(prune)).toMatchObject({ code: 0 });
    expect([chainOf(state), archivesOf(state)]).toEqual([whole, 1]);
  });

  test.each(['full', 'read-only'])('that is %s keeps messages in memory, and later in the queue', (kind) => {
    mountDisk('size=400k,mode=700');
    const file = join(disk, 'notify.sqlite');
    let now = 0;
    const reports: OutboxReport[] = [];
    const open = () =>
      new Outbox({
        channels: ['a'],
        store: openOutboxFile(file, () => ''),
        clock: { monotonic: () => now },
        report: (report) => reports.push(report),
      });
    const outbox = open();
    const add = (id: string) => {
      const text = 'x'.repeat(1_000);
      outbox.add({ id, at: epochMs(0), kind: 'alarm', title: 'Alarm', text }, ['a']);
      outbox.flush();
    };
    add('first');
    if (kind === 'read-only') remount('ro');
    for (let number = 0; number < 400; number++) add(`later-${number}`);
    expect(reports).toHaveLength(1);
    expect(JSON.stringify(reports)).toMatch(/SQLITE_(FULL|IOERR|READONLY|CANTOPEN)/);
    expect(outbox.pending('a')).toHaveLength(401);
    remount('rw,size=50m');
    now += 60_000;
    outbox.flush();
    expect(reports.at(-1)).toEqual({ trouble: null });
    outbox.close();
    const again = open();
    expect(again.pending('a').map(({ message }) => message.id)).toHaveLength(401);
    again.close();
  });
});
