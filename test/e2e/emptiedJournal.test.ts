import { readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { drover } from '../cli/support/commandLine.ts';
import { freshDir, start, type Done } from './cli.ts';

const LIMIT_MS = 120_000;
const MORNING = '2026-06-15T09:45';
const PARTS = ['', '-wal', '-shm', '-head'];
const nameOf = (part: string) => `journal.sqlite${part}`;

/** A run that trades, whose files with these endings are emptied as a shell does it by `: > FILE`. */
async function emptied(parts: readonly string[]) {
  const state = join(freshDir(), 'state');
  const args = ['run', 'config/emulator.yaml', '--start', MORNING, '--state', state, '--json'];
  const running = start([...args, '--speed', '20']);
  await running.line(/nvidia-ladder +buy/);
  await pause(1_000);
  for (const name of readdirSync(state).filter((each) => parts.map(nameOf).includes(each)))
    truncateSync(join(state, name));
  const ended = await running.done;
  const again = await drover([...args, '--speed', 'max', '--until', '2026-06-15T09:50']);
  return { ended, again };
}

/** Expects that the run has ended by itself, with a message about the file. */
function expectWord({ signal, code, err }: Done, part: string): void {
  expect([signal, code]).toEqual([null, 1]);
  expect(err).toMatch(
    new RegExp(`"JOURNAL_LOST","message":"[^"]*journal.sqlite${part} was cut short during this run`),
  );
}

describe.each([
  { what: 'the log of a journal', parts: ['-wal'], named: '-wal', tags: [] },
  { what: 'all files of a journal', parts: PARTS, named: '', tags: ['long'] },
])('$what emptied under a run', ({ parts, named, tags }) => {
  test(
    'ends the run with a message, and the next start refuses to begin a new journal',
    { tags, timeout: LIMIT_MS },
    async () => {
      const { ended, again } = await emptied(parts);
      expectWord(ended, named);
      expect([2, 4]).toContain(again.code);
      expect(again.err).toMatch(
        /is damaged: it ends at entry \d+, but \d+ had been written|has lost its journal/,
      );
    },
  );
});

describe.each([
  { what: 'the main file of a young journal, whose log has every entry,', part: '', tags: [] },
  { what: 'the index of the log of a journal', part: '-shm', tags: ['long'] },
])('$what emptied under a run', ({ part, tags }) => {
  test(
    'ends the run with a message, and the next start continues with every entry',
    { tags, timeout: LIMIT_MS },
    async () => {
      const { ended, again } = await emptied([part]);
      expectWord(ended, part);
      expect([again.err, again.code]).toEqual([expect.not.stringContaining('"error"'), 0]);
    },
  );
});
