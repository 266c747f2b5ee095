import { parseDecimal, toNumber } from '../../core/amount.ts';
import type { BacktestResult } from '../../backtest/result.ts';
import type { Terminal } from '../context.ts';

const money = (text: string): string =>
  toNumber(parseDecimal(text, { signed: true })).toLocaleString('en-US', {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  });

/** How a backtest went, for people. */
export function backtestText(result: BacktestResult, { colour }: Pick<Terminal, 'colour'>): string {
  const { pnl, orders, open, elapsedMs, bars } = result;
  const paint = (code: number, text: string) => (colour ? `\u001B[${code}m${text}\u001B[39m` : text);
  const counts = Object.entries(orders)
    .filter(([name, count]) => count > 0 && name !== 'planned')
    .map(([name, count]) => `${count} ${name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`);
  const held = open.map(({ symbol, quantity }) => `${quantity} ${symbol}`).join(', ');
  const seconds = (elapsedMs.load + elapsedMs.run) / 1000;
  return [
    `${result.strategy} on ${result.symbols.join(', ')}, ${result.from} to ${result.to}`,
    `equity   ${money(result.equity.start)} → ${money(result.equity.end)} mUSD, ${paint(pnl.startsWith('-') ? 31 : 32, money(pnl))}`,
    `trades   ${result.trades} closed${held && `, open ${held}`}; fees ${money(result.fees)} mUSD`,
    `orders   ${counts.join(', ') || 'none'}`,
    `run      ${result.runId}: ${bars} bars in ${result.sessions} sessions, ${seconds.toFixed(2)} s`,
  ].join('\n');
}
