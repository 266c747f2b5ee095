import { parseDecimal, toNumber } from '../../core/amount.ts';
import type { RunSummary } from '../../engine/summary.ts';
import { coloursOf, table } from '../table.ts';
import type { Terminal } from '../context.ts';

const money = (text: string): string =>
  toNumber(parseDecimal(text, { signed: true })).toLocaleString('en-US', {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  });

/** The close of a run for people: what became of the orders, what each strategy made, whether the books agree. */
export function summaryText(summary: RunSummary, terminal: Terminal): string {
  const { bold, green, red } = coloursOf(terminal);
  const { orders, reconciliation, equity } = summary;
  const counts = Object.entries(orders)
    .filter(([name, count]) => count > 0 && name !== 'planned')
    .map(([name, count]) => `${count} ${words(name)}`);
  const strategies = summary.strategies.map(({ id, state, orders: count, realisedPnl, unrealisedPnl }) => [
    id,
    state,
    String(count),
    money(realisedPnl),
    money(unrealisedPnl),
  ]);
  const right = ['orders', 'realised', 'unrealised'];
  const open = reconciliation.open.length > 0 ? `; still open: ${reconciliation.open.join(', ')}` : '';
  const differences = `${reconciliation.differences} differences in ${reconciliation.runs} comparisons with the venue${open}`;
  return [
    '',
    bold(`${summary.from} to ${summary.to}: ${summary.sessions} session${summary.sessions === 1 ? '' : 's'}`),
    '',
    table(['strategy', 'state', ...right], strategies, right),
    '',
    `orders   ${counts.join(', ') || 'none'}`,
    `equity   ${money(equity.start)} → ${money(equity.end)} mUSD`,
    `books    ${reconciliation.differences === 0 ? green(differences) : red(differences)}`,
  ].join('\n');
}

/** `neverExisted` as `never existed`. */
const words = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
