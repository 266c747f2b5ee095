import { newYorkClock, newYorkDate } from '../../calendar/index.ts';
import { epochMs } from '../../core/brand.ts';
import { benchmarkReturn, benchmarkReturns } from '../../statistics/benchmark.ts';
import { drawdownSeries } from '../../statistics/drawdown.ts';
import { markNameOf, type MarkName } from '../../statistics/markName.ts';
import type { Measure } from '../../statistics/figures.ts';
import { sampleOf, type Sample } from '../../statistics/sample.ts';
import type { RunRecord } from '../runRecord.ts';

/** Round trip, or closed lot in its place, which has no bars and no fees of its own. */
export type TradeRecord = NonNullable<RunRecord['lotTrades']>[number] & Partial<RunRecord['trades'][number]>;
export type FillRecord = RunRecord['fills'][number];
export type LimitRecord = NonNullable<RunRecord['limitOrders']>[number];

/** Values shared by the charts of a report, computed once from the record of a run. Lists have one value per mark. */
export type RunView = Readonly<{
  record: RunRecord;
  marks: RunRecord['marks'];
  /** Dates of the sessions, as `2026-03-09`. */
  dates: readonly string[];
  /** Period whose closes are marked: a session or a week. */
  mark: MarkName;
  /** Value before the first session. */
  start: number;
  equity: readonly number[];
  /** Returns, ending where nothing is left. */
  sample: Sample;
  drawdown: readonly number[];
  /** Round trips, or closed lots where these are what the metrics of trades are measured from. */
  trades: readonly TradeRecord[];
  isByLots: boolean;
  benchmark: BenchmarkView | null;
}>;

export type BenchmarkView = Readonly<{
  symbol: string;
  /** Worth of the equity if all of it had been invested in it at its first price. */
  worth: readonly (number | null)[];
  /** Over the whole run. */
  total: Measure;
  returns: readonly (number | null)[];
}>;

export function runViewOf(record: RunRecord): RunView {
  const { marks, run, totals } = record;
  const start = Number(totals.equity.start);
  const { marksPerYear, settings } = run;
  const riskFree = Number(settings['riskFree'] ?? 0);
  const sample = sampleOf({ startEquity: start, marks }, { marksPerYear, riskFree });
  const equity = marks.map((mark) => mark.equity);
  const isByLots = record.tradeMetricsFrom === 'lots';
  return {
    record,
    marks,
    start,
    sample,
    equity,
    dates: marks.map(({ date }) => date),
    mark: markNameOf(marksPerYear),
    drawdown: drawdownSeries(sample.returns),
    trades: isByLots ? (record.lotTrades ?? []) : record.trades,
    isByLots,
    benchmark: benchmarkOf(record.benchmark, [start, ...equity]),
  };
}

/** @param opening the equity at the start, and at each mark */
function benchmarkOf(given: RunRecord['benchmark'], opening: readonly number[]): BenchmarkView | null {
  if (!given) return null;
  const { symbol, closes, start } = given;
  const spent = opening[closes.findIndex((close) => close !== null)] ?? NaN;
  const worth = closes.map((close) => (close === null ? null : (spent * close) / start));
  return { symbol, worth, returns: benchmarkReturns(given), total: benchmarkReturn(given) };
}

/** `2026-03-09 14:30`, as clocks in New York show it. */
export const newYorkText = (at: number): string => `${newYorkDate(epochMs(at))} ${newYorkClock(epochMs(at))}`;

/** Session of an instant: the first that closes at or after it. */
export function sessionIndex({ marks }: Pick<RunView, 'marks'>, at: number): number {
  let [from, to] = [0, marks.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((marks[middle]?.at ?? Infinity) < at) from = middle + 1;
    else to = middle;
  }
  return Math.min(from, marks.length - 1);
}
