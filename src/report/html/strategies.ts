import type { RunRecord } from '../runRecord.ts';
import { written } from '../../figures/format.ts';
import { table, type Markup } from '../../figures/markup.ts';

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
