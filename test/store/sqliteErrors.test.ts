import { mkdirSync, rmSync } from 'node:fs';
import { Database, SqliteError } from '../../src/store/sqlite/sqlite.ts';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { epochMs } from '../../src/core/brand.ts';
import { ConfigError, SafetyError, StorageError } from '../../src/core/errors.ts';
import { openDocuments } from '../../src/store/documents.ts';
import { headFile } from '../../src/store/integrity.ts';
import { holdLock } from '../../src/store/stateFolder.ts';
import { migrateJournal } from '../../src/store/migrateJournal.ts';
import { latestOf, readJournal, verifyJournal } from '../../src/store/readJournal.ts';
import { openSqliteJournal } from '../../src/store/sqliteJournal.ts';
import { freshFiles } from './folder.ts';

const freshFile = freshFiles();
afterEach(() => vi.restoreAllMocks());

/** A whole journal of one entry. */
function written(): string {
  const file = freshFile();
  const journal = openSqliteJournal(file);
  journal.commit([{ at: epochMs(1), fact: { kind: 'epoch', epoch: 1 } }]);
  journal.close();
  return file;
}

const USES: Readonly<Record<string, (file: string) => unknown>> = {
  'a run': (file) => openSqliteJournal(file),
  'a look': (file) => readJournal(file),
  'a check': (file) => verifyJournal(file),
  'a start that asks for crashes': (file) => latestOf(file, ['epoch'], 1),
  'a start after an older version': (file) => migrateJournal(file),
  'a dry run': (file) => openDocuments(file),
};

async function toldBy(use: (file: string) => unknown, file: string): Promise<Error> {
  try {
    await use(file);
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('it was used');
}

const REFUSALS = [
  ['SQLITE_FULL', 'database or disk is full'],
  ['SQLITE_CANTOPEN', 'unable to open database file'],
  ['SQLITE_READONLY_DIRECTORY', 'attempt to write a readonly database'],
  ['SQLITE_IOERR_SHMSIZE', 'disk I/O error'],
] as const;

describe.each(REFUSALS)('a storage file when SQLite reports %s', (code, said) => {
  const refuse = () => {
    vi.spyOn(Database.prototype, 'pragma').mockImplementation(() => {
      throw new SqliteError(said, code);
    });
  };

  test.each(Object.entries(USES))(
    'makes %s fail with the advice to check the disk, not to recover the file',
    async (_who, use) => {
      const file = written();
      refuse();
      const told = await toldBy(use, file);
      expect(told).toBeInstanceOf(code === 'SQLITE_CANTOPEN' ? ConfigError : StorageError);
      expect(told.message).toContain(
        `${file} cannot be read or written: ${said} (${code}). Check whether its disk is full`,
      );
      expect(told.message).toContain('It may be intact: do not recover it');
      expect(told.message).not.toMatch(/damaged|journal recover/);
    },
  );

  test('that is a lock is reported as impossible to lock, not as in use', () => {
    const file = freshFile();
    refuse();
    expect(() => holdLock(file, 'the state folder')).toThrow(SafetyError);
    expect(() => holdLock(file, 'the state folder')).toThrow(
      `the state folder cannot be locked by ${file}: ${said}. Check whether its disk is full`,
    );
  });
});

test.each(['SQLITE_CORRUPT', 'SQLITE_CORRUPT_INDEX', 'SQLITE_NOTADB'])(
  'a file is reported as damaged on %s',
  async (code) => {
    const file = written();
    vi.spyOn(Database.prototype, 'pragma').mockImplementation(() => {
      throw new SqliteError('malformed', code);
    });
    expect((await toldBy(openSqliteJournal, file)).message).toContain(
      `${file} is damaged: malformed. Restore its latest version`,
    );
    expect((await toldBy(openDocuments, file)).message).toContain(
      `${file} is damaged: malformed. Start with another`,
    );
  },
);

test.each(Object.entries(USES))(
  'a file that cannot be opened is named by its path: %s',
  async (_who, use) => {
    const file = freshFile();
    mkdirSync(file);
    const told = await toldBy(use, file);
    expect(told.message).toMatch(/sqlite cannot be read or written: .* \(SQLITE_(CANTOPEN|IOERR)/);
  },
);

test('a journal with an unreadable write-ahead log is reported as unreadable, not as damaged', async () => {
  const file = written();
  mkdirSync(`${file}-wal`);
  const told = await toldBy(openSqliteJournal, file);
  expect(told.message).toContain(`${file} cannot be read or written: `);
});

test.each([
  ['a run', openSqliteJournal],
  ['a check', verifyJournal],
])('an unreadable head note is named: %s', async (_who, use) => {
  const file = written();
  rmSync(headFile(file));
  mkdirSync(headFile(file));
  const told = await toldBy(use, file);
  expect(told).toBeInstanceOf(ConfigError);
  expect(told.message).toContain(`${headFile(file)} cannot be read or written: EISDIR`);
});
