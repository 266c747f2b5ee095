import type { RunRecord } from '../runRecord.ts';
import { written } from './format.ts';
import type { Markup } from './markup.ts';
import { table } from './table.ts';

type Own = NonNullable<RunRecord['totals']['strategies']>[number];

const HEADS = ['Strategy', 'Orders', 'Filled', 'Dropped', 'Fees', 'Realised', 'Unrealised', 'Earned'];
/** Columns between the name and what was earned. */
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
