import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { emulatorFolder, journalFile } from '../../../../src/app/environment/ownership.ts';
import { drover } from '../../support/commandLine.ts';
import { stateSaying } from '../../support/stateFolder.ts';

const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
const config = join(process.cwd(), 'config/emulator.yaml');
const run = (...argv: string[]) => drover([...argv, '--config', config], { cwd });

const COMMANDS = [
  ['journal', 'verify'],
  ['journal', 'show'],
  ['journal', 'export', 'out.jsonl'],
  ['journal', 'replay'],
  ['reconcile'],
  ['adopt', 'AAPL', '--reason', 'a test', '--yes'],
  ['release', 'AAPL', '--reason', 'a test'],
] as const;

/** State folder of an emulated run with an empty journal file, whose noted head is `head`. */
function emptied(head: string | null): string {
  const state = mkdtempSync(join(cwd, 'state-'));
  mkdirSync(emulatorFolder(state));
  writeFileSync(journalFile(state), '');
  if (head !== null) writeFileSync(`${journalFile(state)}-head`, `${head} sum\n`);
  return state;
}

describe('an empty journal file', () => {
  test('counts as damaged if entries had been written, for each command and every time', async () => {
    const state = emptied('7');
    const reading = COMMANDS.slice(0, 5);
    for (const command of [...reading, ...reading]) {
      const { code, err } = await run(...command, '--state', state);
      expect(err).toContain('is damaged: it ends at entry 0, but 7 had been written');
      expect([command, code]).toEqual([command, 2]);
    }
  });

  test('counts as lost for commands that would write into it', async () => {
    const state = emptied('7');
    for (const command of COMMANDS.slice(-2)) {
      const { code, err } = await run(...command, '--state', state);
      expect(err).toContain(`${state} has lost its journal: journal.sqlite is empty`);
      expect([command, code]).toEqual([command, 4]);
    }
  });

  test('counts as not yet begun if nothing had been written', async () => {
    const state = emptied(null);
    for (const command of COMMANDS.slice(0, 5)) {
      const { code, err } = await run(...command, '--state', state);
      expect(err).toBe(
        `drover: ${journalFile(state)} is empty: nothing was written into it. The next \`drover run --config ${config} --state ${state}\` begins it\n`,
      );
      expect([command, code]).toEqual([command, 2]);
    }
  });
});

test('replay of a journal without decisions says that nothing was checked, with exit 1', async () => {
  const state = stateSaying([]);
  mkdirSync(emulatorFolder(state));
  const { code, out } = await run('journal', 'replay', '--state', state);
  expect(out).toBe('nothing was checked: no strategy decided anything in this journal, and none does now\n');
  expect(code).toBe(1);
});

describe('a journal that cannot be read', () => {
  test.each([
    ['is a file', /^drover: \S+ is a file, and must be a folder\. Name another/, writeFileSync],
    ['is a link to itself', /^drover: the journal in \S+ cannot be read: ELOOP: .*\. Let this/, symlinkSync],
  ])('whose folder %s, is reported with the cause', async (title, text, make) => {
    const state = join(cwd, title.replaceAll(' ', '-'));
    make(state, state);
    const { code, err } = await run('journal', 'verify', '--state', state);
    expect(err).toMatch(text);
    expect(code).toBe(2);
  });

  test('is reported differently from a missing one', async () => {
    mkdirSync(join(cwd, 'empty'));
    for (const state of ['empty', 'nowhere'])
      expect(await run('journal', 'verify', '--state', state)).toMatchObject({
        code: 2,
        err: `drover: there is no journal in ${join(cwd, state)}. Name the state folder of a run (--state DIR, or state: in the config)\n`,
      });
  });
});
