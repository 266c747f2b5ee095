import { countWhile } from '../../core/countWhile.ts';
import { benchmarkReturn, benchmarkReturns } from '../../statistics/benchmark.ts';
import { drawdownSeries } from '../../statistics/drawdown.ts';
import { markNameOf } from '../../statistics/markName.ts';
import {
  isNumber,
  type MarkFigures,
  type RunFigures,
  type StatisticsOptions,
} from '../../statistics/figures.ts';
import { metricsOf } from '../../statistics/metrics.ts';
import { METRIC_GROUPS } from '../../statistics/metricTable.ts';
import { sampleOf } from '../../statistics/sample.ts';
import type { RunRecord } from '../runRecord.ts';

/** Round trip, or closed lot instead, which has no bar count and no separate fees. */
export type TradeRecord = NonNullable<RunRecord['lotTrades']>[number] & Partial<RunRecord['trades'][number]>;
export type FillRecord = RunRecord['fills'][number];
export type LimitRecord = NonNullable<RunRecord['limitOrders']>[number];

/** Maximum number of trades listed (a page with all of them would open slowly), and number per list page. */
export const [LISTED_MAX, LIST_PAGE] = [5000, 50];

/** Values shared by the charts of a report, computed once from the record. Lists have one value per mark. */
export function runViewOf(record: RunRecord) {
  const { marks, run, totals } = record;
  const start = Number(totals.equity.start);
  const { marksPerYear, settings } = run;
  const riskFree = Number(settings['riskFree'] ?? 0);
  const sample = sampleOf({ startEquity: start, marks }, { marksPerYear, riskFree });
  const equity = marks.map((mark) => mark.equity);
  const isByLots = record.tradeMetricsFrom === 'lots';
  const trades: readonly TradeRecord[] = isByLots ? (record.lotTrades ?? []) : record.trades;
  return {
    record,
    marks,
    /** Equity before the first session. */
    start,
    /** Returns, ending when no equity is left. */
    sample,
    equity,
    /** Session dates, such as `2026-03-09`. */
    dates: marks.map(({ date }) => date),
    /** Period of the marks: a session or a week. */
    mark: markNameOf(marksPerYear),
    drawdown: drawdownSeries(sample.returns),
    /** Round trips, or closed lots if the trade metrics are based on them. */
    trades,
    /** Latest trades, up to the list's maximum, newest first. */
    listed: trades.toSorted((one, other) => other.exitAt - one.exitAt).slice(0, LISTED_MAX),
    isByLots,
    benchmark: record.benchmark && benchmarkOf(record.benchmark, record, { riskFree, marksPerYear }),
  };
}

export type RunView = Readonly<ReturnType<typeof runViewOf>>;

function benchmarkOf(
  given: NonNullable<RunRecord['benchmark']>,
  { totals, marks }: RunRecord,
  options: StatisticsOptions,
) {
  const { symbol, closes, start } = given;
  const opening = [Number(totals.equity.start), ...marks.map(({ equity }) => equity)];
  const spent = opening[closes.findIndex((close) => close !== null)] ?? NaN;
  const worth = closes.map((close) => (close === null ? null : (spent * close) / start));
  const total = benchmarkReturn(given);
  const held = marks.map(({ date, at }, index) => holdingOf(symbol, worth[index] ?? null, { date, at }));
  return {
    symbol,
    /** Value if all equity had been invested in it at its first price. */
    worth,
    /** Return over the whole run. */
    total,
    returns: benchmarkReturns(given),
    /** Metrics of its returns, by name; null if it has no price at the first or the last close. */
    metrics: isNumber(total)
      ? metricsOfReturns({ startEquity: spent, marks: held.flatMap((mark) => mark ?? []) }, options)
      : null,
  };
}

export type BenchmarkView = Readonly<ReturnType<typeof benchmarkOf>>;

/** Account that holds one stock and no cash. */
const holdingOf = (
  symbol: string,
  worth: number | null,
  when: Readonly<{ date: string; at: number }>,
): MarkFigures | null => (worth === null ? null : { ...when, equity: worth, positions: { [symbol]: worth } });

/** Metrics that need neither trades nor a benchmark. */
function metricsOfReturns(
  figures: Pick<RunFigures, 'startEquity' | 'marks'>,
  options: StatisticsOptions,
): Readonly<Record<string, number | null>> {
  const { metrics } = metricsOf({ ...figures, trades: [], fills: [], benchmark: null }, options);
  const { Return, Risk, Drawdown, Tail } = METRIC_GROUPS;
  const names = [Return, Risk, Drawdown, Tail].flatMap((entries) => Object.keys(entries));
  return Object.fromEntries(Object.entries(metrics).filter(([name]) => names.includes(name)));
}

/** Session of an instant: the first that closes at or after it. */
export const sessionIndex = ({ marks }: Pick<RunView, 'marks'>, at: number): number =>
  Math.min(
    countWhile(marks, (mark) => mark.at < at),
    marks.length - 1,
  );
