import { executionOf } from './live/execution.ts';
import type { RunRecord } from './runRecord.ts';

type TradeRecord = RunRecord['trades'][number];

/** Setting or total in two runs; null in a run that does not have it. */
export type Difference = Readonly<{ name: string; a: string | null; b: string | null }>;

type MetricDifference = Readonly<{
  name: string;
  a: number | null;
  b: number | null;
  /** B minus A; null if either is undefined. */
  difference: number | null;
}>;

/** Two runs side by side. */
export function comparisonOf(a: RunRecord, b: RunRecord) {
  const [index, parted] = firstDifference(a.trades, b.trades);
  return {
    /** True when both are the same run: same code, config, data, seed and kind. */
    same: a.run.runId === b.run.runId && a.run.kind === b.run.kind && !parted,
    settings: differences(settingsOf(a), settingsOf(b)).filter((one) => one.a !== one.b),
    totals: differences(totalsOf(a), totalsOf(b)),
    metrics: metricDifferences(a.metrics, b.metrics),
    trades: { a: a.trades.length, b: b.trades.length },
    /** Matching decisions and fills, and what the fills cost. */
    execution: executionOf(a, b),
    /** First difference of the trade lists, with the number of equal trades before it. Null when all are equal. */
    firstTrade: parted ? { index, a: a.trades[index] ?? null, b: b.trades[index] ?? null } : null,
  };
}

export type Comparison = Readonly<ReturnType<typeof comparisonOf>>;

type Settings = ReadonlyMap<string, string>;

function settingsOf({ run }: RunRecord): Settings {
  const { params, settings, symbols, kind, strategy, from, to, bars, sessions, seed } = run;
  const all = { kind, strategy, symbols: symbols.join(', '), from, to, bars, sessions, seed, ...settings };
  return new Map([
    ...Object.entries(all).map(([name, value]) => [name, String(value)] as const),
    ...leavesOf(params, 'params'),
  ]);
}

/** Flattens `{ fast: 10 }` to `params.fast` and `10`. */
function leavesOf(value: unknown, name: string): (readonly [string, string])[] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, `${name}.${key}`));
  return [[name, String(value)]];
}

function totalsOf({ totals }: RunRecord): Settings {
  const { pnl, fees, slippage, dividends, equity, trades, orders, open } = totals;
  return new Map([
    ['pnl', pnl] as const,
    ['fees', fees] as const,
    ...(slippage === undefined ? [] : [['slippage', slippage] as const]),
    ...(dividends === undefined ? [] : [['dividends', dividends] as const]),
    ['equity at the end', equity.end] as const,
    ['closed trades', String(trades)] as const,
    ['open', open.map(({ symbol, quantity }) => `${quantity} ${symbol}`).join(', ') || 'none'] as const,
    ...Object.entries(orders).map(([name, count]) => [`orders ${name}`, String(count)] as const),
  ]);
}

function differences(a: Settings, b: Settings): Difference[] {
  const names = new Set([...a.keys(), ...b.keys()]);
  return [...names].map((name) => ({ name, a: a.get(name) ?? null, b: b.get(name) ?? null }));
}

function metricDifferences(a: RunRecord['metrics'], b: RunRecord['metrics']): MetricDifference[] {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].map((name) => {
    const [first, second] = [a[name] ?? null, b[name] ?? null];
    const difference = first === null || second === null ? null : second - first;
    return { name, a: first, b: second, difference };
  });
}

const FIELDS = [
  'strategy',
  'symbol',
  'entryAt',
  'exitAt',
  'shares',
  'entryPrice',
  'exitPrice',
  'pnl',
] as const;

/** Number of equal trades from the first on, and whether either list continues after them. */
function firstDifference(a: readonly TradeRecord[], b: readonly TradeRecord[]): readonly [number, boolean] {
  let index = 0;
  for (; index < Math.min(a.length, b.length); index++)
    if (FIELDS.some((field) => a[index]?.[field] !== b[index]?.[field])) break;
  return [index, index < Math.max(a.length, b.length)];
}
