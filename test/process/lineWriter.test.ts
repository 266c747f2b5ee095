import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LineWriter } from '../../src/process/lineWriter.ts';

const gap = (lost: number): string => `(${lost} lost)\n`;
const LONG = `${'x'.repeat(999)}\n`;
/** Lines that fit neither into a pipe nor into the queue. */
const MANY = 3_000;

/** A pipe whose end does not wait for its reader. */
function pipe() {
  const file = join(mkdtempSync(join(tmpdir(), 'drover-')), 'pipe');
  execFileSync('mkfifo', [file]);
  const reader = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const end = openSync(file, constants.O_WRONLY | constants.O_NONBLOCK);
  const bytes = Buffer.alloc(65_536);
  const read = (): string => {
    let text = '';
    try {
      for (let count = -1; count !== 0; text += bytes.toString('utf8', 0, count))
        count = readSync(reader, bytes);
    } catch {
      // There is nothing more yet.
    }
    return text;
  };
  onTestFinished(() => closeSync(end));
  return { reader, end, read };
}

/** Everything that a writer writes until nothing is queued. */
async function readAll(writer: LineWriter, read: () => string): Promise<string> {
  let text = '';
  for (let isDone = false; !isDone;) {
    const drained = writer.drained().then(() => true);
    isDone = await Promise.race([drained, new Promise<boolean>((go) => setTimeout(go, 5, false))]);
    text += read();
  }
  return text;
}

test('a line writer never blocks, and reports the number of lost lines once the reader reads', async () => {
  const { end, read } = pipe();
  const writer = new LineWriter(end, { gap });
  for (let added = 0; added < MANY; added++) writer.add(LONG);
  const { dropped } = writer;
  expect(dropped).toBeGreaterThan(MANY - 1_200);
  const text = await readAll(writer, read);
  expect(text).toBe(`(${dropped} lost)\n${LONG.repeat(MANY - dropped)}`);
  expect(writer.dropped).toBe(dropped);
});

test('a line longer than the queue is written when nothing waits', async () => {
  const { end, read } = pipe();
  const writer = new LineWriter(end, { gap });
  const long = `${'y'.repeat(1_500_000)}\n`;
  writer.add(long);
  expect(await readAll(writer, read)).toBe(long);
});

test('lines refused by a closed reader are counted, and throw nothing', async () => {
  const { end, reader } = pipe();
  closeSync(reader);
  const writer = new LineWriter(end, { gap });
  writer.add('one\ntwo\n');
  await writer.drained();
  writer.add('three\n');
  await writer.drained();
  expect(writer.dropped).toBe(3);
});

test('flush at the end of the process writes each waiting line once and whole', async () => {
  const { end, read } = pipe();
  const writer = new LineWriter(end, { gap, canHold: true });
  for (let added = 0; added < 100; added++) writer.add(LONG);
  while (writer.isHeld) await new Promise((go) => setTimeout(go, 1));
  const before = read();
  writer.add('the end\n');
  writer.flush();
  expect(before + read()).toBe(`${LONG.repeat(100)}the end\n`);
});
