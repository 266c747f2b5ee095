import { toJson } from '../../core/json.ts';
import { changedSince } from '../../report/live/changedSince.ts';
import { searchJournal } from './journalSearch.ts';
import type { JournalKeeper, KeptJournal } from './keptJournal.ts';
import { orderLife, searchOrders } from './orderLife.ts';
import { ownRecords, type PastRun } from './ownRecords.ts';
import { plottedSeries } from './plottedSeries.ts';
import type { Question } from './question.ts';
import { quoteCandles } from './quoteCandles.ts';
import { compareRuns, listRuns, runOf } from './runs.ts';

/**
 * Answer to a question as JSON, read from the journal of the run.
 * @throws {NothingFound} for what is not there
 * @throws {ConfigError} when the journal cannot be read
 */
export const answerTo = (question: Question, run: PastRun, keeper: JournalKeeper): string =>
  toJson(answerOf(question, run, keeper));

function answerOf(question: Question, run: PastRun, keeper: JournalKeeper): unknown {
  const journal = () => keeper.of(run.journal);
  const sources = { folder: run.runs, own: () => ownRecords(journal().history(), run) };
  switch (question.kind) {
    case 'record':
      return recordOf(question, run, journal());
    case 'runs':
      return listRuns(question.of, sources);
    case 'run':
      return runOf(question.id, sources);
    case 'comparison':
      return compareRuns(question.a, question.b, sources);
    default:
      return answerFrom(journal(), question);
  }
}

type RecordQuestion = Extract<Question, { kind: 'record' }>;

function recordOf({ strategy, since }: RecordQuestion, run: PastRun, journal: KeptJournal): unknown {
  const history = journal.history();
  const record = ownRecords(history, run).record(strategy ?? 'account');
  return { ...(since === null ? record : changedSince(record, history, since)), seq: history.seq };
}

/** Question about entries of the journal. */
type EntryQuestion = Exclude<Question, { kind: 'record' | 'runs' | 'run' | 'comparison' }>;

function answerFrom(journal: KeptJournal, question: EntryQuestion): unknown {
  const { reader } = journal;
  switch (question.kind) {
    case 'order':
      return orderLife(reader, question.id);
    case 'orders':
      return searchOrders(reader, question);
    case 'journal':
      return searchJournal(reader, question);
    case 'day':
      return journal.day(question);
    case 'candles':
      return quoteCandles(reader, question);
    case 'plots':
      return plottedSeries(reader, question);
  }
}
