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
  const { bold, green, yellow, red } = coloursOf(terminal);
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
  const unclear = reconciliation.unsettled.length > 0 ? yellow : green;
  const colour = reconciliation.differences > 0 ? red : unclear;
  return [
    '',
    bold(`${summary.from} to ${summary.to}: ${summary.sessions} session${summary.sessions === 1 ? '' : 's'}`),
    '',
    table(['strategy', 'state', ...right], strategies, right),
    '',
    `orders   ${counts.join(', ') || 'none'}`,
    `equity   ${money(equity.start)} → ${money(equity.end)} mUSD${broughtText(equity)}`,
    `books    ${colour(booksText(reconciliation))}`,
    ...summary.strategies.flatMap(droppedText),
    ...summary.problems.map(({ since, text }) => red(`since ${since}: ${text}`)),
  ].join('\n');
}

/** Dropped orders of a strategy, with the three most frequent reasons. */
const droppedText = ({ id, dropped: { count, reasons } }: RunSummary['strategies'][number]): string[] =>
  count === 0
    ? []
    : [
        `dropped  ${count} of ${id}`,
        ...reasons
          .slice(0, 3)
          .map(
            (reason) => `         ${reason.count} of ${reason.symbol} since ${reason.since}: ${reason.why}`,
          ),
      ];

function booksText({ differences, runs, open, unsettled }: RunSummary['reconciliation']): string {
  const listed = (what: string, keys: readonly string[]) =>
    keys.length > 0 ? `; ${what}: ${keys.join(', ')}` : '';
  return (
    `${differences} differences in ${runs} comparisons with the venue` +
    listed('still open', open) +
    listed('not settled yet', unsettled)
  );
}

/** What no strategy has earned or lost. */
function broughtText({ deposited, adopted }: RunSummary['equity']): string {
  const parts = Object.entries({ deposited, adopted }).flatMap(([how, amount]) =>
    amount === undefined ? [] : [`${how} ${money(amount)}`],
  );
  return parts.length > 0 ? `; of it ${parts.join(', ')}` : '';
}

/** `neverExisted` as `never existed`. */
const words = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
