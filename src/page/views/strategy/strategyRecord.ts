import type { RunRecord } from '../../../report/runRecord.ts';
import type { Growth } from '../../parts/reading.ts';

/** Record of a strategy, with the number of the last entry included. */
export type StrategyRecord = RunRecord & Readonly<{ seq: number }>;

/** Path of changes in a strategy's record after an entry: decisions, orders, fills and limits. */
export const recordPath = (strategy: string, since = 0): string =>
  `v1/record?strategy=${encodeURIComponent(strategy)}&since=${since}`;

/** Incremental reading of a strategy's record. */
export const recordGrowth = (strategy: string): Growth<StrategyRecord> => ({
  next: ({ seq }) => recordPath(strategy, seq),
  join: joined,
});

/** A record with later changes applied; null if they come from another journal. */
export function joined(before: StrategyRecord, newer: StrategyRecord): StrategyRecord | null {
  if (newer.seq < before.seq || newer.run.from !== before.run.from) return null;
  const orderList = replaced(before.orderList ?? [], newer.orderList ?? [], ({ id }) => id);
  const changed = new Set((newer.orderList ?? []).map(({ id }) => id));
  // A fill undone by a chain reorganisation has disappeared from its order.
  const fills = [...before.fills.filter(({ order }) => !changed.has(order)), ...newer.fills];
  return {
    ...newer,
    orderList,
    fills: fills.sort((one, other) => one.at - other.at),
    decisions: replaced(before.decisions ?? [], newer.decisions ?? [], ({ id }) => id),
    limitOrders: replaced(before.limitOrders ?? [], newer.limitOrders ?? [], ({ order }) => order),
  };
}

/** Items with newer ones replacing those with the same id, and others appended. */
const replaced = <Item>(
  items: readonly Item[],
  newer: readonly Item[],
  idOf: (item: Item) => string,
): Item[] => [...new Map([...items, ...newer].map((item) => [idOf(item), item])).values()];
