import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { checkLog, checkState } from '../../../src/app/doctor/offline.ts';
import type { LoadedConfig } from '../../../src/app/config/load.ts';

const disk = vi.hoisted(() => ({ freeMib: 1_000, blocks: 2_000, foreign: '' }));
vi.mock(import('node:fs'), async (original) => {
  const fs = await original();
  const statfsSync = (() => ({
    bavail: disk.freeMib * 256,
    blocks: disk.blocks,
    bsize: 4_096,
  })) as unknown as typeof fs.statfsSync;
  const accessSync: typeof fs.accessSync = (path, mode) => {
    if (disk.foreign !== '' && String(path).endsWith(disk.foreign))
      throw Object.assign(new Error(`EACCES: permission denied, access '${String(path)}'`), {
        code: 'EACCES',
      });
    fs.accessSync(path, mode);
  };
  return { ...fs, statfsSync, accessSync };
});

let cwd: string;
beforeEach(() => {
  Object.assign(disk, { freeMib: 1_000, blocks: 2_000, foreign: '' });
  cwd = mkdtempSync(join(tmpdir(), 'drover-'));
  mkdirSync(join(cwd, 'state'));
  for (const name of ['journal.sqlite', 'journal.sqlite-wal', 'account', 'KILL'])
    writeFileSync(join(cwd, 'state', name), '');
});
const look = (state = 'state') => checkState({ config: { state } } as LoadedConfig, cwd);

test.each([
  [1_000, 'ok', 'state can be written'],
  [12, 'warn', 'state is on a disk with 12 MiB free'],
  [0, 'fail', 'state is on a disk with 0 MiB free'],
])('a disk with %i MiB free: %s', (freeMib, verdict, detail) => {
  disk.freeMib = freeMib;
  expect(look()).toMatchObject({ verdict, detail });
  expect(look('state/not/yet')).toMatchObject({ verdict });
});

test('a file system that reports no size is not called full', () => {
  Object.assign(disk, { freeMib: 0, blocks: 0 });
  expect(look()).toMatchObject({ verdict: 'ok' });
});

test.each(['journal.sqlite', 'journal.sqlite-wal', 'account'])(
  'an unreadable %s of another user fails with its path',
  (name) => {
    disk.foreign = name;
    expect(look()).toMatchObject({
      verdict: 'fail',
      mistake: true,
      detail: `state cannot be the state folder: EACCES: permission denied, access '${join(cwd, 'state', name)}'`,
    });
  },
);

test('a kill file of another user is fine', () => {
  disk.foreign = 'KILL';
  expect(look()).toMatchObject({ verdict: 'ok' });
});

describe('the check of the log file', () => {
  const lookAtLog = (file?: string) => checkLog({ config: { log: { file } } } as LoadedConfig, cwd);

  test.each([
    [undefined, 'drover.log in the state folder'],
    ['new.log', 'new.log can be written'],
    ['state/account', 'state/account can be written'],
  ])('passes %s', (file, detail) => {
    expect(lookAtLog(file)).toMatchObject({ verdict: 'ok', detail });
  });

  test.each([
    ['state', 'it is a folder'],
    ['nodir/x.log', 'ENOENT: no such file or directory'],
    ['state/account/x.log', 'ENOTDIR: not a directory'],
    ['state/theirs.log', 'EACCES: permission denied'],
  ])('fails for %s before a run does', (file, why) => {
    writeFileSync(join(cwd, 'state', 'theirs.log'), '');
    disk.foreign = 'theirs.log';
    expect(lookAtLog(file)).toMatchObject({ verdict: 'fail', mistake: true });
    expect(lookAtLog(file).detail).toContain(`${file} cannot be the log: ${why}`);
  });
});
