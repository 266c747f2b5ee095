import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Database } from '../../../../src/store/sqlite/sqlite.ts';
import { describe, expect, test } from 'vitest';
import { emulatorFolder, journalFile } from '../../../../src/app/environment/ownership.ts';
import { newYorkTime } from '../../../../src/calendar/index.ts';
import type { JournalEvent } from '../../../../src/domain/journalEvent.ts';
import { digestOf } from '../../../../src/store/copies.ts';
import { openSqliteJournal } from '../../../../src/store/sqliteJournal.ts';
import { holdLock } from '../../../../src/store/stateFolder.ts';
import { drover } from '../../support/commandLine.ts';
import { emptyState, stateSaying } from '../../support/stateFolder.ts';

const config = join(process.cwd(), 'config/emulator.yaml');
const started = (strategyId: string): JournalEvent => ({ kind: 'strategyStarted', strategyId });

/** A state folder of an emulated account, with 4 entries of 2024, 1 of 2025 and 1 of 2026. */
function threeYears(): string {
  const at = newYorkTime('2024-12-31', '12:00');
  const state = stateSaying([started('one'), started('two')], { at });
  mkdirSync(emulatorFolder(state));
  const journal = openSqliteJournal(journalFile(state));
  journal.commit([{ at: newYorkTime('2025-06-02', '12:00'), fact: started('three') }]);
  journal.commit([{ at: newYorkTime('2026-06-02', '12:00'), fact: started('four') }]);
  journal.close();
  return state;
}

const inState =
  (state: string) =>
  (command: string, flags: readonly string[] = []) =>
    drover([...command.split(' '), ...flags, '--state', state, '--config', config]);

const archivesIn = (state: string) => readdirSync(state).filter((name) => /-\d{4}\.sqlite$/.test(name));

/** Number of entries in a journal file, read without the program. */
function entriesOf(file: string): unknown {
  const database = new Database(file, { readonly: true });
  const count = database.prepare('SELECT count(*) FROM entries').pluck().get();
  database.close();
  return count;
}

/** Adds a trigger to a journal file that would empty it at the next entry. Returns the number of its entries. */
function withTrigger(file: string): unknown {
  const database = new Database(file);
  database.exec('CREATE TRIGGER tidy AFTER INSERT ON entries BEGIN DELETE FROM entries; END');
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
  return entriesOf(file);
}

describe('drover journal prune', () => {
  test('without --yes shows what would move, also while a run uses the folder', async () => {
    const state = threeYears();
    const release = holdLock(join(state, 'lock.sqlite'), 'the state folder');
    const { code, out } = await inState(state)('journal prune');
    release();
    expect(code).toBe(0);
    expect(out).toContain(`2024: 4 entries would move to ${join(state, 'journal-2024.sqlite')}`);
    expect(out).toContain(`1 entry would stay in ${journalFile(state)}`);
    expect(archivesIn(state)).toEqual([]);
  });

  test('moves nothing while a run uses the folder (exit 4)', async () => {
    const state = threeYears();
    const release = holdLock(join(state, 'lock.sqlite'), 'the state folder');
    const { code, err } = await inState(state)('journal prune', ['--yes']);
    release();
    expect(code).toBe(4);
    expect(err).toContain('another drover process is using the state folder');
    expect(archivesIn(state)).toEqual([]);
  });

  test('moves the chosen years, and says so once', async () => {
    const state = threeYears();
    const run = inState(state);
    const first = await run('journal prune', ['--keep', '2', '--yes', '--json']);
    expect(first.code).toBe(0);
    const file = journalFile(state);
    const moved = { year: 2024, file: join(state, 'journal-2024.sqlite'), first: 1, last: 4, entries: 4 };
    expect(JSON.parse(first.out)).toMatchObject({
      pruned: true,
      file,
      archives: [moved],
      kept: 2,
      uncompacted: null,
    });
    const second = await run('journal prune', ['--before', '2026', '--yes']);
    expect(second.out).toContain(`2025: 1 entry moved to ${join(state, 'journal-2025.sqlite')}`);
    const third = await run('journal prune', ['--yes']);
    expect(third.out).toContain('Nothing to move');
    expect(archivesIn(state)).toEqual(['journal-2024.sqlite', 'journal-2025.sqlite']);
  });

  test('leaves the output of every other command unchanged', async () => {
    const state = threeYears();
    const run = inState(state);
    const ask = async () => {
      const asked = [];
      for (const command of [
        'journal show',
        'journal show --kind started',
        'status',
        'positions',
        'journal replay',
      ])
        asked.push(await run(command, ['--json']));
      await run('journal export', [join(state, 'all.jsonl')]);
      const all = readFileSync(join(state, 'all.jsonl'), 'utf8');
      rmSync(join(state, 'all.jsonl'));
      return [
        ...asked.map(({ code, out, err }) => [code, err, withoutCheckpoint(out)]),
        withoutCheckpoint(all),
      ];
    };
    /** Output without the checkpoint that pruning writes, and without the number of entries, which includes it. */
    const withoutCheckpoint = (text: string) =>
      text.replace(/^.*"kind":"checkpoint".*\n/gm, '').replace(/"entries":\d+/, '');
    const before = await ask();
    expect((await run('journal prune', ['--yes'])).code).toBe(0);
    expect(await ask()).toEqual(before);
    const { out } = await run('journal verify');
    expect(out).toContain('7 entries of 1 start, all intact');
    expect(out).toContain(`entries 1 to 4 are in ${join(state, 'journal-2024.sqlite')}`);
  });

  test('keeps archives in the folder of --archive, which it makes', async () => {
    const state = threeYears();
    const folder = join(emptyState(), 'archives');
    expect((await inState(state)('journal prune', ['--archive', folder, '--yes'])).code).toBe(0);
    expect(archivesIn(folder)).toEqual(['journal-2024.sqlite', 'journal-2025.sqlite']);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect((await inState(state)('journal verify')).code).toBe(0);
    rmSync(join(folder, 'journal-2025.sqlite'));
    for (const command of ['journal verify', 'journal show', 'status', 'run --until 2026-06-15T10:00']) {
      const { code, err } = await inState(state)(command);
      expect([command, code]).toEqual([command, 2]);
      expect(err).toContain(`${join(folder, 'journal-2025.sqlite')} is missing`);
    }
  });

  test.each([[], ['--archive']])(
    'keeps backup and restore complete with archives, flags %s',
    async (...flags) => {
      const state = threeYears();
      const folder = join(emptyState(), 'archives');
      await inState(state)('journal prune', [...flags, ...flags.map(() => folder), '--yes']);
      const backup = join(emptyState(), 'backup');
      expect((await inState(state)('backup', [backup])).code).toBe(0);
      rmSync(state, { recursive: true });
      rmSync(folder, { recursive: true, force: true });
      const restored = join(emptyState(), 'restored');
      expect((await inState(restored)('restore', [backup])).code).toBe(0);
      expect(archivesIn(restored)).toEqual(['journal-2024.sqlite', 'journal-2025.sqlite']);
      for (const name of archivesIn(restored))
        expect(statSync(join(restored, name)).mode & 0o777).toBe(0o600);
      const { out } = await inState(restored)('journal verify', ['--json']);
      expect(JSON.parse(out)).toMatchObject({ entries: 8, archives: [{ last: 4 }, { first: 5, last: 5 }] });
    },
  );

  test.each(['journal.sqlite', 'journal-2024.sqlite'])(
    'a backup whose %s has a trigger is refused by restore, and the trigger never runs',
    async (name) => {
      const state = threeYears();
      await inState(state)('journal prune', ['--yes']);
      const backup = join(emptyState(), 'backup');
      expect((await inState(state)('backup', [backup])).code).toBe(0);
      const entries = withTrigger(join(backup, name));
      const manifest = join(backup, 'backup.json');
      const described = JSON.parse(readFileSync(manifest, 'utf8')) as { files: { name: string }[] };
      const files = described.files.map((each) =>
        each.name === name ? { ...each, ...digestOf(join(backup, name)) } : each,
      );
      writeFileSync(manifest, JSON.stringify({ ...described, files }));
      const restored = join(emptyState(), 'restored');
      const { code, out, err } = await inState(restored)('restore', [backup]);
      expect([code, out, err]).toEqual([
        2,
        '',
        expect.stringMatching(
          new RegExp(`${name} has a trigger tidy that this program did not make: it may change`),
        ),
      ]);
      expect(existsSync(restored)).toBe(false);
      expect(entriesOf(join(backup, name))).toBe(entries);
    },
  );

  test('a journal with a trigger is refused by backup, and the trigger never runs', async () => {
    const state = threeYears();
    const entries = withTrigger(journalFile(state));
    const backup = join(emptyState(), 'backup');
    const { code, err } = await inState(state)('backup', [backup]);
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('has a trigger tidy that this program did not make'),
    ]);
    expect([existsSync(backup), entriesOf(journalFile(state))]).toEqual([false, entries]);
  });

  test('refuses a damaged journal before it moves anything', async () => {
    const state = threeYears();
    const database = new Database(journalFile(state));
    database.exec('UPDATE entries SET at = at + 1 WHERE seq = 6');
    database.close();
    const { code, err } = await inState(state)('journal prune', ['--yes']);
    expect(code).toBe(2);
    expect(err).toContain('entry 6 does not match its checksum');
    expect(existsSync(join(state, 'journal-2024.sqlite'))).toBe(false);
  });

  test.each([
    [['--before', '2026', '--keep', '1'], '--before and --keep exclude each other'],
    [['--keep', '0'], '--keep: must be at least 1'],
    [['--before', '2027'], 'its year stays in the journal'],
    [['--before', 'soon'], 'It must be a whole number'],
  ])('refuses %j', async (flags, says) => {
    const { code, err } = await inState(threeYears())('journal prune', flags);
    expect(code).toBe(2);
    expect(err).toContain(says);
  });
});
