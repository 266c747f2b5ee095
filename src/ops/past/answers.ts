import { createTradingCalendar, type CalendarException } from '../../calendar/index.ts';
import { toJson } from '../../core/json.ts';
import { LiveHistory } from '../../report/live/liveHistory.ts';
import { liveRecord, type LiveIdentity } from '../../report/live/liveRecord.ts';
import { strategiesOf } from '../../report/live/totals.ts';
import { readJournal, type JournalReader } from '../../store/readJournal.ts';
import { dayEquity } from './dayEquity.ts';
import { searchJournal } from './journalSearch.ts';
import { orderLife } from './orderLife.ts';
import { searchOrders } from './orderSearch.ts';
import { NothingFound, type Question } from './question.ts';
import { quoteCandles } from './quoteCandles.ts';

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
}>;

/**
 * Answer to a question as JSON, read from the journal over a connection of its own.
 * @throws {NothingFound} for what is not there
 * @throws {ConfigError} when the journal cannot be read
 */
export function answerTo(question: Question, run: PastRun): string {
  const reader = readJournal(run.journal);
  try {
    return toJson(answerFrom(reader, question, run));
  } finally {
    reader.close();
  }
}

function answerFrom(reader: JournalReader, question: Question, run: PastRun): unknown {
  switch (question.kind) {
    case 'record':
      return recordOf(reader, question.strategy, run);
    case 'order':
      return orderLife(reader, question.id);
    case 'orders':
      return searchOrders(reader, question);
    case 'journal':
      return searchJournal(reader, question);
    case 'day':
      return dayEquity(reader, question.date, question.strategy);
    case 'candles':
      return quoteCandles(reader, question);
  }
}

function recordOf(reader: JournalReader, strategy: string | null, run: PastRun): unknown {
  const history = new LiveHistory(reader);
  const known = strategiesOf(history, null);
  if (strategy !== null && !known.includes(strategy))
    throw new NothingFound(
      `this journal has no strategy ${JSON.stringify(strategy)}. It has ${known.join(', ') || 'none'}`,
    );
  const identity = {
    kind: run.kind,
    account: run.account,
    params: new Map(run.params),
    calendar: createTradingCalendar(run.exceptions),
  };
  return liveRecord(history, identity, strategy === null ? null : [strategy]);
}
