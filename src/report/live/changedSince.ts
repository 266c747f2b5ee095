import type { RunRecord } from '../runRecord.ts';
import type { LiveHistory } from './liveHistory.ts';

/**
 * Record with only the decisions and orders that changed after a journal entry, and the fills and limits of these
 * orders. Other lists that grow with the run are left out.
 */
export function changedSince(
  record: RunRecord,
  { changedAt }: Pick<LiveHistory, 'changedAt'>,
  since: number,
): RunRecord {
  const hasChanged = (id: string) => (changedAt.get(id) ?? 0) > since;
  const ofOrder = ({ order }: Readonly<{ order: string }>) => hasChanged(order);
  const { lotTrades: _lots, logs: _logs, plots: _plots, stops: _stops, ...rest } = record;
  return {
    ...rest,
    trades: [],
    events: [],
    candles: [],
    fills: record.fills.filter(ofOrder),
    limitOrders: (record.limitOrders ?? []).filter(ofOrder),
    decisions: (record.decisions ?? []).filter(({ id }) => hasChanged(id)),
    orderList: (record.orderList ?? []).filter(({ id }) => hasChanged(id)),
  };
}
