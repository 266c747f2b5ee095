import type { RunRow } from '../../../ops/model/past.ts';

/** Orders in which saved runs can be listed; the first holds if none is chosen. */
export const ORDERS = ['saved last', 'name', 'return', 'profit', 'Sharpe', 'drawdown'] as const;
export type Order = (typeof ORDERS)[number];

/** Largest first; of a drawdown, the smallest loss. Rows without a value stand last. */
const VALUES: Readonly<Partial<Record<Order, (row: RunRow) => number | null>>> = {
  return: ({ headline }) => headline?.metrics.totalReturn ?? null,
  profit: ({ headline }) => (headline === null ? null : Number(headline.pnl)),
  Sharpe: ({ headline }) => headline?.metrics.sharpe ?? null,
  drawdown: ({ headline }) => headline?.metrics.maxDrawdown ?? null,
};

/** Rows that have a text in their name, strategy or stocks, in any case; in an order, and damaged files last. @param rows newest first */
export function rowsIn(rows: readonly RunRow[], text: string, order: string): RunRow[] {
  const wanted = text.toLowerCase();
  const found = rows.filter(({ name, headline }) =>
    [name, headline?.strategy ?? '', headline?.symbols.join(' ') ?? ''].some((part) =>
      part.toLowerCase().includes(wanted),
    ),
  );
  return found.toSorted(
    (one, other) =>
      Number(one.headline === null) - Number(other.headline === null) || compared(one, other, order),
  );
}

function compared(one: RunRow, other: RunRow, order: string): number {
  if (order === 'name') return one.name.localeCompare(other.name);
  const valueOf = VALUES[order as Order];
  // Two without a value are as good as each other: their difference is not a number.
  return valueOf ? (valueOf(other) ?? -Infinity) - (valueOf(one) ?? -Infinity) || 0 : 0;
}

/** Name of a run in words: a file by its own, this run by what it shows of it. */
export function nameOf(id: string): string {
  if (id === 'live') return 'this run';
  if (id === 'live:strategies') return 'this run, all strategies';
  return id.startsWith('live:') ? `this run, ${id.slice('live:'.length)}` : id;
}
