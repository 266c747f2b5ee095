import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { LogFile } from '../../../src/app/run/logFile.ts';

/** `room`: bytes that the disk still accepts. `refusals`: refused writes. `renames`: renames that still work. */
const disk = vi.hoisted(() => ({ room: Infinity, refusals: 0, renames: Infinity }));
vi.mock(import('node:fs'), async (original) => {
  const fs = await original();
  const write = ((descriptor: number, bytes: Buffer, done: (error: Error | null, count: number) => void) => {
    const part = bytes.subarray(0, disk.room);
    disk.room -= part.length;
    if (part.length > 0) return fs.write(descriptor, part, done);
    disk.refusals++;
    queueMicrotask(() => done(new Error('ENOSPC: no space left on device'), 0));
  }) as typeof fs.write;
  return { ...fs, write };
});
vi.mock(import('node:fs/promises'), async (original) => {
  const fs = await original();
  const rename: typeof fs.rename = async (from, to) => {
    if (disk.renames-- <= 0) throw new Error('EACCES: permission denied');
    await fs.rename(from, to);
  };
  return { ...fs, rename };
});
afterEach(() => {
  disk.room = Infinity;
  disk.renames = Infinity;
});

const BIG = { maxBytes: 1_000_000_000, keep: 1 };

const newFile = (): string => join(mkdtempSync(join(tmpdir(), 'drover-')), 'drover.log');
const line = (msg: string): string => `${JSON.stringify({ msg })}\n`;

/** Lines of a file, each of which must be whole. */
const parsed = (file: string): object[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => JSON.parse(text) as object);

async function until<T>(look: () => T, is: (seen: T) => boolean): Promise<T> {
  for (;;) {
    const seen = look();
    if (is(seen)) return seen;
    await setImmediate();
  }
}

test('lines that the disk refuses are counted, and the next written line says how many', async () => {
  const file = newFile();
  const lines = new LogFile(file, BIG);
  const add = async (msg: string) => {
    lines.add(line(msg));
    await setImmediate();
  };
  const read = () => parsed(file);
  lines.add(line('first'));
  await until(read, (seen) => seen.length === 1);
  disk.room = 0;
  await add('second');
  await add('third');
  disk.room = Infinity;
  await add('fourth');
  await add('fifth');
  expect(await until(read, (seen) => seen.length === 4)).toMatchObject([
    { msg: 'first' },
    { lost: 2 },
    { msg: 'fourth' },
    { msg: 'fifth' },
  ]);
});

test('a blocked disk does not block the process: lines wait up to a bound, and lost lines are counted', async () => {
  const pipe = newFile();
  execFileSync('mkfifo', [pipe]);
  const reader = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  const lines = new LogFile(pipe, { maxBytes: 100_000, keep: 1 });
  const long = line('x'.repeat(1_000));
  // A pipe without a reader accepts 64 kB, and then blocks.
  for (let added = 0; added < 3_000; added++) lines.add(long);
  const end = line('the end');
  let text = '';
  const bytes = Buffer.alloc(65_536);
  const drain = () => {
    try {
      text += bytes.toString('utf8', 0, readSync(reader, bytes));
    } catch {
      // The file does not exist yet.
    }
    return text;
  };
  await until(drain, () => text.length >= 900_000);
  lines.add(end);
  await until(drain, () => text.endsWith(end));
  closeSync(reader);
  const lost = Number(/"lost":(\d+)/.exec(text)?.[1]);
  expect(lost).toBeGreaterThan(1_000);
  expect(text.split(long)).toHaveLength(3_000 - lost + 1);
});

test('flush writes the lines that wait at the end of the process', () => {
  const file = newFile();
  const lines = new LogFile(file, BIG);
  lines.add(line('under way'));
  lines.add(line('waits'));
  lines.flush();
  expect(readFileSync(file, 'utf8')).toContain(line('waits'));
});

test('a line cut by a full disk counts as lost and corrupts no other line', async () => {
  const file = newFile();
  const lines = new LogFile(file, BIG);
  const before = disk.refusals;
  disk.room = line('first').length + 5;
  lines.add(line('first'));
  lines.add(line('second'));
  lines.add(line('third'));
  await until(
    () => disk.refusals,
    (refusals) => refusals > before,
  );
  await setImmediate();
  disk.room = Infinity;
  lines.add(line('fourth'));
  const text = await until(
    () => readFileSync(file, 'utf8'),
    (seen) => seen.includes('fourth'),
  );
  expect(text.split('\n')).toEqual([
    '{"msg":"first"}',
    '{"msg',
    '{"level":40,"lost":2,"msg":"lines were lost"}',
    '{"msg":"fourth"}',
    '',
  ]);
});

/** Text of a file; none while it is being renamed. */
function textIn(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Numbers in all files of a log, the oldest file first. */
const numbersIn = (file: string, keep: number): number[] =>
  [...Array.from({ length: keep }, (_, index) => `${file}.${keep - index}`), file]
    .flatMap((name) => (existsSync(name) ? parsed(name) : []))
    .flatMap((entry) => ('n' in entry && typeof entry.n === 'number' ? [entry.n] : []));

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Adds numbered lines, `batch` at a time, each once those before are in the file. */
async function addNumbers(
  lines: LogFile,
  file: string,
  [from, to, batch = 1]: readonly [number, number, number?],
): Promise<void> {
  for (const n of numbers(from, to)) {
    lines.add(`${JSON.stringify({ n, pad: 'x'.repeat(80) })}\n`);
    if (n % batch !== 0) continue;
    await until(
      () => textIn(file) + textIn(`${file}.1`),
      (text) => text.includes(`{"n":${n},`),
    );
  }
}

test('a full log is rotated to .1 and .2, loses only its oldest file, and stays private', async () => {
  const file = newFile();
  await addNumbers(new LogFile(file, { maxBytes: 300, keep: 3 }), file, [1, 30]);
  const kept = numbersIn(file, 9);
  expect(kept).toEqual(numbers(31 - kept.length, 30));
  expect(kept.length).toBeGreaterThanOrEqual(10);
  expect(existsSync(`${file}.4`)).toBe(false);
  for (const name of [file, `${file}.1`, `${file}.2`, `${file}.3`]) {
    expect(statSync(name).mode & 0o777).toBe(0o600);
  }
});

test('a new log can be read by its owner alone', () => {
  const file = newFile();
  expect(new LogFile(file, BIG).dropped).toBe(0);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('lines added during a rotation are written in order', async () => {
  const file = newFile();
  await addNumbers(new LogFile(file, { maxBytes: 2_000, keep: 99 }), file, [1, 1_000, 50]);
  expect(existsSync(`${file}.9`)).toBe(true);
  expect(numbersIn(file, 99)).toEqual(numbers(1, 1_000));
});

test.each([0, 1, 2, 3])(
  'a process that dies after %i of the renames of a rotation loses no line',
  async (renames) => {
    const file = newFile();
    await addNumbers(new LogFile(file, { maxBytes: 300, keep: 3 }), file, [1, 14]);
    const before = numbersIn(file, 9);
    disk.renames = renames;
    const dying = new LogFile(file, { maxBytes: 100, keep: 4 });
    await addNumbers(dying, file, [15, 15]);
    disk.renames = Infinity;
    await addNumbers(new LogFile(file, { maxBytes: 300, keep: 4 }), file, [16, 18]);
    expect(numbersIn(file, 9).sort((a, b) => a - b)).toEqual([...before, 15, 16, 17, 18]);
  },
);

test('a log that cannot be renamed grows beyond its size, and says why', async () => {
  const file = newFile();
  disk.renames = 0;
  await addNumbers(new LogFile(file, { maxBytes: 300, keep: 3 }), file, [1, 12]);
  expect(numbersIn(file, 9)).toEqual(numbers(1, 12));
  const warnings = parsed(file).filter((entry) => 'problem' in entry);
  expect(warnings[0]).toMatchObject({
    level: 40,
    problem: 'EACCES: permission denied',
    msg: 'the log continues in its full file',
  });
  expect(warnings.length).toBeLessThan(5);
});

test('a log whose folder is gone stops no process', async () => {
  const file = newFile();
  const lines = new LogFile(file, { maxBytes: 100, keep: 1 });
  await addNumbers(lines, file, [1, 2]);
  rmSync(join(file, '..'), { recursive: true });
  lines.add(line('nowhere'));
  await setImmediate();
  expect(() => lines.flush()).not.toThrow();
});

test('a log file that is a link is never renamed', async () => {
  const [file, target] = [newFile(), newFile()];
  writeFileSync(target, '');
  symlinkSync(target, file);
  await addNumbers(new LogFile(file, { maxBytes: 100, keep: 1 }), file, [1, 5]);
  expect(numbersIn(target, 1)).toEqual(numbers(1, 5));
  expect(existsSync(`${file}.1`)).toBe(false);
});
