import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JournalEntry } from '../../../src/domain/journalEvent.ts';
import { answerTo } from '../../../src/ops/past/answers.ts';
import { JournalKeeper } from '../../../src/ops/past/keptJournal.ts';
import type { Question } from '../../../src/ops/past/question.ts';
import type { DayEquity } from '../../../src/ops/model/past.ts';
import { openSqliteJournal } from '../../../src/store/sqliteJournal.ts';
import { LiveDays, someYear } from '../../report/live/liveJournal.ts';
import type { PastRun } from '../../../src/ops/past/ownRecords.ts';
import { AAPL } from '../../domain/orders.ts';

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

test('a dividend on its ex-date is not yet in the equity at the open, whose prices still contain it', () => {
  const days = new LiveDays('2026-01-05').quote({ AAPL: '100' }).open('10000', [[AAPL, '10', '100']]);
  days.allocate('10000').opens('2026-01-05').on('2026-01-05');
  days.trade({ side: 'buy', quantity: '50', price: '100' });
  days.closes('2026-01-05').on('2026-01-06', '09:30').entitle('15', '2026-01-20');
  days.opens('2026-01-06').on('2026-01-06', '09:31').quote({ AAPL: '85' }).closes('2026-01-06');
  const { run, writer } = journalOf();
  writer.commit(days.entries);
  const keeper = new JournalKeeper();
  const dayOf = (strategy: string | null) =>
    JSON.parse(answerTo({ kind: 'day', date: null, strategy, each: true }, run, keeper)) as DayEquity;
  // 5000 in cash and 50 at 100, then at 85 with 750 due; with ten more unallocated shares for the whole account.
  expect(dayOf('alpha').equity).toEqual([10_000, 10_000, 10_000]);
  expect(dayOf(null).equity).toEqual([11_000, 11_000, 11_000]);
  expect(dayOf(null).strategies?.map(({ equity }) => equity)).toEqual([[10_000, 10_000, 10_000]]);
  keeper.close();
  writer.close();
});
