import { counted } from '../../../core/counted.ts';
import { centsText, countsText, strategyTable, type StrategyRow } from '../../../app/backtest/resultText.ts';
import { coloursOf } from '../../../process/output.ts';
import { newYorkClock, newYorkDate, type TradingCalendar, tradingCalendar } from '../../../calendar/index.ts';
import { epochMs, type EpochMs } from '../../../core/brand.ts';
import { shortAmounts } from '../../../domain/shortAmounts.ts';
import type { RunSummary, StrategyResult } from '../../../engine/runtime/summary.ts';
import type { Terminal } from '../../../process/terminal.ts';

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** Text for a start on a day with no session open or to come, with the next open; null otherwise. */
export function noSessionText(calendar: TradingCalendar, now: EpochMs): string | null {
  const today = newYorkDate(now);
  const session = calendar.sessionOn(today);
  if (session && now < session.close) return null;
  const next = calendar.nextSession(now);
  const why = session
    ? `the session of today has closed at ${newYorkClock(session.close)}`
    : 'there is no session today';
  return `${why}: the next begins on ${weekdayOf(next.date)} ${next.date} at ${newYorkClock(next.open)} in New York`;
}

const weekdayOf = (date: string): string => WEEKDAYS[new Date(`${date}T00:00:00Z`).getUTCDay()] ?? '';

type RunSpan = Readonly<{ from: string; to: string; sessions: number }>;

/** Number of sessions that closed during a run, and the part of one still open at its end. */
export function sessionsText({ from, to, sessions }: RunSpan, calendar: TradingCalendar): string {
  const closed = `${counted(sessions, 'session')} closed`;
  const end = epochMs(Date.parse(to));
  const open = calendar.sessionAt(end);
  if (!open) return closed;
  const begun = newYorkClock(epochMs(Math.max(open.open, Date.parse(from))));
  return `${closed}, and ${begun} to ${newYorkClock(end)} of that of ${open.date}, which closes at ${newYorkClock(open.close)}`;
}

/** Summary of a run for people: order outcomes, earnings of each strategy, differences from the venue. */
export function summaryText(
  summary: RunSummary,
  terminal: Terminal,
  calendar: TradingCalendar = tradingCalendar,
): string {
  const { bold, green, yellow, red } = coloursOf(terminal);
  const { orders, reconciliation, equity } = summary;
  const unclear = reconciliation.unsettled.length > 0 ? yellow : green;
  const colour = reconciliation.differences > 0 ? red : unclear;
  return [
    '',
    bold(`${summary.from} to ${summary.to}: ${sessionsText(summary, calendar)}`),
    '',
    strategyTable(rowsOf(summary), summary.unallocated),
    '',
    `orders   ${countsText(orders)}`,
    `equity   ${centsText(equity.start)} → ${centsText(equity.end)} mUSD${broughtText(equity)}`,
    ...(equity.unpriced ? [`         ${equity.unpriced.join(', ')} without a price`] : []),
    `books    ${colour(booksText(reconciliation))}`,
    ...summary.strategies.flatMap(({ hints }) => hints.map((text) => `hint     ${text}`)),
    ...summary.strategies.flatMap(droppedText),
    ...summary.problems.map(({ since, text }) => red(`since ${since}: ${shortAmounts(text)}`)),
  ].join('\n');
}

function rowsOf({ strategies, former = [] }: RunSummary): StrategyRow[] {
  const filledOf = ({ counts: { filled, partlyFilled } }: StrategyResult) => filled + partlyFilled;
  return [
    ...strategies.map((own) => ({ ...own, filled: filledOf(own), dropped: own.dropped.count })),
    ...former.map((own) => ({ ...own, state: 'not in the config', filled: filledOf(own), dropped: null })),
  ];
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
            (reason) =>
              `         ${reason.count} of ${reason.symbol} since ${reason.since}: ${shortAmounts(reason.why)}`,
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

/** Text about deposits, withdrawals and accepted differences: equity changes that no strategy caused. */
function broughtText({ deposited, withdrawn, adopted }: RunSummary['equity']): string {
  const parts = Object.entries({ deposited, withdrawn, accepted: adopted }).flatMap(([how, amount]) =>
    amount === undefined ? [] : [`${how} ${centsText(amount)}`],
  );
  return parts.length > 0 ? `; of it ${parts.join(', ')}` : '';
}
