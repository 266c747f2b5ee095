import { toJson } from '../../core/json.ts';
import { changedSince } from '../../report/live/changedSince.ts';
import { searchJournal } from './journalSearch.ts';
import type { JournalKeeper, KeptJournal } from './keptJournal.ts';
import { orderLife, searchOrders } from './orderLife.ts';
import { ownRecords, type PastRun } from './ownRecords.ts';
import type { Question, CandleQuery, PlotQuery } from './question.ts';
import { compareRuns, listRuns, runOf } from './runs.ts';
import { toNumber } from '../../core/amount.ts';
import type { JournalReader } from '../../store/readJournal.ts';
import type { QuoteCandles, PlotAnswer, PlottedColumns } from '../model/past.ts';
import type { PlottedSeries } from '../../domain/plots.ts';

/**
 * Answer to a question as JSON, read from the run's journal.
 * @throws {NothingFound} when the requested object does not exist
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

/** Question about journal entries. */
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

/** Maximum number of candles in an answer: earlier ones are left out. */
const CANDLES_MAX = 5_000;

/** Candles of a stock from quotes that the run saw, even for stocks and intervals without bars. */
function quoteCandles(
  reader: Pick<JournalReader, 'pricesBackwards'>,
  { symbol, intervalMs, from, to }: CandleQuery,
): QuoteCandles {
  const [start, open, high, low, close]: number[][] = [[], [], [], [], []] as const;
  const columns = { start, open, high, low, close } as Omit<QuoteCandles, 'symbol' | 'intervalMs'>;
  for (const { at, price } of reader.pricesBackwards(symbol)) {
    if (at < from) break;
    if (at < to && !takeEarlier(columns, at - (at % intervalMs), toNumber(price))) break;
  }
  for (const column of Object.values(columns)) column.reverse();
  return { symbol, intervalMs, ...columns };
}

/** Adds a price earlier than all previous ones, newest candle first; false when there are enough candles. */
function takeEarlier(
  { start, open, high, low, close }: Omit<QuoteCandles, 'symbol' | 'intervalMs'>,
  begins: number,
  price: number,
): boolean {
  const last = start.length - 1;
  if (start[last] === begins) {
    open[last] = price;
    high[last] = Math.max(high[last] ?? price, price);
    low[last] = Math.min(low[last] ?? price, price);
    return true;
  }
  if (start.length === CANDLES_MAX) return false;
  start.push(begins);
  for (const column of [open, high, low, close]) column.push(price);
  return true;
}

/** Maximum number of values per series in an answer: earlier ones are left out. */
const VALUES_MAX = 5_000;

/** Plots of a strategy, from the journal. */
export function plottedSeries(
  reader: Pick<JournalReader, 'backwards'>,
  { strategy, symbol, intervalMs, from, to }: PlotQuery,
): PlotAnswer {
  const found = new Map<string, PlottedColumns>();
  const isWanted = (of: string | undefined) => symbol === null || of === undefined || of === symbol;
  const take = (plotted: PlottedSeries): number => {
    const series = seriesIn(found, plotted);
    for (let index = plotted.at.length - 1; index >= 0; index--) {
      const at = plotted.at[index] ?? NaN;
      if (at < from || at >= to || isSameStretch(series.at.at(-1), at, intervalMs)) continue;
      if (series.at.length === VALUES_MAX) break;
      series.at.push(at);
      series.values.push(plotted.values[index] ?? null);
    }
    return series.at.length;
  };
  for (const { at, fact } of reader.backwards(['plotted'], Infinity)) {
    if (at < from) break;
    if (fact.strategyId !== strategy) continue;
    const lengths = fact.series.filter((plotted) => isWanted(plotted.symbol)).map(take);
    if (Math.max(0, ...lengths) >= VALUES_MAX) break;
  }
  const series = [...found.values()].filter(({ at }) => at.length > 0);
  for (const { at, values } of series) for (const column of [at, values]) column.reverse();
  return { intervalMs, series };
}

function seriesIn(
  found: Map<string, PlottedColumns>,
  { name, symbol, panel }: PlottedSeries,
): PlottedColumns {
  const key = JSON.stringify([name, symbol, panel]);
  const known = found.get(key) ?? { name, symbol: symbol ?? null, panel: panel ?? null, at: [], values: [] };
  found.set(key, known);
  return known;
}

const isSameStretch = (later: number | undefined, at: number, intervalMs: number): boolean =>
  later !== undefined && Math.floor(later / intervalMs) === Math.floor(at / intervalMs);
