import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { LineFile } from '../../../../src/cli/commands/run/log.ts';

const disk = vi.hoisted(() => ({ isFull: false }));
vi.mock(import('node:fs'), async (original) => {
  const fs = await original();
  const write = ((descriptor: number, bytes: Buffer, done: (error: Error | null, count: number) => void) => {
    if (disk.isFull) queueMicrotask(() => done(new Error('ENOSPC: no space left on device'), 0));
    else fs.write(descriptor, bytes, done);
  }) as typeof fs.write;
  return { ...fs, write };
});

const newFile = (): string => join(mkdtempSync(join(tmpdir(), 'drover-')), 'drover.log');
const line = (msg: string): string => `${JSON.stringify({ msg })}\n`;

async function until<T>(look: () => T, is: (seen: T) => boolean): Promise<T> {
  for (;;) {
    const seen = look();
    if (is(seen)) return seen;
    await setImmediate();
  }
}

test('lines that the disk does not take are counted, and the next that it takes says how many', async () => {
  const file = newFile();
  const lines = new LineFile(file);
  const add = async (msg: string) => {
    lines.add(line(msg));
    await setImmediate();
  };
  const read = () =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((text) => text !== '')
      .map((text) => JSON.parse(text) as object);
  lines.add(line('first'));
  await until(read, (seen) => seen.length === 1);
  disk.isFull = true;
  await add('second');
  await add('third');
  disk.isFull = false;
  await add('fourth');
  await add('fifth');
  expect(await until(read, (seen) => seen.length === 4)).toMatchObject([
    { msg: 'first' },
    { lost: 2 },
    { msg: 'fourth' },
    { msg: 'fifth' },
  ]);
});

test('a disk that stands still holds nothing up: what it cannot take yet waits, and what is too much is counted', async () => {
  const pipe = newFile();
  execFileSync('mkfifo', [pipe]);
  const reader = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  const lines = new LineFile(pipe);
  const long = line('x'.repeat(1_000));
  // A pipe that nobody reads takes 64 kB, and then blocks.
  for (let added = 0; added < 3_000; added++) lines.add(long);
  const end = line('the end');
  let text = '';
  const bytes = Buffer.alloc(65_536);
  const drain = () => {
    try {
      text += bytes.toString('utf8', 0, readSync(reader, bytes));
    } catch {
      // Nothing is there yet.
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

test('what waits at the end of the process is written then', () => {
  const file = newFile();
  const lines = new LineFile(file);
  lines.add(line('under way'));
  lines.add(line('waits'));
  lines.flush();
  expect(readFileSync(file, 'utf8')).toContain(line('waits'));
});
