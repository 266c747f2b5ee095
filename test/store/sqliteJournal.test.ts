import { copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Database } from '../../src/store/sqlite/sqlite.ts';
import { describe, expect, test, vi } from 'vitest';
import { parseCash, price } from '../../src/core/amount.ts';
import { ticker } from '../../src/domain/instrument.ts';
import { epochMs } from '../../src/core/brand.ts';
import { ConfigError } from '../../src/core/errors.ts';
import type { JournalEntry, Journal } from '../../src/domain/journalEvent.ts';
import { ORIGIN, sumOf, headFile } from '../../src/store/integrity.ts';
import { memoryJournal } from './memoryJournal.ts';
import { verifyJournal } from '../../src/store/readJournal.ts';
import { openSqliteJournal } from '../../src/store/sqliteJournal.ts';
import { anOrder, id, opened, SENT } from '../domain/orders.ts';
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

describe.each<[name: string, open: () => Journal]>([
  ['in a file', () => openSqliteJournal(freshFile())],
  ['in memory', () => memoryJournal()],
])('a journal %s', (_name, open) => {
  test('is empty when created', () => {
    const journal = open();
    expect(all(journal)).toEqual([]);
    journal.close();
  });

  test('returns entries unchanged in the order of their commits, whatever their times', () => {
    const journal = open();
    const facts: JournalEntry[] = [
      { at: SENT, fact: opened },
      { at: epochMs(SENT - 1), fact: { kind: 'planned', order: anOrder() } },
      { at: epochMs(0), fact: { kind: 'order', id: id('w1.1'), event: { kind: 'lost', reason: 'reset' } } },
      { at: SENT, fact: { kind: 'strategyState', strategyId: 'alpha', state: { $n: 'twelve' } } },
    ];
    journal.commit(facts.slice(0, 1));
    journal.commit([]);
    journal.commit(facts.slice(1));
    expect(all(journal)).toEqual(facts);
    expect(all(journal)).toEqual(facts);
    journal.close();
  });
});

describe('the journal file', () => {
  test('keeps committed entries when it is opened again', () => {
    const file = freshFile();
    for (let day = 0; day < 3; day++) {
      const journal = openSqliteJournal(file);
      expect(all(journal)).toHaveLength(2 * day);
      journal.commit([entry(2 * day), entry(2 * day + 1)]);
      journal.close();
    }
    const journal = openSqliteJournal(file);
    expect(all(journal)).toEqual([0, 1, 2, 3, 4, 5].map(entry));
    journal.close();
  });

  test('has committed entries although it was not closed, as after a crash', () => {
    const file = freshFile();
    const crashed = openSqliteJournal(file);
    crashed.commit([entry(1)]);
    const journal = openSqliteJournal(file);
    expect(all(journal)).toEqual([entry(1)]);
    journal.close();
    crashed.close();
  });

  test('keeps nothing of a failed batch and accepts the next one', () => {
    const file = freshFile();
    const journal = openSqliteJournal(file);
    journal.commit([entry(1)]);
    const halfMs = { ...entry(3), at: epochMs(0.5) };
    expect(() => journal.commit([entry(2), halfMs, entry(4)])).toThrow();
    expect(all(journal)).toEqual([entry(1)]);
    journal.commit([entry(5)]);
    journal.close();
    const again = openSqliteJournal(file);
    expect(all(again)).toEqual([entry(1), entry(5)]);
    again.close();
  });

  test('is readable by its owner alone, and so are its -wal and -shm files', () => {
    const file = freshFile();
    writeFileSync(file, '', { mode: 0o644 });
    const journal = openSqliteJournal(file);
    journal.commit([entry(1)]);
    for (const suffix of ['', '-wal', '-shm']) expect(statSync(`${file}${suffix}`).mode & 0o777).toBe(0o600);
    journal.close();
  });

  test('is opened with WAL and synchronous = FULL', () => {
    const file = freshFile();
    const pragma = vi.spyOn(Database.prototype, 'pragma');
    openSqliteJournal(file).close();
    expect(pragma).toHaveBeenCalledWith('synchronous = FULL');
    expect(withSql(file, (sql) => sql.pragma('journal_mode'))).toBe('wal');
  });

  test('indexes entries by order', () => {
    const file = freshFile();
    const journal = openSqliteJournal(file);
    journal.commit([
      entry(1),
      { at: SENT, fact: { kind: 'planned', order: anOrder() } },
      { at: SENT, fact: { kind: 'order', id: id('w1.1'), event: { kind: 'lost', reason: 'reset' } } },
    ]);
    journal.close();
    const kinds = withSql(file, (sql) =>
      sql.prepare('SELECT kind FROM entries WHERE order_id = ? ORDER BY seq').pluck().all('w1.1'),
    );
    expect(kinds).toEqual(['planned', 'order']);
  });
});

describe('the opening of a journal file', () => {
  test.each([
    [
      'trigger tidy',
      "CREATE TRIGGER tidy AFTER INSERT ON entries BEGIN DELETE FROM entries WHERE kind = 'halted'; END",
    ],
    ['view latest', 'CREATE VIEW latest AS SELECT * FROM entries'],
    ['index by_kind', 'CREATE INDEX by_kind ON entries (kind)'],
    ['table notes', 'CREATE TABLE notes (text TEXT)'],
    ['table entries', 'ALTER TABLE entries ADD COLUMN more TEXT'],
    [
      'index entries_by_order',
      'DROP INDEX entries_by_order; CREATE INDEX entries_by_order ON entries (kind)',
    ],
  ])('refuses an unknown or changed %s', (what, sql) => {
    const file = freshFile();
    const journal = openSqliteJournal(file);
    journal.commit([entry(1)]);
    journal.close();
    withSql(file, (database) => database.exec(sql));
    for (const use of [openSqliteJournal, verifyJournal])
      expect(() => use(file)).toThrow(`has a ${what} that this program did not make`);
    expect(withSql(file, (database) => database.prepare('SELECT count(*) FROM entries').pluck().get())).toBe(
      1,
    );
  });

  const written = () => {
    const file = freshFile();
    const journal = openSqliteJournal(file);
    journal.commit(Array.from({ length: 500 }, (_, index) => entry(index)));
    journal.close();
    return file;
  };

  test('refuses a newer version and leaves the file unchanged', () => {
    const file = written();
    withSql(file, (sql) => sql.pragma('user_version = 9'));
    expect(() => openSqliteJournal(file)).toThrow(ConfigError);
    expect(() => openSqliteJournal(file)).toThrow('was written by a newer version (schema 9)');
    expect(withSql(file, (sql) => sql.pragma('user_version'))).toBe(9);
  });

  test.each<[name: string, damage: (bytes: Buffer) => Buffer]>([
    ['that is not a database', () => Buffer.from('all work and no play '.repeat(200))],
    ['with a page of zeros', (bytes) => bytes.fill(0, 8_192, 12_288)],
    ['that is truncated', (bytes) => bytes.subarray(0, 8_192)],
  ])('refuses a file %s, with its path and a remedy', (_name, damage) => {
    const file = written();
    writeFileSync(file, damage(readFileSync(file)));
    expect(() => verifyJournal(file)).toThrow(`${file} is damaged: `);
    // The log of a process that did not close it.
    const open = () => {
      writeFileSync(`${file}-wal`, 'x');
      openSqliteJournal(file);
    };
    expect(open).toThrow(ConfigError);
    expect(open).toThrow(`${file} is damaged: `);
    expect(open).toThrow('drover journal recover');
  });

  test('is read from any entry on, with the sum before it', () => {
    const file = written();
    const journal = openSqliteJournal(file);
    const whole = [...journal.entries()];
    expect(whole.length).toBeGreaterThan(2);
    for (let from = 1; from <= whole.length + 1; from++)
      expect([...journal.entries(from)]).toEqual(whole.slice(from - 1));
    journal.close();
    withSql(file, (sql) => sql.exec('UPDATE entries SET sum = 1 WHERE seq = 1'));
    const changed = openSqliteJournal(file);
    expect(() => [...changed.entries(2)]).toThrow('entry 2 does not match its checksum');
    changed.close();
  });

  const all = (file: string) => {
    const journal = openSqliteJournal(file);
    try {
      return [...journal.entries()];
    } finally {
      journal.close();
    }
  };

  test.each<[name: string, sql: string, said: string]>([
    [
      'edited',
      `UPDATE entries SET body = replace(body, 's2', 's9') WHERE seq = 3`,
      'entry 3 does not match its checksum',
    ],
    [
      'changed in its time',
      `UPDATE entries SET at = at + 1 WHERE seq = 3`,
      'entry 3 does not match its checksum',
    ],
    ['unreadable', `UPDATE entries SET body = '{"kind' WHERE seq = 3`, 'entry 3 does not match its checksum'],
    ['missing', `DELETE FROM entries WHERE seq = 3`, 'entry 3 is missing'],
    [
      'moved to another place',
      `UPDATE entries SET body = (SELECT body FROM entries WHERE seq = 4) WHERE seq = 3`,
      'entry 3 does not match its checksum',
    ],
  ])('refuses an entry that is %s, and names it', (_name, sql, said) => {
    const file = written();
    withSql(file, (database) => database.exec(sql));
    expect(() => all(file)).toThrow(ConfigError);
    expect(() => all(file)).toThrow(`${file} is damaged: ${said}`);
  });

  test.each([
    ['another price', `UPDATE entries SET body = '2Ag3x' WHERE kind = 'quotes'`],
    ['another stock', `UPDATE symbols SET symbol = 'MSFT'`],
  ])('refuses packed quotes with %s', (_what, sql) => {
    const file = freshFile();
    const journal = openSqliteJournal(file);
    const prices = [[ticker('AAPL'), price(208_760_000_000_000_000_000n)]] as const;
    journal.commit([{ at: epochMs(1), fact: { kind: 'quotes', prices, phase: 'regular' } }]);
    journal.close();
    expect(all(file)[0]?.fact).toEqual({ kind: 'quotes', prices, phase: 'regular' });
    withSql(file, (database) => database.exec(sql));
    expect(() => all(file)).toThrow(`${file} is damaged: entry 1 does not match its checksum`);
  });

  test('refuses an entry that cannot be decoded, although its checksum is right', () => {
    const file = freshFile();
    openSqliteJournal(file).close();
    const row = { at: 1, kind: 'told', order: null, body: '{"kind' };
    const sum = sumOf(ORIGIN, row);
    withSql(file, (database) =>
      database.prepare('INSERT INTO entries VALUES (1, 1, ?, NULL, ?, ?)').run(row.kind, row.body, sum),
    );
    expect(() => all(file)).toThrow(`${file} is damaged: entry 1: `);
  });

  test('refuses an older copy, because more entries had been written', () => {
    const file = written();
    const older = readFileSync(file);
    const journal = openSqliteJournal(file);
    journal.commit([entry(500)]);
    journal.close();
    writeFileSync(file, older);
    expect(() => openSqliteJournal(file)).toThrow('it ends at entry 500, but 501 had been written');
    rmSync(headFile(file));
    expect(all(file)).toHaveLength(500);
  });

  test('refuses a copy without its write-ahead log, and accepts one with it', () => {
    const file = freshFile();
    const living = openSqliteJournal(file);
    living.commit([entry(1), entry(2)]);
    const [bare, whole] = [freshFile(), freshFile()];
    for (const part of ['', '-head']) {
      copyFileSync(`${file}${part}`, `${bare}${part}`);
      copyFileSync(`${file}${part}`, `${whole}${part}`);
    }
    copyFileSync(`${file}-wal`, `${whole}-wal`);
    living.close();
    expect(() => openSqliteJournal(bare)).toThrow('is damaged');
    expect(all(whole)).toEqual([entry(1), entry(2)]);
  });

  test('refuses a file that does not match its head note', () => {
    const [one, other] = [written(), written()];
    withSql(other, (sql) => sql.exec(`UPDATE entries SET sum = 'x' WHERE seq = 500`));
    copyFileSync(headFile(one), headFile(other));
    expect(() => openSqliteJournal(other)).toThrow('entry 500 is of another journal');
  });
});
