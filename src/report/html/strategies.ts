import type { RunRecord } from '../runRecord.ts';
import { signed, written } from '../../figures/format.ts';
import { table, type Markup } from '../../figures/markup.ts';
import { sessionChart } from '../../figures/sessionChart.ts';
import { byCount } from './identity.ts';
import type { RunView } from './runView.ts';

type Own = NonNullable<RunRecord['totals']['strategies']>[number];

const HEADS = ['Strategy', 'Orders', 'Filled', 'Dropped', 'Fees', 'Realised', 'Unrealised', 'Earned'];
/** Columns between the name and the earnings. */
const BETWEEN = HEADS.length - 2;

const STYLES = ['s1', 's2', 's3', 's4', 's5', 's6', 's7', 's8'];

/** Profit of each strategy over the sessions; empty if the record does not have it. */
export function strategyProfits({ marks, dates, mark }: RunView): Markup[] {
  const ids = Object.keys(marks.at(-1)?.earned ?? {});
  if (ids.length < 2) return [];
  const shown = ids
    .toSorted((one, other) => size(marks, other) - size(marks, one))
    .slice(0, STYLES.length)
    .map((id, index) => ({
      name: id,
      style: STYLES[index] ?? '',
      values: marks.map(({ earned }) => earned?.[id] ?? null),
    }));
  const ends = shown.map(({ name, values }) => `${name} ${signed(values.at(-1), 'money')}`);
  return [
    sessionChart({
      id: 'strategy-profits',
      title: 'Profit by strategy',
      unit: 'mUSD since the start, fees and open positions included',
      summary: `At the end ${ends.join(', ')}.`,
      format: 'money',
      wide: true,
      zero: true,
      dates,
      mark,
      lines: shown,
      opening: shown.map(() => 0),
      ...(shown.length < ids.length && {
        note: `The ${STYLES.length} strategies of ${ids.length} with the largest profit or loss at any close.`,
      }),
    }),
  ];
}

/** Largest absolute profit or loss of a strategy at any close. */
const size = (marks: RunView['marks'], id: string): number =>
  marks.reduce((most, { earned }) => Math.max(most, Math.abs(earned?.[id] ?? 0)), 0);

/** Orders, earnings and dropped intents by strategy; empty for a run with one strategy. */
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
    note: 'In mUSD. Earnings are after fees. Unallocated is what belongs to no strategy.',
  });
  const dropped = strategies.flatMap(droppedRows);
  if (dropped.length === 0) return [main];
  const heads = ['Strategy', 'Reason', 'Count'];
  return [main, table({ id: 'dropped', title: 'Dropped orders, by reason', heads, rows: dropped, texts: 2 })];
}

/** Earnings by stock, and transfers without trading; empty if the record does not have them. */
export function symbolTotals({ totals }: RunRecord): Markup[] {
  const { symbols, flows, unpriced = [] } = totals;
  if (symbols === undefined) return [];
  const notes = [
    'In mUSD, for the strategies. Earnings are after fees.',
    ...(flows === undefined || flows === '0' ? [] : [`Net flows other than trading: ${amount(flows)}.`]),
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

/** Trading by phase of the day; empty for a run in the regular session only. */
export function phaseTotals({ totals: { phases } }: RunRecord): Markup[] {
  if (phases === undefined) return [];
  const rows = phases.map(({ phase, fills, bought, sold, fees, slippage, pnl }) => [
    phase,
    written(fills, 'round'),
    ...[bought, sold, fees, slippage, pnl].map(amount),
  ]);
  const heads = ['Phase', 'Fills', 'Bought', 'Sold', 'Fees', 'Slippage', 'Earned'];
  const note = 'In mUSD. Earned is the change of equity since the end of the previous phase.';
  return [table({ id: 'by-phase', title: 'By phase', heads, texts: 1, rows, note })];
}

function rowOf({ id, orders, fees, realisedPnl, unrealisedPnl, pnl }: Own): string[] {
  const { planned = 0, filled = 0, partlyFilled = 0, dropped = 0 } = orders;
  const counts = [planned, filled + partlyFilled, dropped].map((count) => written(count, 'round'));
  return [id, ...counts, ...[fees, realisedPnl, unrealisedPnl, pnl].map(amount)];
}

const amount = (text: string): string => written(Number(text), 'money');

const droppedRows = ({ id, dropped }: Own): string[][] =>
  byCount(dropped).map(([why, count]) => [id, why, written(count, 'round')]);
