import { counted } from '../../core/counted.ts';
import { markNameOf } from '../../statistics/markName.ts';
import type { RunRecord } from '../runRecord.ts';
import { signed, written, type Format } from '../../figures/format.ts';
import { markup, type Markup, table } from '../../figures/markup.ts';

/** Identity of a run: strategies, data and settings, enough to repeat it. */
export function identityTables({ run, totals }: RunRecord): Markup {
  const rows: [string, string][] = [
    ['Run', run.runId],
    ['Kind', run.kind],
    ['Strategy', run.strategy],
    ['Symbols', run.symbols.join(', ')],
    ['From', run.from],
    ['To', run.to],
    ['Data', `${counted(run.bars, 'bar')} in ${counted(run.sessions, markNameOf(run.marksPerYear))}`],
    ['Seed', String(run.seed)],
  ];
  const open = totals.open.map(({ symbol, quantity }): [string, string] => [symbol, quantity]);
  return markup`<div class="charts">${[
    plain('Run', rows),
    plain('Settings', Object.entries(run.settings)),
    plain('Parameters', paramRows(run.params)),
    plain(
      'Orders',
      Object.entries(totals.orders).map(([name, count]) => [inWords(name), String(count)]),
    ),
    plain(
      'Dropped order intents, by reason',
      byCount(totals.dropped ?? {}).map(([why, count]) => [why, String(count)]),
    ),
    plain('Open at the end', open.length > 0 ? open : [['Nothing', '']]),
  ]}</div>
`;
}

/** The most frequent first. */
const byCount = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts).sort((one, other) => other[1] - one[1]);

const plain = (title: string, rows: readonly (readonly [string, string])[]): Markup | null =>
  rows.length === 0
    ? null
    : markup`<table class="identity"><caption>${title}</caption><tbody>\n${rows.map(([name, value]) => markup`<tr><th scope="row">${name}</th><td>${value}</td></tr>\n`)}</tbody></table>`;

function paramRows(params: unknown): [string, string][] {
  if (typeof params !== 'object' || params === null || Array.isArray(params))
    return params === undefined ? [] : [['Parameters', JSON.stringify(params, null, 2)]];
  return Object.entries(params).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value, null, 2),
  ]);
}

/** `partlyFilled` as `partly filled`. */
const inWords = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

type Figure = Readonly<{ label: string; metric: string; format: Format; isSigned?: boolean }>;

const FIGURES: readonly Figure[] = [
  { label: 'Total return', metric: 'totalReturn', format: 'percent', isSigned: true },
  { label: 'CAGR', metric: 'cagr', format: 'percent', isSigned: true },
  { label: 'Sharpe ratio', metric: 'sharpe', format: 'ratio' },
  { label: 'Maximum drawdown', metric: 'maxDrawdown', format: 'percent' },
  { label: 'Volatility', metric: 'volatility', format: 'percent' },
  { label: 'Exposure time', metric: 'exposureTime', format: 'percent0' },
  { label: 'Win rate', metric: 'winRate', format: 'percent1' },
  { label: 'Profit factor', metric: 'profitFactor', format: 'ratio' },
];

/** The most important figures. */
export function keyFigures({ metrics, notes, totals }: RunRecord): Markup {
  const figures = FIGURES.map(({ label, metric, format, isSigned }) => {
    const value = metrics[metric] ?? null;
    if (value === null) return box(label, 'N/A', notes[metric]);
    return box(label, isSigned ? signed(value, format) : written(value, format));
  });
  return markup`<dl class="kpis">${[
    box('Profit, mUSD', signed(Number(totals.pnl), 'money'), paidText(totals)),
    ...figures,
    box('Closed trades', written(totals.trades, 'round')),
  ]}</dl>`;
}

const paidText = ({ fees, slippage }: RunRecord['totals']): string =>
  slippage === undefined
    ? `${written(Number(fees), 'money')} fees paid`
    : `${written(Number(fees), 'money')} fees and ${written(Number(slippage), 'money')} slippage paid`;

const box = (label: string, value: string, small?: string): Markup =>
  markup`<div><dt>${label}</dt><dd>${value}${small === undefined ? null : markup`<small>${small}</small>`}</dd></div>`;

type Own = NonNullable<RunRecord['totals']['strategies']>[number];

const HEADS = ['Strategy', 'Orders', 'Filled', 'Dropped', 'Fees', 'Realised', 'Unrealised', 'Earned'];
/** Columns between the name and the earnings. */
const BETWEEN = HEADS.length - 2;

/** Orders, earnings and dropped intents by strategy; nothing where the run had one strategy. */
export function strategyTotals({ totals }: RunRecord): Markup[] {
  const { strategies = [], unallocated, pnl } = totals;
  if (strategies.length < 2) return [];
  const beside = (name: string, earned: string) => [name, ...Array<string>(BETWEEN).fill(''), amount(earned)];
  const rest = unallocated ? [beside('Unallocated', unallocated.pnl)] : [];
  const main = table({
    id: 'by-strategy',
    title: 'By strategy',
    heads: HEADS,
    texts: 1,
    rows: [...strategies.map(rowOf), ...rest, beside('Together', pnl)],
    note: 'In mUSD. Fees are contained in what was earned. Unallocated is what belongs to no strategy.',
  });
  const dropped = strategies.flatMap(droppedRows);
  if (dropped.length === 0) return [main];
  const heads = ['Strategy', 'Reason', 'Count'];
  return [main, table({ id: 'dropped', title: 'Dropped orders, by reason', heads, rows: dropped, texts: 2 })];
}

/** Earnings by stock, and what came and went without trading; nothing where the record does not have them. */
export function symbolTotals({ totals }: RunRecord): Markup[] {
  const { symbols, flows, unpriced = [] } = totals;
  if (symbols === undefined) return [];
  const notes = [
    'In mUSD, of the strategies. Fees are contained in what was earned.',
    ...(flows === undefined || flows === '0'
      ? []
      : [`Came without trading, less what went: ${amount(flows)}.`]),
    ...(unpriced.length > 0 ? [`Without a price: ${unpriced.join(', ')}.`] : []),
  ];
  const rows = symbols.map(({ symbol, fills, fees, realisedPnl, unrealisedPnl, pnl }) => [
    symbol,
    written(fills, 'round'),
    ...[fees, realisedPnl, unrealisedPnl, pnl].map(amount),
  ]);
  const heads = ['Stock', 'Fills', 'Fees', 'Realised', 'Unrealised', 'Earned'];
  return [table({ id: 'by-stock', title: 'By stock', heads, texts: 1, rows, note: notes.join(' ') })];
}

function rowOf({ id, orders, fees, realisedPnl, unrealisedPnl, pnl }: Own): string[] {
  const { planned = 0, filled = 0, partlyFilled = 0, dropped = 0 } = orders;
  const counts = [planned, filled + partlyFilled, dropped].map((count) => written(count, 'round'));
  return [id, ...counts, ...[fees, realisedPnl, unrealisedPnl, pnl].map(amount)];
}

const amount = (text: string): string => written(Number(text), 'money');

/** The most frequent first. */
const droppedRows = ({ id, dropped }: Own): string[][] =>
  Object.entries(dropped)
    .sort((one, other) => other[1] - one[1])
    .map(([why, count]) => [id, why, written(count, 'round')]);
