import type { TradeLots } from '../statistics/figures.ts';
import type { Metrics } from '../statistics/metrics.ts';
import type { RunRecord } from './runRecord.ts';

/** Lots of a record, and whether its metrics of trades are of them. */
export const lotRecord = (
  { closed, open }: TradeLots,
  tradeMetricsFrom: Metrics['tradeMetricsFrom'],
): Required<Pick<RunRecord, 'tradeMetricsFrom' | 'lotTrades' | 'openLots'>> => ({
  tradeMetricsFrom,
  lotTrades: closed.map(({ risk: _risk, ...trade }) => trade),
  openLots: [...open],
});

/** Metrics as JSON keeps them: without -0, so that a report of the run and one of its file show the same signs. */
export const savedMetrics = (metrics: Readonly<Record<string, number | null>>): RunRecord['metrics'] =>
  Object.fromEntries(Object.entries(metrics).map(([name, value]) => [name, value === 0 ? 0 : value]));
