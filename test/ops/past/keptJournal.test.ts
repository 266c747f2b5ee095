import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JournalEntry } from '../../../src/domain/journalEvent.ts';
import { answerTo } from '../../../src/ops/past/answers.ts';
import { JournalKeeper } from '../../../src/ops/past/keptJournal.ts';
import type { Question } from '../../../src/ops/past/question.ts';
import { openSqliteJournal } from '../../../src/store/sqliteJournal.ts';
import { someYear } from '../../report/live/liveJournal.ts';
import type { PastRun } from '../../../src/ops/past/ownRecords.ts';

/** A journal on disk, which grows. */
function journalOf() {
  const file = join(mkdtempSync(join(tmpdir(), 'drover-')), 'journal.sqlite');
  const run: PastRun = { journal: file, kind: 'live', account: 'x', params: [], exceptions: [], runs: '' };
  return { run, writer: openSqliteJournal(file) };
}

const QUESTIONS: readonly Question[] = [
  { kind: 'record', strategy: null, since: null },
  { kind: 'record', strategy: 'alpha', since: null },
  { kind: 'day', date: null, strategy: null, each: true },
  { kind: 'day', date: null, strategy: 'alpha', each: false },
  { kind: 'day', date: '2026-01-06', strategy: 'alpha', each: false },
];

/** Parts of a journal, some of them of one entry. */
function partsOf(entries: readonly JournalEntry[]): JournalEntry[][] {
  const parts: JournalEntry[][] = [];
  for (let from = 0, size = 1; from < entries.length; from += size, size = (size % 5) + 1)
    parts.push(entries.slice(from, from + size));
  return parts;
}

test('queries on a journal kept in memory give the same as on a journal read from the start', () => {
  const { run, writer } = journalOf();
  const [first = [], ...parts] = partsOf(someYear().entries);
  writer.commit(first);
  const kept = new JournalKeeper();
  const answersOf = (keeper: JournalKeeper) =>
    QUESTIONS.map((question) => {
      try {
        return answerTo(question, run, keeper);
      } catch (error) {
        return String(error);
      }
    });
  for (const part of parts) {
    writer.commit(part);
    const fresh = new JournalKeeper();
    expect(answersOf(kept)).toEqual(answersOf(fresh));
    fresh.close();
  }
  kept.close();
  writer.close();
});
