import { newYorkClock, newYorkDate } from '../../calendar/index.ts';
import { epochMs } from '../../core/brand.ts';
import { benchmarkReturns } from '../../statistics/benchmark.ts';
import { drawdownSeries } from '../../statistics/drawdown.ts';
import { sampleOf, type Sample } from '../../statistics/sample.ts';
import type { RunRecord } from '../runRecord.ts';

export type TradeRecord = RunRecord['trades'][number];
export type FillRecord = RunRecord['fills'][number];
export type LimitRecord = NonNullable<RunRecord['limitOrders']>[number];

/** What the charts of a report share, made once from the record of a run. Lists have one value for each mark. */
export type RunView = Readonly<{
  record: RunRecord;
  marks: RunRecord['marks'];
  /** Of the sessions, as `2026-03-09`. */
  dates: readonly string[];
  /** Before the first session. */
  start: number;
  equity: readonly number[];
  /** Its returns end where nothing is left. */
  sample: Sample;
  drawdown: readonly number[];
  benchmark: BenchmarkView | null;
}>;

export type BenchmarkView = Readonly<{
  symbol: string;
  /** What the start equity would be worth in it. */
  worth: readonly (number | null)[];
  returns: readonly (number | null)[];
}>;

export function runViewOf(record: RunRecord): RunView {
  const { marks, run, totals } = record;
  const start = Number(totals.equity.start);
  const { marksPerYear, settings } = run;
  const riskFree = Number(settings['riskFree'] ?? 0);
  const sample = sampleOf({ startEquity: start, marks }, { marksPerYear, riskFree });
  return {
    ...{ record, marks, start, sample },
    dates: marks.map(({ date }) => date),
    equity: marks.map(({ equity }) => equity),
    drawdown: drawdownSeries(sample.returns),
    benchmark: benchmarkOf(record.benchmark, start),
  };
}

function benchmarkOf(given: RunRecord['benchmark'], start: number): BenchmarkView | null {
  if (!given) return null;
  const { symbol, closes, start: first } = given;
  const worth = closes.map((close) => (close === null ? null : (start * close) / first));
  return { symbol, worth, returns: benchmarkReturns(given) };
}

/** `2026-03-09 14:30`, as clocks in New York show it. */
export const newYorkText = (at: number): string => `${newYorkDate(epochMs(at))} ${newYorkClock(epochMs(at))}`;

/** The session in which an instant lies: the first that closes at or after it. */
export function sessionIndex({ marks }: Pick<RunView, 'marks'>, at: number): number {
  let [from, to] = [0, marks.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((marks[middle]?.at ?? Infinity) < at) from = middle + 1;
    else to = middle;
  }
  return Math.min(from, marks.length - 1);
}
