import { Database, SqliteError } from '../../src/store/sqlite/sqlite.ts';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { epochMs } from '../../src/core/brand.ts';
import type { JournalEvent } from '../../src/domain/journalEvent.ts';
import { copyDatabase, restrictCopy } from '../../src/store/copies.ts';
import { verifyJournal } from '../../src/store/readJournal.ts';
import { openSqliteJournal } from '../../src/store/sqliteJournal.ts';

const halt: Extract<JournalEvent, { kind: 'restricted' }> = {
  kind: 'restricted',
  state: 'halted',
  cause: 'restored',
  scope: {},
  by: 'backup',
  reason: 'restored',
};
const at = epochMs(Date.parse('2026-06-15T14:00:00Z'));
const AGAIN: JournalEvent = { kind: 'epoch', epoch: 2 };

function journalIn(folder: string) {
  const file = join(folder, 'journal.sqlite');
  const journal = openSqliteJournal(file);
  journal.commit([{ at, fact: { kind: 'epoch', epoch: 1 } }]);
  return { file, journal };
}

function withDatabase<T>(file: string, work: (database: Database) => T): T {
  const database = new Database(file);
  try {
    return work(database);
  } finally {
    database.close();
  }
}
const versionOf = (file: string) => withDatabase(file, (database) => database.pragma('user_version'));

afterEach(() => vi.restoreAllMocks());

test('a copy that cannot be written is named in the error, with the original unchanged', () => {
  const folder = mkdtempSync(join(tmpdir(), 'drover-'));
  const { file, journal } = journalIn(folder);
  const copy = join(folder, 'copy.sqlite');
  const fail = (code: string) =>
    vi.spyOn(Database.prototype, 'prepare').mockImplementation(() => {
      throw new SqliteError('it failed', code);
    });
  fail('SQLITE_FULL');
  expect(() => copyDatabase(file, copy)).toThrow(
    `${copy} cannot be written: it failed. The original is as it was. Make room`,
  );
  fail('SQLITE_IOERR_READ');
  expect(() => copyDatabase(file, copy)).toThrow(`${file} cannot be read or written: it failed`);
  vi.restoreAllMocks();
  journal.close();
});

test('a restricted copy ends with a halt at the time of its last entry, and the original continues', () => {
  const folder = mkdtempSync(join(tmpdir(), 'drover-'));
  const { file, journal } = journalIn(folder);
  const copy = join(folder, 'copy.sqlite');
  copyDatabase(file, copy);
  restrictCopy(copy, halt);
  journal.commit([{ at, fact: AGAIN }]);
  expect([verifyJournal(copy).seq, verifyJournal(file).seq]).toEqual([2, 2]);
  const again = openSqliteJournal(copy);
  expect([...again.entries()].at(-1)).toEqual({ at, fact: halt });
  again.close();
  journal.close();
});

test.each([
  [2, 4],
  [4, 4],
])(
  'a restricted copy of schema %i has schema %i, so that no program unaware of halts opens it',
  (from, to) => {
    const folder = mkdtempSync(join(tmpdir(), 'drover-'));
    const { file, journal } = journalIn(folder);
    journal.close();
    withDatabase(file, (database) => database.pragma(`user_version = ${from}`));
    restrictCopy(file, halt);
    expect(versionOf(file)).toBe(to);
  },
);

test('a journal without an entry cannot become a restricted copy', () => {
  const folder = mkdtempSync(join(tmpdir(), 'drover-'));
  const file = join(folder, 'journal.sqlite');
  openSqliteJournal(file).close();
  expect(() => restrictCopy(file, halt)).toThrow('has no entry');
});
