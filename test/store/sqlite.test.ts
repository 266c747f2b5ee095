import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError } from '../../src/core/errors.ts';
import { prebuiltClass } from '../../src/store/sqlite/prebuiltSqlite.ts';
import { Database, inPages, SqliteError } from '../../src/store/sqlite/sqlite.ts';
import { freshFiles } from './folder.ts';

const freshFile = freshFiles();

const codeOf = (work: () => unknown): string | null => {
  try {
    work();
    return null;
  } catch (error) {
    return error instanceof SqliteError ? error.code : String(error);
  }
};

function opened(file = freshFile()) {
  const database = new Database(file, { timeout: 0 });
  database.exec('CREATE TABLE IF NOT EXISTS t (seq INTEGER PRIMARY KEY, value ANY) STRICT');
  return { file, database, insert: database.prepare<[unknown]>('INSERT INTO t (value) VALUES (?)') };
}

test('closing an SQLite file leaves no log and no lock, although statements are still prepared', () => {
  const { file, database, insert } = opened();
  database.pragma('journal_mode = WAL');
  database.pragma('locking_mode = EXCLUSIVE');
  insert.run(1);
  database.close();
  database.close();
  const beside = readdirSync(dirname(file)).filter((name) => name.startsWith(basename(file)));
  expect(beside).toEqual([basename(file)]);
  const next = new Database(file, { timeout: 0 });
  next.exec('BEGIN EXCLUSIVE');
  next.close();
  expect(codeOf(() => insert.run(2))).not.toBeNull();
});

test('closing an SQLite file within a transaction undoes the transaction', () => {
  const { file, database, insert } = opened();
  database.exec('BEGIN EXCLUSIVE');
  insert.run(1);
  database.close();
  expect(opened(file).database.prepare('SELECT * FROM t').all()).toEqual([]);
});

test('SQLite failures carry the names of their result codes', () => {
  const { file, database, insert } = opened();
  const other = opened(file);
  database.exec('BEGIN IMMEDIATE');
  expect(codeOf(() => other.insert.run(1))).toBe('SQLITE_BUSY');
  database.exec('ROLLBACK');
  database.exec('BEGIN EXCLUSIVE');
  expect(codeOf(() => other.database.prepare('SELECT * FROM t').all())).toBe('SQLITE_BUSY');
  database.exec('COMMIT');
  insert.run(1);
  expect(codeOf(() => database.exec('INSERT INTO t VALUES (1, 1)'))).toBe('SQLITE_CONSTRAINT');
  database.pragma('max_page_count = 2');
  expect(codeOf(() => insert.run('x'.repeat(100_000)))).toBe('SQLITE_FULL');
  const reader = new Database(file, { readonly: true });
  expect(codeOf(() => reader.exec('DELETE FROM t'))).toBe('SQLITE_READONLY');
  const text = freshFile();
  writeFileSync(text, 'no database, but as long as the header of one. '.repeat(100));
  expect(codeOf(() => new Database(text).pragma('user_version'))).toBe('SQLITE_NOTADB');
  expect(codeOf(() => new Database(text).prepare('SELECT 1 FROM t').all())).toBe('SQLITE_NOTADB');
});

test('opening an SQLite file read-only does not create it', () => {
  const file = freshFile();
  expect(codeOf(() => new Database(file, { readonly: true }))).toBe('SQLITE_CANTOPEN');
  expect(existsSync(file)).toBe(false);
  expect(codeOf(() => new Database(`${file}/none.sqlite`))).toBe('SQLITE_CANTOPEN');
});

test('a nested SQLite transaction is undone without its outer one', () => {
  const { database, insert } = opened();
  const fail = database.transaction((value: string) => {
    insert.run(value);
    throw new Error('undone');
  });
  database.transaction(() => {
    insert.run('kept');
    expect(() => fail('part')).toThrow('undone');
  })();
  expect(() => fail('whole')).toThrow('undone');
  expect(database.prepare<[], string>('SELECT value FROM t').pluck().all()).toEqual(['kept']);
});

test('SQLite values are read as they were stored, in plain objects', () => {
  const { database, insert } = opened();
  const values = [null, 'text', 1.5, 2 ** 53 - 1, 2n ** 53n + 1n, -(2n ** 63n), "it's"];
  for (const value of values) insert.run(value);
  insert.run(Buffer.from([1, 0, 255]));
  const rows = database.prepare<[], { value: unknown }>('SELECT value FROM t ORDER BY seq').all();
  expect(rows.slice(0, -1).map(({ value }) => value)).toEqual(values);
  expect(Buffer.from(rows.at(-1)?.value as Uint8Array)).toEqual(Buffer.from([1, 0, 255]));
  expect(Object.getPrototypeOf(rows[0])).toBe(Object.prototype);
});

test('inPages returns every row of a paged query in order', () => {
  const { database, insert } = opened();
  for (let value = 1; value <= 7; value++) insert.run(value);
  const page = database.prepare<[number], { seq: number }>(
    'SELECT seq FROM t WHERE seq > ? ORDER BY seq LIMIT 3',
  );
  const read = [...inPages<{ seq: number }>((last) => page.all(last?.seq ?? 0))];
  expect(read.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test('a missing SQLite library names the Node versions that need none and the command that installs it', () => {
  const missing = () =>
    prebuiltClass((name) => {
      throw new Error(`Cannot find module '${name}'\nRequire stack:\n- /x.js`);
    });
  expect(missing).toThrow(ConfigError);
  expect(missing).toThrow(
    /^Node v\S+ has no SQLite .*Cannot find module '@photostructure\/sqlite'\)\. Use Node 24 or later, or 22 from 22\.16 on.*`npm install --include=optional` installs it$/,
  );
});
