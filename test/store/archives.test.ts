import { copyFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Database } from '../../src/store/sqlite/sqlite.ts';
import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../src/core/errors.ts';
import { headFile, type Tip } from '../../src/store/integrity.ts';
import { latestOf, readJournal, verifyJournal } from '../../src/store/readJournal.ts';
import { openSqliteJournal } from '../../src/store/sqliteJournal.ts';
import {
  beside,
  journalWith,
  LINES,
  numbers,
  pruned,
  reading,
  rowsIn,
  startEntries,
  stateFolders,
  sumAt,
  THREE_YEARS,
} from './pruned.ts';

const freshState = stateFolders();
const withSql = (file: string, sql: string) => {
  const database = new Database(file);
  database.exec(sql);
  database.close();
};

describe('a pruned journal', () => {
  test('keeps the year of its last entry, with each closed New York year in an archive of its own', () => {
    const file = journalWith(freshState());
    const { sum } = verifyJournal(file);
    expect(pruned(file)).toBeNull();
    expect(rowsIn(beside(file, 'journal-2024.sqlite'))).toEqual(numbers(1, 8));
    expect(rowsIn(beside(file, 'journal-2025.sqlite'))).toEqual(numbers(9, 20));
    expect(rowsIn(file)).toEqual(numbers(21, 26));
    expect(verifyJournal(file)).toMatchObject({
      seq: 26,
      sum,
      epochs: 4,
      archives: [
        { first: 1, last: 8 },
        { first: 9, last: 20 },
      ],
    });
  });

  test('reads as one sequence with one numbering', () => {
    const file = journalWith(freshState());
    const asked = (ask: Parameters<typeof reading<unknown>>[1]) => reading(file, ask);
    const questions = [
      () => asked((reader) => reader.history('w1.1')),
      () => asked((reader) => [...reader.ofKinds(['epoch', 'order'])]),
      () => asked((reader) => numbers(0, 27).map((seq) => reader.after(seq, 9, 1e6))),
      () => asked((reader) => numbers(0, 27).map((seq) => reader.after(seq, 99, 400))),
      () => asked((reader) => numbers(0, 27).map((seq) => reader.ofKindsAfter(seq, ['epoch', 'order'], 3))),
      () => asked((reader) => numbers(1, 27).map((seq) => [...reader.backwards(['epoch'], seq)])),
      () => asked((reader) => numbers(0, 27).map((seq) => reader.tipAt(seq))),
      () => numbers(1, 5).map((count) => latestOf(file, ['epoch'], count)),
      () => latestOf(file, ['planned', 'order'], 5),
    ];
    const before = questions.map((question) => question());
    pruned(file);
    expect(questions.map((question) => question())).toEqual(before);
    expect(asked((reader) => [...reader.lines()])).toEqual(LINES);
    expect(startEntries(file)).toEqual(THREE_YEARS);
  });

  test.each([0, 7, 8, 9, 20, 21, 26])('continues reading after entry %i', (seq) => {
    const file = journalWith(freshState());
    pruned(file);
    const tip: Tip = { seq, sum: sumAt(file, seq) };
    expect(reading(file, (reader) => [...reader.lines(tip)])).toEqual(LINES.slice(seq));
  });

  test('takes further entries and is pruned again as years close', () => {
    const file = journalWith(freshState(), THREE_YEARS.slice(0, 14));
    pruned(file);
    const journal = openSqliteJournal(file);
    expect(journal.length()).toBe(14);
    journal.commit(THREE_YEARS.slice(14));
    journal.close();
    expect(reading(file, (reader) => [...reader.lines()])).toEqual(LINES);
    pruned(file);
    expect(rowsIn(beside(file, 'journal-2025.sqlite'))).toEqual(numbers(9, 20));
    expect(startEntries(file)).toEqual(THREE_YEARS);
  });

  test('is readable by its owner alone, and so are its archives, in any folder', () => {
    const file = journalWith(freshState());
    const folder = freshState();
    pruned(file, { folder });
    expect(readdirSync(folder)).toEqual(['journal-2024.sqlite', 'journal-2025.sqlite']);
    for (const path of [file, ...readdirSync(folder).map((name) => join(folder, name))])
      expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(startEntries(file)).toEqual(THREE_YEARS);
  });

  test('finds archives that were moved next to it', () => {
    const file = journalWith(freshState());
    const folder = freshState();
    pruned(file, { folder });
    for (const name of readdirSync(folder)) renameSync(join(folder, name), beside(file, name));
    expect(startEntries(file)).toEqual(THREE_YEARS);
  });

  test('has a schema that versions without archives, or without the index of rows, refuse', () => {
    const file = journalWith(freshState());
    const version = (path: string) => new Database(path).pragma('user_version');
    pruned(file, { before: 2024 });
    startEntries(file);
    expect(version(file)).toBe(8);
    new Database(file).pragma('user_version = 4');
    pruned(file);
    expect(version(file)).toBe(8);
    startEntries(file);
    expect(version(beside(file, 'journal-2024.sqlite'))).toBe(8);
  });

  test('accepts a head note older than the pruning, and refuses one of another journal', () => {
    const file = journalWith(freshState());
    const note = (seq: number, sum: string) =>
      writeFileSync(headFile(file), `${`${seq} ${sum}`.padEnd(63)}\n`);
    const sums = [3, 8, 20, 21].map((seq) => [seq, sumAt(file, seq)] as const);
    pruned(file);
    for (const [seq, sum] of sums) {
      note(seq, sum);
      expect(startEntries(file)).toHaveLength(26);
      note(seq, `${sum.slice(1)}x`);
      expect(() => openSqliteJournal(file)).toThrow(`entry ${seq} is of another journal`);
    }
  });

  test('reports to a reader that it was pruned meanwhile', () => {
    const file = journalWith(freshState());
    reading(file, (reader) => {
      pruned(file);
      expect(() => [...reader.lines()]).toThrow('was pruned while it was read. Run this again');
      expect([...reader.lines({ seq: 20, sum: sumAt(file, 20) })]).toEqual(LINES.slice(20));
    });
  });
});

describe('an archive of a pruned journal', () => {
  const wrong: readonly [name: string, harm: (state: string) => void, says: RegExp][] = [
    [
      'that is missing',
      (state) => rmSync(join(state, 'journal-2025.sqlite')),
      /journal-2025\.sqlite is missing: .*entries 9 to 20/,
    ],
    [
      'in the place of another',
      (state) => {
        renameSync(join(state, 'journal-2024.sqlite'), join(state, 'x'));
        renameSync(join(state, 'journal-2025.sqlite'), join(state, 'journal-2024.sqlite'));
        renameSync(join(state, 'x'), join(state, 'journal-2025.sqlite'));
      },
      /journal-202[45]\.sqlite is not the archive .* instead of entries (1 to 8|9 to 20)/,
    ],
    [
      'of another journal',
      (state) => {
        const other = journalWith(freshState(), [...THREE_YEARS.slice(1, 2), ...THREE_YEARS.slice(1)]);
        pruned(other);
        copyFileSync(beside(other, 'journal-2025.sqlite'), join(state, 'journal-2025.sqlite'));
      },
      /journal-2025\.sqlite is not the archive .* Put back the right one/,
    ],
    [
      'that lacks its last entry',
      (state) => withSql(join(state, 'journal-2025.sqlite'), 'DELETE FROM entries WHERE seq = 20'),
      /journal-2025\.sqlite is not the archive .* entries 9 to 19/,
    ],
    [
      'that is no database',
      (state) => writeFileSync(join(state, 'journal-2024.sqlite'), 'all work and no play '.repeat(200)),
      /journal-2024\.sqlite is damaged: .* Put back this archive/,
    ],
    [
      'that is a journal',
      (state) => copyFileSync(journalWith(freshState()), join(state, 'journal-2024.sqlite')),
      /journal-2024\.sqlite is damaged: it is not an archive/,
    ],
  ];

  test.each(wrong)('%s is named in the error, and nothing starts', (_name, harm, says) => {
    const file = journalWith(freshState());
    pruned(file);
    harm(dirname(file));
    for (const use of [
      openSqliteJournal,
      readJournal,
      verifyJournal,
      pruned,
      () => latestOf(file, ['epoch'], 9),
    ]) {
      expect(() => use(file)).toThrow(ConfigError);
      expect(() => use(file)).toThrow(says);
    }
  });

  test.each([
    ['was changed', 'UPDATE entries SET at = at + 1 WHERE seq = 12', 'entry 12 does not match its checksum'],
    ['lacks one in the middle', 'DELETE FROM entries WHERE seq = 12', 'entry 12 is missing'],
  ])('of which an entry %s is named by a start and by a check', (_name, sql, says) => {
    const file = journalWith(freshState());
    pruned(file);
    const archive = beside(file, 'journal-2025.sqlite');
    withSql(archive, sql);
    const error = `${archive} is damaged: ${says}. Put back this archive`;
    expect(() => startEntries(file)).toThrow(error);
    expect(() => verifyJournal(file)).toThrow(error);
  });

  test('is refused in place of the journal', () => {
    const file = journalWith(freshState());
    pruned(file);
    copyFileSync(beside(file, 'journal-2024.sqlite'), file);
    for (const use of [openSqliteJournal, readJournal])
      expect(() => use(file)).toThrow(`${file} is an archive`);
  });

  test('is bound to its journal by its checksum, and a journal without its list of archives is damaged', () => {
    const file = journalWith(freshState());
    pruned(file);
    withSql(file, `UPDATE archives SET sum = 'x' WHERE year = 2025`);
    expect(() => openSqliteJournal(file)).toThrow(/journal-2025.sqlite is not the archive/);
    withSql(file, `DELETE FROM archives`);
    expect(() => startEntries(file)).toThrow(`${file} is damaged: entry 1 is missing`);
    expect(() => verifyJournal(file)).toThrow(`${file} is damaged: entry 1 is missing`);
  });
});
