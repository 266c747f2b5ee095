import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aloneIn } from '../../../src/app/run/startChecks.ts';
import { epochMs } from '../../../src/core/brand.ts';
import type { JournalEvent } from '../../../src/domain/journalEvent.ts';
import { migrateJournal } from '../../../src/store/migrateJournal.ts';
import { Database } from '../../../src/store/sqlite/sqlite.ts';
import { openSqliteJournal } from '../../../src/store/sqliteJournal.ts';

const restarted = (strategyId: string, alone: string): JournalEvent => ({
  kind: 'strategyRestarted',
  strategyId,
  why: 'a test',
  alone,
});
const started = (...alone: string[]): JournalEvent => ({
  kind: 'started',
  strategies: ['a', 'b'],
  ...(alone.length > 0 ? { alone } : {}),
});

test.each<[string, JournalEvent[], string[]]>([
  ['no strategy where none ended a thread', [started()], []],
  [
    'a strategy that ended a thread in the latest run',
    [started(), restarted('a', 'b'), restarted('c', 'b')],
    ['b'],
  ],
  [
    'a strategy that ended a thread while strategies were being created',
    [restarted('a', 'b'), started('b')],
    ['b'],
  ],
  [
    'strategies that ended a thread in earlier runs',
    [started(), restarted('a', 'b'), started('b'), restarted('a', 'c')],
    ['b', 'c'],
  ],
])('a start gives a separate thread to %s', (_, facts, expected) => {
  const file = join(mkdtempSync(join(tmpdir(), 'drover-alone-')), 'journal.sqlite');
  const journal = openSqliteJournal(file);
  journal.commit(facts.map((fact) => ({ at: epochMs(0), fact })));
  journal.close();
  expect([...aloneIn(file)].toSorted()).toEqual(expected);
});

test('a start on a journal of a version before shared threads gives no strategy a separate thread', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'drover-alone-')), 'journal.sqlite');
  const journal = openSqliteJournal(file);
  journal.commit([{ at: epochMs(0), fact: started() }]);
  journal.close();
  const sql = new Database(file);
  sql.exec('ALTER TABLE entries DROP COLUMN sum');
  sql.pragma('user_version = 1');
  sql.close();
  expect([...aloneIn(file)]).toEqual([]);
  expect(migrateJournal(file)).toBe(`${file}.schema-1`);
  expect([...aloneIn(file)]).toEqual([]);
});
