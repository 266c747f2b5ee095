import type { CalendarException } from '../../calendar/index.ts';
import { toJson } from '../../core/json.ts';
import type { LiveIdentity } from '../../report/live/liveRecord.ts';
import { readJournal, type JournalReader } from '../../store/readJournal.ts';
import { dayEquity } from './dayEquity.ts';
import { searchJournal } from './journalSearch.ts';
import { orderLife } from './orderLife.ts';
import { searchOrders } from './orderSearch.ts';
import { ownRecords } from './ownRecords.ts';
import type { Question } from './question.ts';
import { quoteCandles } from './quoteCandles.ts';
import { compareRuns, listRuns, runOf } from './runs.ts';

/** Run whose past is asked for: plain data, so that it can be sent to a thread. */
export type PastRun = Readonly<{
  /** File of the journal. */
  journal: string;
  kind: LiveIdentity['kind'];
  account: string;
  /** Parameters by strategy. */
  params: readonly (readonly [strategy: string, params: unknown])[];
  /** Exceptions of the config to the calendar. */
  exceptions: readonly CalendarException[];
  /** Folder of saved records. */
  runs: string;
}>;

/**
 * Answer to a question as JSON, read from the journal over a connection of its own.
 * @throws {NothingFound} for what is not there
 * @throws {ConfigError} when the journal cannot be read
 */
export const answerTo = (question: Question, run: PastRun): string => toJson(answerOf(question, run));

function answerOf(question: Question, run: PastRun): unknown {
  const own = () => fromJournal(run, (reader) => ownRecords(reader, run));
  const sources = { folder: run.runs, own };
  switch (question.kind) {
    case 'record':
      return own().record(question.strategy ?? 'account');
    case 'runs':
      return listRuns(question.of, sources);
    case 'run':
      return runOf(question.id, sources);
    case 'comparison':
      return compareRuns(question.a, question.b, sources);
    default:
      return fromJournal(run, (reader) => answerFrom(reader, question));
  }
}

/** Reads the journal. The history of a run is complete once it is made: it needs no reader afterwards. */
function fromJournal<T>({ journal }: PastRun, read: (reader: JournalReader) => T): T {
  const reader = readJournal(journal);
  try {
    return read(reader);
  } finally {
    reader.close();
  }
}

/** Question about entries of the journal. */
type EntryQuestion = Exclude<Question, { kind: 'record' | 'runs' | 'run' | 'comparison' }>;

function answerFrom(reader: JournalReader, question: EntryQuestion): unknown {
  switch (question.kind) {
    case 'order':
      return orderLife(reader, question.id);
    case 'orders':
      return searchOrders(reader, question);
    case 'journal':
      return searchJournal(reader, question);
    case 'day':
      return dayEquity(reader, question);
    case 'candles':
      return quoteCandles(reader, question);
  }
}
