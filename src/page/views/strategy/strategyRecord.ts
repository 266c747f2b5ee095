import type { RunRecord } from '../../../report/runRecord.ts';
import type { Growth } from '../../parts/reading.ts';

/** Record of a strategy, with the number of the last entry that it is made from. */
export type StrategyRecord = RunRecord & Readonly<{ seq: number }>;

/** Path of what has changed in the record of a strategy after an entry: decisions, orders, fills and limits. */
export const recordPath = (strategy: string, since = 0): string =>
  `v1/record?strategy=${encodeURIComponent(strategy)}&since=${since}`;

/** Way to read the record of a strategy on. */
export const recordGrowth = (strategy: string): Growth<StrategyRecord> => ({
  next: ({ seq }) => recordPath(strategy, seq),
  join: joined,
});

/** A record with what has changed since; null if that is of another journal. */
export function joined(before: StrategyRecord, newer: StrategyRecord): StrategyRecord | null {
  if (newer.seq < before.seq || newer.run.from !== before.run.from) return null;
  const orderList = replaced(before.orderList ?? [], newer.orderList ?? [], ({ id }) => id);
  const changed = new Set((newer.orderList ?? []).map(({ id }) => id));
  // A fill that the chain has undone is gone from its order.
  const fills = [...before.fills.filter(({ order }) => !changed.has(order)), ...newer.fills];
  return {
    ...newer,
    orderList,
    fills: fills.sort((one, other) => one.at - other.at),
    decisions: replaced(before.decisions ?? [], newer.decisions ?? [], ({ id }) => id),
    limitOrders: replaced(before.limitOrders ?? [], newer.limitOrders ?? [], ({ order }) => order),
  };
}

/** Items with newer ones of the same ids in their places, and others behind them. */
const replaced = <Item>(
  items: readonly Item[],
  newer: readonly Item[],
  idOf: (item: Item) => string,
): Item[] => [...new Map([...items, ...newer].map((item) => [idOf(item), item])).values()];
