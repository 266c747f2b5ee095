import type { RunRow } from '../../../ops/model/past.ts';

/** Sort orders of saved runs; the first is the default. */
export const ORDERS = ['saved last', 'name', 'return', 'profit', 'Sharpe', 'drawdown'] as const;
export type Order = (typeof ORDERS)[number];

/** Largest first; for a drawdown, the smallest loss. Rows without a value come last. */
const VALUES: Readonly<Partial<Record<Order, (row: RunRow) => number | null>>> = {
  return: ({ headline }) => headline?.metrics.totalReturn ?? null,
  profit: ({ headline }) => (headline === null ? null : Number(headline.pnl)),
  Sharpe: ({ headline }) => headline?.metrics.sharpe ?? null,
  drawdown: ({ headline }) => headline?.metrics.maxDrawdown ?? null,
};

/** Rows whose name, strategy or stocks contain `text`, ignoring case; sorted, with damaged files last. @param rows newest first */
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
  // Two rows without a value are equal: their difference would be NaN.
  return valueOf ? (valueOf(other) ?? -Infinity) - (valueOf(one) ?? -Infinity) || 0 : 0;
}

/** Name of a run in words: a file by its name, this run by the part it shows. */
export function nameOf(id: string): string {
  if (id === 'live') return 'this run';
  if (id === 'live:strategies') return 'this run, all strategies';
  return id.startsWith('live:') ? `this run, ${id.slice('live:'.length)}` : id;
}
