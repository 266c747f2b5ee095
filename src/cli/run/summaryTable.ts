import { formatDecimal, parseDecimal, toNumber } from '../../core/amount.ts';
import type { RunSummary, StrategyResult } from '../../engine/summary.ts';
import { coloursOf, table } from '../table.ts';
import type { Terminal } from '../context.ts';

const exact = (text: string): bigint => parseDecimal(text, { signed: true });

const money = (text: string): string =>
  toNumber(exact(text)).toLocaleString('en-US', {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  });

/** The close of a run for people: what became of the orders, what each strategy earned, whether the books agree. */
export function summaryText(summary: RunSummary, terminal: Terminal): string {
  const { bold, green, yellow, red } = coloursOf(terminal);
  const { orders, reconciliation, equity } = summary;
  const counts = Object.entries(orders)
    .filter(([name, count]) => count > 0 && name !== 'planned')
    .map(([name, count]) => `${count} ${words(name)}`);
  const unclear = reconciliation.unsettled.length > 0 ? yellow : green;
  const colour = reconciliation.differences > 0 ? red : unclear;
  return [
    '',
    bold(`${summary.from} to ${summary.to}: ${summary.sessions} session${summary.sessions === 1 ? '' : 's'}`),
    '',
    strategyTable(summary),
    '',
    `orders   ${counts.join(', ') || 'none'}`,
    `equity   ${money(equity.start)} → ${money(equity.end)} mUSD${broughtText(equity)}`,
    ...(equity.unpriced ? [`         ${equity.unpriced.join(', ')} without a price`] : []),
    `books    ${colour(booksText(reconciliation))}`,
    ...summary.strategies.flatMap(droppedText),
    ...summary.problems.map(({ since, text }) => red(`since ${since}: ${text}`)),
  ].join('\n');
}

const RIGHT = ['orders', 'filled', 'dropped', 'fees', 'realised', 'unrealised', 'earned'];

/** A row a strategy, one for what none was given, and their sum: the change of the equity without transfers. */
function strategyTable({ strategies, former = [], unallocated }: RunSummary): string {
  const all = [...strategies, ...former];
  const row = (result: StrategyResult, state: string, dropped: string) => [
    ...[result.id, state, String(result.orders), filledOf(result), dropped],
    ...[money(result.fees), money(result.realisedPnl), money(result.unrealisedPnl), money(result.pnl)],
  ];
  const beside = (name: string, earned: string) => [name, '', '', '', '', '', '', '', earned];
  const sum = [...all, unallocated].reduce((total, { pnl }) => total + exact(pnl), 0n);
  return table(
    ['strategy', 'state', ...RIGHT],
    [
      ...strategies.map((result) => row(result, result.state, String(result.dropped.count))),
      ...former.map((result) => row(result, 'not in the config', '')),
      beside('unallocated', money(unallocated.pnl)),
      beside('together', money(formatDecimal(sum))),
    ],
    RIGHT,
  );
}

/** Orders that moved something. */
const filledOf = ({ counts: { filled, partlyFilled } }: StrategyResult): string =>
  String(filled + partlyFilled);

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
function broughtText({ deposited, withdrawn, adopted }: RunSummary['equity']): string {
  const parts = Object.entries({ deposited, withdrawn, adopted }).flatMap(([how, amount]) =>
    amount === undefined ? [] : [`${how} ${money(amount)}`],
  );
  return parts.length > 0 ? `; of it ${parts.join(', ')}` : '';
}

/** `neverExisted` as `never existed`. */
const words = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
