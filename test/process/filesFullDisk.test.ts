import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { JournalError } from '../../src/core/errors.ts';
import { journalFile } from '../../src/app/environment/ownership.ts';
import { writeNew } from '../../src/process/files.ts';
import { openSqliteJournal } from '../../src/store/sqliteJournal.ts';
import { drover } from '../cli/support/commandLine.ts';
import { SENT } from '../domain/orders.ts';

/** Free bytes on the disk. */
const disk = vi.hoisted(() => ({ left: Infinity }));
vi.mock(import('node:fs'), async (original) => {
  const fs = await original();
  // A full disk accepts file names, and a part of a write before it refuses the rest.
  const write = ((descriptor: number, bytes: Uint8Array, offset: number) => {
    const rest = Buffer.from(bytes).subarray(offset, offset + disk.left);
    if (rest.length === 0) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
    disk.left -= rest.length;
    return fs.writeSync(descriptor, rest);
  }) as typeof fs.writeSync;
  const writeFile = ((file: string, text: string, options: object) => {
    if (text.length <= disk.left) return fs.writeFileSync(file, text, options);
    fs.writeFileSync(file, '', options);
    throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
  }) as typeof fs.writeFileSync;
  return { ...fs, writeSync: write, writeFileSync: writeFile };
});

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'drover-'));
});
const names = () =>
  readdirSync(cwd, { recursive: true, encoding: 'utf8' }).filter((name) => !/-(wal|shm)$/.test(name));

/** Runs a command with little free space, and again once there is enough. */
async function twice(argv: readonly string[]) {
  const before = names();
  disk.left = 100;
  const full = await drover(argv, { cwd });
  disk.left = Infinity;
  expect(full).toMatchObject({ code: 1, err: expect.stringMatching(/ENOSPC.*Make room/) });
  expect(names()).toEqual(before);
  expect(await drover(argv, { cwd })).toMatchObject({ code: 0, err: '' });
}

test.each([
  ['that is new', () => undefined],
  ['of an empty repository', () => mkdirSync(join(cwd, 'bot', '.git'), { recursive: true })],
])(
  'a bot in a folder %s is not started on a full disk, and is made once there is room',
  async (_, prepare) => {
    prepare();
    await twice(['init', 'bot', '--yes']);
  },
);

test('a journal export on a full disk leaves no partial file, and completes once there is room', async () => {
  const journal = openSqliteJournal(journalFile(cwd));
  journal.commit([1, 2, 3].map((epoch) => ({ at: SENT, fact: { kind: 'epoch', epoch } })));
  journal.close();
  await twice(['journal', 'export', 'all.jsonl', '--state', '.']);
  expect(readFileSync(join(cwd, 'all.jsonl'), 'utf8').match(/\n/g)).toHaveLength(3);
  expect(statSync(join(cwd, 'all.jsonl')).mode & 0o777).toBe(0o600);
});

test('an export of bars on a full disk leaves no partial file, and completes once there is room', async () => {
  const bars = ['TEST', '--interval', '1d', '--data', 'data'];
  await drover(['data', 'generate', ...bars, '--from', '2026-06-01', '--to', '2026-06-20'], { cwd });
  await twice(['data', 'export', ...bars, '--out', 'bars.csv']);
});

test('bars that do not fit on a full disk leave the old bars unchanged, with an error and no partial file', async () => {
  const bars = ['data', 'generate', 'TEST', '--data', 'data', '--from', '2026-06-01', '--overwrite'];
  await drover([...bars, '--to', '2026-06-20'], { cwd });
  await twice([...bars, '--to', '2026-06-27']);
});

test('what was read of a damaged source stays in the file', () => {
  const file = join(cwd, 'part.jsonl');
  function* parts(): Generator<string> {
    yield 'whole\n';
    throw new JournalError('entry 2 is damaged');
  }
  expect(() => writeNew(file, parts())).toThrow('entry 2 is damaged');
  expect(readFileSync(file, 'utf8')).toBe('whole\n');
});
