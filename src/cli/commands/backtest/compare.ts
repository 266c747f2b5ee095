import { counted } from '../../../core/counted.ts';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { executionOf, type Execution } from '../../../report/live/execution.ts';
import type { RunRecord } from '../../../report/runRecord.ts';
import { epochMs, toIso } from '../../../core/brand.ts';
import { ConfigError } from '../../../core/errors.ts';
import { decimalText, moneyText as exactMoneyText } from '../../../domain/amountText.ts';
import { shortAmounts } from '../../../domain/shortAmounts.ts';
import { markNameOf, type MarkName } from '../../../statistics/markName.ts';
import type { CommandContext } from '../../context.ts';
import { EXIT } from '../../exitCodes.ts';
import { executionText } from '../../backtest/executionText.ts';
import { metricLabel, metricText, moneyText, priceText, sharesText } from '../../backtest/resultText.ts';
import { printResult, coloursOf, table } from '../../output.ts';
import { readRecord } from '../../files.ts';

export type TradeRecord = RunRecord['trades'][number];

/** A setting or total of two runs; null where a run does not have it. */
export type Difference = Readonly<{ name: string; a: string | null; b: string | null }>;

type MetricDifference = Readonly<{
  name: string;
  a: number | null;
  b: number | null;
  /** B minus A; null where one of the two is undefined. */
  difference: number | null;
}>;

export type Comparison = Readonly<{
  /** True when both are one run: the same code, config, data, seed and kind. */
  same: boolean;
  settings: readonly Difference[];
  totals: readonly Difference[];
  /** All of them. */
  metrics: readonly MetricDifference[];
  trades: Readonly<{ a: number; b: number }>;
  /** Decisions and fills that match, and what the fills cost. */
  execution: Execution;
  /** Divergence of the lists of trades: number of equal ones before it. Null when all are equal. */
  firstTrade: Readonly<{ index: number; a: TradeRecord | null; b: TradeRecord | null }> | null;
}>;

export function comparisonOf(a: RunRecord, b: RunRecord): Comparison {
  const [index, parted] = firstDifference(a.trades, b.trades);
  return {
    same: a.run.runId === b.run.runId && a.run.kind === b.run.kind && !parted,
    settings: differences(settingsOf(a), settingsOf(b)).filter((one) => one.a !== one.b),
    totals: differences(totalsOf(a), totalsOf(b)),
    metrics: metricDifferences(a.metrics, b.metrics),
    trades: { a: a.trades.length, b: b.trades.length },
    execution: executionOf(a, b),
    firstTrade: parted ? { index, a: a.trades[index] ?? null, b: b.trades[index] ?? null } : null,
  };
}

type Settings = ReadonlyMap<string, string>;

function settingsOf({ run }: RunRecord): Settings {
  const { params, settings, symbols, kind, strategy, from, to, bars, sessions, seed } = run;
  const all = { kind, strategy, symbols: symbols.join(', '), from, to, bars, sessions, seed, ...settings };
  return new Map([
    ...Object.entries(all).map(([name, value]) => [name, String(value)] as const),
    ...leavesOf(params, 'params'),
  ]);
}

/** `{ fast: 10 }` as `params.fast` and `10`. */
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

/** Number of equal trades from the first on, and whether one of the lists continues after them. */
function firstDifference(a: readonly TradeRecord[], b: readonly TradeRecord[]): readonly [number, boolean] {
  let index = 0;
  for (; index < Math.min(a.length, b.length); index++)
    if (FIELDS.some((field) => a[index]?.[field] !== b[index]?.[field])) break;
  return [index, index < Math.max(a.length, b.length)];
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** Record of a run: in a file, or made from the journal of a state folder. */
async function recordAt(path: string, of: string, context: CommandContext): Promise<RunRecord> {
  if (!isFolder(path)) return readRecord(path);
  return (await import('./liveReport.ts')).recordOfState({ state: path }, of, context);
}

type CompareFlags = Readonly<{ a?: string; b?: string; of?: string }>;

/** `drover compare`: two runs side by side, what each has filled, and the first trade that differs. */
export async function compareCommand(
  { a = '', b = '', of }: CompareFlags,
  context: CommandContext,
): Promise<number> {
  const { terminal, cwd } = context;
  const paths = [resolve(cwd, a), resolve(cwd, b)] as const;
  const folders = paths.filter(isFolder).length;
  if (of !== undefined && folders === 0)
    throw new ConfigError('--of: it chooses from the journal of a state folder, and both of these are files');
  // What belongs to no strategy is in no backtest.
  const owner = of ?? (folders === 2 ? 'account' : 'strategies');
  const first = await recordAt(paths[0], owner, context);
  const second = await recordAt(paths[1], owner, context);
  const comparison = comparisonOf(first, second);
  const style = { names: [a, b], mark: markIn(first, second), bold: coloursOf(terminal).bold } as const;
  const identities = { a: identityOf(a, first), b: identityOf(b, second) };
  printResult(context, { ...identities, ...comparison }, comparisonText(comparison, style));
  return EXIT.done;
}

const identityOf = (file: string, { run: { runId, strategy, symbols, from, to } }: RunRecord) => ({
  file,
  runId,
  strategy,
  symbols,
  from,
  to,
});

/** Weeks where both runs are weekly. */
const markIn = (...records: readonly RunRecord[]): MarkName =>
  records.every(({ run }) => markNameOf(run.marksPerYear) === 'week') ? 'week' : 'session';

type ComparisonStyle = Readonly<{
  names: readonly [string, string];
  mark: MarkName;
  bold: (text: string) => string;
}>;

function comparisonText(comparison: Comparison, { names, mark, bold }: ComparisonStyle): string {
  const { same, settings, totals, metrics, execution, firstTrade, trades } = comparison;
  const differing = metrics.filter(({ a, b }) => a !== b);
  const known = `${names[0]} and ${names[1]} are the same run`;
  if (same && differing.length === 0) return known;
  const rows = differing.map(({ name, a, b, difference }) => [
    metricLabel(name, mark),
    ...[a, b].map((value) => metricText(name, value, mark)),
    difference === null ? '' : metricText(name, difference, mark),
  ]);
  const executionSection =
    execution.fills.a + execution.fills.b === 0
      ? []
      : section(bold('decisions and fills'), executionText(execution, names));
  return [
    ...(same ? [`${known}, measured in two ways`, ''] : []),
    ...section(bold('totals'), totalsText(totals, names)),
    ...executionSection,
    ...section(
      bold(`metrics: ${differing.length} of ${metrics.length} differ`),
      rows.length > 0 ? table(['', ...names, 'difference'], rows, [...names, 'difference']) : 'none',
    ),
    ...section(
      bold('trades'),
      firstTrade
        ? [
            `the first ${firstTrade.index} are the same, of ${trades.a} and ${trades.b}`,
            `A  ${tradeText(firstTrade.a)}`,
            `B  ${tradeText(firstTrade.b)}`,
          ].join('\n')
        : `all ${trades.a} are the same`,
    ),
    ...section(bold('settings that differ'), settingsText(settings, names)),
  ]
    .join('\n')
    .trimEnd();
}

/** Omits counts that are 0 or unknown in both runs. */
const isSaid = ({ a, b }: Difference): boolean => [a, b].some((value) => value !== null && value !== '0');

/** Totals that are amounts in mUSD. */
const MONEY = ['pnl', 'fees', 'slippage', 'dividends', 'equity at the end'];
/** Difference as people read it: money in cents, shares with six decimals. */
function rounded({ name, a, b }: Difference): Difference {
  const form = MONEY.includes(name) ? (value: string) => decimalText(value, exactMoneyText) : shortAmounts;
  const text = (value: string | null) => (value === null ? null : form(value));
  return { name, a: text(a), b: text(b) };
}

function totalsText(totals: readonly Difference[], names: readonly [string, string]): string {
  const said = totals.filter(isSaid).map(rounded);
  const open = said.find(({ name }) => name === 'open');
  return [
    plain(
      said.filter(({ name }) => name !== 'open'),
      names,
    ),
    ...(open && (open.a !== 'none' || open.b !== 'none')
      ? [`open  ${names[0]}: ${open.a ?? '–'}`, `open  ${names[1]}: ${open.b ?? '–'}`]
      : []),
  ].join('\n');
}

/** Settings that differ; where one run is simulated and the other is not, those of one alone are only counted: they are many. */
function settingsText(settings: readonly Difference[], names: readonly [string, string]): string {
  const isMixed = settings.some(({ name }) => name === 'kind');
  const both = settings.filter(({ a, b }) => !isMixed || (a !== null && b !== null));
  const rest = settings.length - both.length;
  return [
    ...(both.length > 0 ? [plain(both, names)] : []),
    ...(rest > 0
      ? [`and ${counted(rest, 'setting')} of one run alone: --json lists ${rest === 1 ? 'it' : 'them'}`]
      : []),
    ...(settings.length === 0 ? ['none'] : []),
  ].join('\n');
}

const section = (title: string, body: string): string[] => [title, body, ''];

const plain = (differences: readonly Difference[], names: readonly [string, string]): string =>
  table(
    ['', ...names],
    differences.map(({ name, a, b }) => [name, a ?? '–', b ?? '–']),
    [...names],
  );

function tradeText(trade: TradeRecord | null): string {
  if (!trade) return 'no further trade';
  const { symbol, entryAt, exitAt, shares, entryPrice, exitPrice, pnl } = trade;
  const [from, to] = [toIso(epochMs(entryAt)), toIso(epochMs(exitAt))];
  return `${sharesText(shares)} ${symbol}, ${from} at ${priceText(entryPrice)} to ${to} at ${priceText(exitPrice)}: ${moneyText(pnl)} mUSD`;
}
