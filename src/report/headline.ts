import { oneLine } from '../core/printable.ts';
import type { RunRecord } from './runRecord.ts';

/** Metrics in the headline of a run. */
const METRICS = [
  'totalReturn',
  'cagr',
  'sharpe',
  'maxDrawdown',
  'volatility',
  'exposureTime',
  'winRate',
  'profitFactor',
] as const;

/** Maximum length of a name in a headline, in characters, and the maximum number of symbols. */
const NAME_MAX = 200;
const SYMBOLS_MAX = 20;

/**
 * Row for a run in a list, short whatever the record contains. Amounts are decimal strings in mUSD; undefined metrics
 * are null.
 */
export function headlineOf({ run, totals, metrics }: RunRecord) {
  const { kind, from, to, sessions, marksPerYear } = run;
  const { trades, equity } = totals;
  const named = METRICS.map((name) => [name, metrics[name] ?? null] as const);
  return {
    kind,
    strategy: short(run.strategy),
    /** First symbols, up to the maximum. */
    symbols: run.symbols.slice(0, SYMBOLS_MAX).map(short),
    from,
    to,
    runId: short(run.runId),
    sessions,
    marksPerYear,
    trades,
    pnl: short(totals.pnl),
    fees: short(totals.fees),
    equity: { start: short(equity.start), end: short(equity.end) },
    metrics: Object.fromEntries(named) as Readonly<Record<(typeof METRICS)[number], number | null>>,
  };
}

export type Headline = Readonly<ReturnType<typeof headlineOf>>;

const short = (text: string): string => oneLine(text, NAME_MAX);

/** Record without its long lists: only the inputs of its figures by session and of its metrics. */
export function withoutLists(record: RunRecord): RunRecord {
  const { format, run, totals, metrics, notes, marks, benchmark, tradeMetricsFrom, events } = record;
  return {
    format,
    run,
    totals,
    metrics,
    notes,
    marks,
    benchmark,
    ...(tradeMetricsFrom !== undefined && { tradeMetricsFrom }),
    trades: [],
    fills: [],
    events,
    candles: [],
  };
}
