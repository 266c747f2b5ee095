import { lotMetricsOf, lotTradesOf, type LotFill, type LotSplit } from '../statistics/lotTrades.ts';
import type { RunRecord } from './runRecord.ts';

/** Trades by lots of a record, and their metrics. */
export function lotRecord(
  fills: readonly LotFill[],
  splits: readonly LotSplit[],
  sessions: number,
): Pick<RunRecord, 'lotTrades' | 'lotMetrics'> {
  const trades = lotTradesOf(fills, splits);
  return {
    lotTrades: trades.map(({ mae: _mae, mfe: _mfe, risk: _risk, ...trade }) => trade),
    lotMetrics: lotMetricsOf(trades, sessions),
  };
}
