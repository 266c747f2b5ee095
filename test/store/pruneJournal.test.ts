import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Database, SqliteError } from '../../src/store/sqlite/sqlite.ts';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { planPruning, type PruneStep } from '../../src/store/pruneJournal.ts';
import { verifyJournal } from '../../src/store/readJournal.ts';
import {
  beside,
  copyNow,
  journalWith,
  LINES,
  numbers,
  pruned,
  reading,
  rowsIn,
  startEntries,
  stateFolders,
  THREE_YEARS,
} from './pruned.ts';

const freshState = stateFolders();
afterEach(() => vi.restoreAllMocks());

describe('the years that pruning archives', () => {
  const years = (choice: Parameters<typeof planPruning>[1], entries = THREE_YEARS) =>
    planPruning(journalWith(freshState(), entries), choice).archives.map(({ year }) => year);

  test('are chosen by the first year to keep or by the number of years to keep', () => {
    expect(years({})).toEqual([2024, 2025]);
    expect(years({ before: 2025 })).toEqual([2024]);
    expect(years({ before: 2024 })).toEqual([]);
    expect(years({ keep: 1 })).toEqual([2024, 2025]);
    expect(years({ keep: 2 })).toEqual([2024]);
    expect(years({ keep: 9 })).toEqual([]);
    expect(() => years({ before: 2027 })).toThrow(
      /its year stays in the journal. Name 2026 or an earlier year/,
    );
  });

  test('end at the first entry of the next year, even when the clock went back', () => {
    const [first, ...rest] = THREE_YEARS.slice(8);
    const back = THREE_YEARS.slice(0, 8);
    if (!first) throw new Error('no entry');
    const file = journalWith(freshState(), [...back, first, ...back, ...rest]);
    pruned(file, { before: 2026 });
    expect(rowsIn(beside(file, 'journal-2024.sqlite'))).toEqual(numbers(1, 8));
    expect(rowsIn(beside(file, 'journal-2025.sqlite'))).toEqual(numbers(9, 28));
    expect(startEntries(file)).toHaveLength(34);
  });
});

describe('a pruning that was killed', () => {
  const STEPS: readonly PruneStep[] = [
    'copy',
    'check',
    'place',
    'copy',
    'check',
    'place',
    'remove',
    'compact',
  ];

  test('before any step leaves the journal readable as before, and pruning again completes it', () => {
    const file = journalWith(freshState());
    const copies: string[] = [];
    const steps: PruneStep[] = [];
    pruned(file, {
      report: (step) => {
        steps.push(step);
        copies.push(copyNow(file, freshState()));
      },
    });
    expect(steps).toEqual(STEPS);
    for (const copy of copies) {
      expect(reading(copy, (reader) => [...reader.lines()])).toEqual(LINES);
      const again = copyNow(copy, freshState());
      expect(startEntries(copy)).toEqual(THREE_YEARS);
      pruned(again);
      expect(readdirSync(dirname(again)).filter((name) => /\.new/.test(name))).toEqual([]);
      expect(rowsIn(again)).toEqual(numbers(21, 26));
      expect(startEntries(again)).toEqual(THREE_YEARS);
      expect(verifyJournal(again).seq).toBe(26);
    }
  });

  test('with half an archive on disk copies it again', () => {
    const file = journalWith(freshState());
    writeFileSync(beside(file, 'journal-2024.sqlite.new'), 'half');
    writeFileSync(beside(file, 'journal-2024.sqlite.new-journal'), 'half');
    pruned(file);
    expect(startEntries(file)).toEqual(THREE_YEARS);
  });

  test('before the file was compacted compacts it on the next pruning', () => {
    const big = Array.from({ length: 4_000 }, () => THREE_YEARS.slice(0, 8)).flat();
    const file = journalWith(freshState(), [...big, ...THREE_YEARS.slice(8)]);
    const stop = (step: PruneStep) => {
      if (step === 'compact') throw new Error('killed');
    };
    const before = statSync(file).size;
    expect(() => pruned(file, { report: stop })).toThrow('killed');
    expect(statSync(file).size).toBeGreaterThan(before / 2);
    expect(pruned(file)).toBeNull();
    expect(statSync(file).size).toBeLessThan(before / 10);
    expect(startEntries(file)).toHaveLength(big.length + 18);
  });
});

describe('a disk that fails during pruning', () => {
  /** Makes the database fail from this step on. */
  const failFrom = (wanted: PruneStep) => ({
    report: (step: PruneStep) => {
      if (step !== wanted) return;
      for (const method of ['exec', 'prepare'] as const)
        vi.spyOn(Database.prototype, method).mockImplementation(() => {
          throw new SqliteError('database or disk is full', 'SQLITE_FULL');
        });
    },
  });

  test.each([
    ['copy', /journal-2024.sqlite cannot be written: .*full.* The journal is as it was/],
    ['remove', /journal.sqlite cannot be read or written: .*full/],
  ] as const)('in the step %s leaves the journal unchanged', (step, says) => {
    const file = journalWith(freshState());
    expect(() => pruned(file, failFrom(step))).toThrow(says);
    vi.restoreAllMocks();
    expect(existsSync(beside(file, 'journal-2024.sqlite.new'))).toBe(false);
    expect(rowsIn(file)).toEqual(numbers(1, 26));
    pruned(file);
    expect(startEntries(file)).toEqual(THREE_YEARS);
  });

  test('while compacting gives the reason why the file kept its size', () => {
    const big = Array.from({ length: 500 }, () => THREE_YEARS.slice(0, 8)).flat();
    const file = journalWith(freshState(), [...big, ...THREE_YEARS.slice(8)]);
    expect(pruned(file, failFrom('compact'))).toBe('database or disk is full');
    vi.restoreAllMocks();
    expect(startEntries(file)).toHaveLength(4_018);
  });
});

test('a file that is not the expected archive stays, and pruning removes nothing', () => {
  const file = journalWith(freshState());
  const taken = beside(file, 'journal-2024.sqlite');
  writeFileSync(taken, 'mine');
  expect(() => pruned(file)).toThrow(
    /journal-2024.sqlite is there already, and is not a copy .*--archive DIR/,
  );
  const other = journalWith(freshState(), THREE_YEARS.slice(1));
  pruned(other);
  copyFileSync(beside(other, 'journal-2024.sqlite'), taken);
  expect(() => pruned(file)).toThrow(/is there already/);
  const twin = journalWith(freshState());
  pruned(twin);
  copyFileSync(beside(twin, 'journal-2024.sqlite'), taken);
  const database = new Database(taken);
  database.exec('UPDATE entries SET at = at + 1 WHERE seq = 3');
  database.close();
  expect(() => pruned(file)).toThrow(/is there already, .*entry 3 does not match its checksum/);
  expect(rowsIn(file)).toEqual(numbers(1, 26));
  const folder = join(freshState(), 'archives');
  mkdirSync(folder);
  pruned(file, { folder });
  rmSync(taken);
  expect(startEntries(file)).toEqual(THREE_YEARS);
});
