import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { Database } from '../../src/store/sqlite/sqlite.ts';
import { describe, expect, test } from 'vitest';
import { parseCash } from '../../src/core/amount.ts';
import { epochMs } from '../../src/core/brand.ts';
import { ConfigError, SafetyError } from '../../src/core/errors.ts';
import type { JournalEntry, Journal } from '../../src/domain/journalEvent.ts';
import type { Tip } from '../../src/store/integrity.ts';
import { encode } from '../../src/store/codec.ts';
import { migrateJournal } from '../../src/store/migrateJournal.ts';
import { readJournal, verifyJournal } from '../../src/store/readJournal.ts';
import { openSqliteJournal } from '../../src/store/sqliteJournal.ts';
import { anOrder, SENT } from '../domain/orders.ts';
import { freshFiles } from './folder.ts';

const freshFile = freshFiles();
const entry = (index: number): JournalEntry => ({
  at: epochMs(SENT + index),
  fact: { kind: 'allocated', strategyId: `s${index}`, amount: parseCash(`${index}.5`) },
});
const all = (journal: Journal) => [...journal.entries()];
/** The file as SQL sees it. */
const withSql = <T>(file: string, ask: (database: Database) => T): T => {
  const database = new Database(file);
  try {
    return ask(database);
  } finally {
    database.close();
  }
};

describe('two processes at one journal file', () => {
  test('let only the later one write once it has written', () => {
    const file = freshFile();
    const first = openSqliteJournal(file);
    first.commit([entry(1)]);
    const second = openSqliteJournal(file);
    second.commit([{ at: SENT, fact: { kind: 'epoch', epoch: 2 } }]);
    expect(() => first.commit([entry(3)])).toThrow(SafetyError);
    expect(() => first.commit([entry(3)])).toThrow('another process has written to');
    second.commit([entry(4)]);
    expect(all(second)).toHaveLength(3);
    first.close();
    second.close();
  });
});

describe('a journal of an older version', () => {
  /** As schema 1 was: the same table without sums. */
  const oldFile = () => {
    const file = freshFile();
    withSql(file, (sql) => {
      sql.exec(
        'CREATE TABLE entries (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, kind TEXT NOT NULL, order_id TEXT, body TEXT NOT NULL) STRICT',
      );
      sql.pragma('user_version = 1');
      const insert = sql.prepare('INSERT INTO entries (at, kind, order_id, body) VALUES (?, ?, ?, ?)');
      for (const { at, fact } of [entry(0), entry(1)]) insert.run(at, fact.kind, null, encode(fact));
    });
    return file;
  };

  test('is refused by a run, and migrated with a copy of the original kept', async () => {
    const file = oldFile();
    expect(() => openSqliteJournal(file)).toThrow('older version (schema 1)');
    const copy = migrateJournal(file);
    expect(copy).toBe(`${file}.schema-1`);
    expect(statSync(copy ?? '').mode & 0o777).toBe(0o600);
    expect(withSql(copy ?? '', (sql) => sql.pragma('user_version'))).toBe(1);
    const journal = openSqliteJournal(file);
    journal.commit([entry(2)]);
    expect(all(journal)).toEqual([0, 1, 2].map(entry));
    journal.close();
    expect(migrateJournal(file)).toBeNull();
    expect(verifyJournal(file)).toMatchObject({ seq: 3 });
  });

  test("with today's tables is read unchanged, and gets today's version when opened to write", async () => {
    const file = freshFile();
    const journal = openSqliteJournal(file);
    journal.commit([entry(0)]);
    journal.close();
    const version = () => withSql(file, (sql) => sql.pragma('user_version'));
    withSql(file, (sql) => sql.pragma('user_version = 2'));
    expect(migrateJournal(file)).toBeNull();
    expect(verifyJournal(file)).toMatchObject({ seq: 1 });
    expect(version()).toBe(2);
    openSqliteJournal(file).close();
    expect(version()).toBe(8);
  });

  test('that is damaged is left unchanged by the migration', async () => {
    const file = oldFile();
    const bytes = readFileSync(file).fill(0, 4_096, 8_192);
    writeFileSync(file, bytes);
    expect(() => migrateJournal(file)).toThrow(ConfigError);
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });
});

describe('a reader of the journal', () => {
  test('reads what is committed and continues from there while the runner writes', () => {
    const file = freshFile();
    const journal = openSqliteJournal(file);
    journal.commit(Array.from({ length: 2_500 }, (_, index) => entry(index)));
    const reader = readJournal(file);
    const seen: number[] = [];
    const read = (since?: Tip) => {
      const lines = reader.lines(since);
      let step = lines.next();
      for (; !step.done; step = lines.next()) {
        seen.push(step.value.seq);
        if (step.value.seq === 1_500) journal.commit([entry(2_500)]);
      }
      return step.value;
    };
    const tip = read();
    expect(seen).toHaveLength(2_501);
    journal.commit([entry(2_501)]);
    expect(read(tip).seq).toBe(2_502);
    expect(seen.at(-1)).toBe(2_502);
    reader.close();
    journal.commit([entry(2_502)]);
    journal.close();
  });

  test('reports a damaged entry by its number', () => {
    const file = freshFile();
    const journal = openSqliteJournal(file);
    journal.commit([entry(1), { at: SENT, fact: { kind: 'planned', order: anOrder() } }]);
    journal.close();
    withSql(file, (sql) => sql.exec('UPDATE entries SET at = at + 1 WHERE seq = 2'));
    expect(() => verifyJournal(file)).toThrow('entry 2 does not match its checksum');
    const reader = readJournal(file);
    expect(() => reader.history('w1.1')).toThrow('entry 2 does not match its checksum');
    reader.close();
  });
});
