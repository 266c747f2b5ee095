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
