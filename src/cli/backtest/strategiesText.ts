import type { BacktestResult } from '../../backtest/result.ts';
import { shortAmounts } from '../../domain/shortAmounts.ts';
import { strategyTable } from '../strategyTable.ts';

const REASONS_SHOWN = 3;

/** Orders, earnings and dropped intents of each strategy, where a backtest had several. */
export function strategiesText({ strategies, unallocated }: BacktestResult): string[] {
  if (strategies.length < 2) return [];
  const rows = strategies.map(({ orders, ...own }) => ({
    ...own,
    orders: orders.planned,
    filled: orders.filled + orders.partlyFilled,
    dropped: orders.dropped,
  }));
  return ['', strategyTable(rows, unallocated), ...strategies.flatMap(droppedText)];
}

function droppedText({ id, dropped }: BacktestResult['strategies'][number]): string[] {
  const reasons = Object.entries(dropped).sort((one, other) => other[1] - one[1]);
  const more = reasons.length > REASONS_SHOWN ? [`and ${reasons.length - REASONS_SHOWN} more reasons`] : [];
  const lines = [
    ...reasons.slice(0, REASONS_SHOWN).map(([why, count]) => `${count}: ${shortAmounts(why)}`),
    ...more,
  ];
  return lines.map(
    (line, index) => `${index === 0 ? `dropped of ${id}  ` : ' '.repeat(id.length + 13)}${line}`,
  );
}
