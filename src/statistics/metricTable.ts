import { saidOf, type MarkName } from './markName.ts';
import type { MetricEntry } from './metricEntries/entry.ts';
import { BENCHMARK_METRICS, DRAWDOWN_METRICS, TAIL_METRICS } from './metricEntries/losses.ts';
import { RETURN_METRICS, RISK_METRICS } from './metricEntries/returns.ts';
import { COST_METRICS, TRADE_METRICS } from './metricEntries/trades.ts';
import type { MetricName } from './metrics.ts';

/** Metrics by group, in display order. `docs/statistics.md` is generated from this (`npm run docs`). */
export const METRIC_GROUPS = {
  Return: RETURN_METRICS,
  Risk: RISK_METRICS,
  Drawdown: DRAWDOWN_METRICS,
  Tail: TAIL_METRICS,
  Benchmark: BENCHMARK_METRICS,
  Trades: TRADE_METRICS,
  'Exposure and costs': COST_METRICS,
} as const;

export const METRIC_TABLE: Readonly<Record<MetricName, MetricEntry>> = {
  ...RETURN_METRICS,
  ...RISK_METRICS,
  ...DRAWDOWN_METRICS,
  ...TAIL_METRICS,
  ...BENCHMARK_METRICS,
  ...TRADE_METRICS,
  ...COST_METRICS,
};

/** Label of a metric for people; with weekly bars, "day" becomes "week". */
export const labelOf = ({ label }: MetricEntry, mark: MarkName): string =>
  mark === 'week' ? saidOf(mark, label.replace('day', 'week')) : label;
