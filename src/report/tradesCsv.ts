import { csvOf } from './csv.ts';
import { epochMs, toIso } from '../core/brand.ts';
import type { RunRecord } from './runRecord.ts';

type Trade = RunRecord['trades'][number] | NonNullable<RunRecord['lotTrades']>[number];

const FIELDS = [
  'strategy',
  'symbol',
  'entryAt',
  'exitAt',
  'shares',
  'entryPrice',
  'exitPrice',
  'fees',
  'pnl',
  'mae',
  'mfe',
  'bars',
  'entryReason',
  'exitReason',
  'entryTag',
  'exitTag',
] as const;

/** Round trips of a record as CSV, oldest exit first; closed lots instead if the trade metrics are based on lots. */
export function tradesCsv({ trades, lotTrades = [], tradeMetricsFrom }: RunRecord): string {
  const list: readonly Trade[] = tradeMetricsFrom === 'lots' ? lotTrades : trades;
  return `${csvOf([FIELDS, ...list.map((trade) => FIELDS.map((field) => valueOf(trade, field)))])}\n`;
}

function valueOf(trade: Trade, field: (typeof FIELDS)[number]): string | number | null {
  if (field === 'entryAt' || field === 'exitAt') return toIso(epochMs(trade[field]));
  return field in trade ? ((trade as RunRecord['trades'][number])[field] ?? null) : null;
}
