import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  cpSync,
  mkdtempSync,
  renameSync,
  rmSync,
  truncateSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { JournalLostError } from '../../src/core/errors.ts';
import type { JournalEntry, Journal } from '../../src/domain/journalEvent.ts';
import { openSqliteJournal } from '../../src/store/sqliteJournal.ts';
import { opened, SENT } from '../domain/orders.ts';

const first: JournalEntry = { at: SENT, fact: { kind: 'epoch', epoch: 1 } };
const next: JournalEntry = { at: SENT, fact: opened };

/** A journal with one entry, in a folder of its own. */
function begun(): Readonly<{ file: string; journal: Journal }> {
  const file = join(mkdtempSync(join(tmpdir(), 'drover-guard-')), 'state', 'journal.sqlite');
  cpSync(mkdtempSync(join(tmpdir(), 'drover-empty-')), dirname(file), { recursive: true });
  const journal = openSqliteJournal(file);
  journal.commit([first]);
  return { file, journal };
}

const CASES: readonly [string, (file: string) => void, string][] = [
  ['is removed', (file) => rmSync(file), 'is gone'],
  ['whose log is removed', (file) => rmSync(`${file}-wal`), '-wal is gone'],
  ['whose index is removed', (file) => rmSync(`${file}-shm`), '-shm is gone'],
  ['whose folder is moved', (file) => renameSync(dirname(file), `${dirname(file)}-away`), 'is gone'],
  [
    'whose folder is replaced by a copy',
    (file) => {
      renameSync(dirname(file), `${dirname(file)}-away`);
      cpSync(`${dirname(file)}-away`, dirname(file), { recursive: true });
    },
    'was replaced by another file',
  ],
  [
    'is replaced by a copy',
    (file) => {
      copyFileSync(file, `${file}.copy`);
      renameSync(`${file}.copy`, file);
    },
    'was replaced by another file',
  ],
  [
    'whose log is replaced',
    (file) => {
      copyFileSync(`${file}-wal`, `${file}.copy`);
      renameSync(`${file}.copy`, `${file}-wal`);
    },
    '-wal was replaced by another file',
  ],
  ['whose log is emptied', (file) => truncateSync(`${file}-wal`), '-wal was cut short'],
  ['whose index is emptied', (file) => truncateSync(`${file}-shm`), '-shm was cut short'],
  ['that others may write', (file) => chmodSync(file, 0o666), 'may be written by other users now'],
];

describe.each(CASES)('a journal that %s while it is open', (_how, change, why) => {
  test('takes nothing more, says why, and stays lost', () => {
    const { file, journal } = begun();
    expect(journal.lost?.()).toBeNull();
    change(file);
    expect(journal.lost?.()).toContain(`${why} under this run: anything written now is lost`);
    expect(() => journal.commit([next])).toThrow(JournalLostError);
    expect(() => journal.commit([next])).toThrow(why);
    expect(journal.lost?.()).toContain(why);
  });

  // A log that is emptied in the middle of a write has its size again when that is through.
  test.skipIf(why.includes('cut short'))('while it is written tells that what it took is lost', () => {
    const { file, journal } = begun();
    const changing = { at: SENT, fact: { kind: 'halted', why: { toJSON: () => change(file) } } };
    expect(() => journal.commit([changing as unknown as JournalEntry])).toThrow(JournalLostError);
  });
});

test('a journal whose index was emptied is whole: it closes, and opens again with all that was written', () => {
  const { file, journal } = begun();
  journal.commit([next]);
  truncateSync(`${file}-shm`);
  expect(() => journal.commit([next])).toThrow(JournalLostError);
  expect(journal.length?.()).toBe(2);
  journal.close();
  const again = openSqliteJournal(file);
  expect([...again.entries()]).toEqual([first, next]);
  again.close();
});

test('what grows, and what others read, is no loss', () => {
  const { file, journal } = begun();
  chmodSync(file, 0o644);
  appendFileSync(`${file}-head`, '');
  for (let count = 0; count < 2_000; count++) journal.commit([next]);
  expect(journal.lost?.()).toBeNull();
  journal.close();
});
