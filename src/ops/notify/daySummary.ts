import { type Cash, parseSigned } from '../../core/amount.ts';
import { moneyText, signedMoney } from '../../domain/amountText.ts';
import { UNALLOCATED } from '../../domain/account/ledger.ts';
import type { JournalEventOf } from '../../domain/journalEvent.ts';
import { filledOf } from '../../domain/orders/order.ts';
import type { EngineContext } from '../../engine/state/engineContext.ts';
import { dayBegin, lateFills, lateText } from '../../engine/account/dayReport.ts';
import { endedSince } from '../../engine/state/exposure.ts';
import type { Status } from '../model/status.ts';
import type { JournalText } from './journalTexts.ts';

/** Maximum number of lines about things that need a person. */
const LINES_MAX = 5;

/**
 * Summary of a day: equity, profit since the open by strategy, orders, differences, and things to do. Profits are those of the
 * journal, which exclude transfers of capital.
 */
export function daySummary(
  { date, equity }: JournalEventOf<'session'>,
  context: EngineContext,
  status: Status,
): JournalText {
  const { dayStart, sessionDate } = context.accountState;
  const start = sessionDate === date ? dayStart : null;
  const profits = equity.map(([id, now]) => profitLine(id, now, start?.get(id)));
  const lines = [
    `equity ${money(status.equity)} mUSD, cash ${money(status.cash)} mUSD`,
    ...profits,
    ordersLine(context, status),
    ...bounded(
      'differences',
      status.differences.map(({ text }) => text),
    ),
    ...bounded(
      'waits for you',
      status.todo.map(({ text }) => text),
    ),
  ];
  return { kind: 'daySummary', title: `Day ${date}`, text: lines.join('\n') };
}

function profitLine(id: string, now: Cash, start: Cash | undefined): string {
  const name = id === UNALLOCATED ? 'all strategies' : id;
  const profit = start === undefined ? 'profit not known' : `${signedMoney(now - start)} mUSD`;
  return `${name}: ${profit}, equity ${moneyText(now)} mUSD`;
}

const money = (text: string): string => moneyText(parseSigned(text));

function ordersLine(context: EngineContext, { orders, waiting, unknown }: Status): string {
  const { accountState, calendar } = context;
  const { sessionDate: date } = accountState;
  const session = date === null ? undefined : calendar.sessionOn(date);
  const since = session ? dayBegin(context, session) : Infinity;
  const placed = [...accountState.live.values()].filter(({ plannedAt }) => plannedAt >= since);
  const today = [...endedSince(accountState, since), ...placed];
  const filled = today.filter((order) => filledOf(order) > 0n).length;
  const doubt = unknown === 0 ? '' : `, ${unknown} without an answer`;
  const late = session ? lateText(lateFills(context, session)) : '';
  return `orders today ${today.length}, filled ${filled}, still open ${orders.length}, waiting ${waiting.length}${doubt}${late}`;
}

function bounded(name: string, texts: readonly string[]): string[] {
  if (texts.length === 0) return [];
  const more = texts.length - LINES_MAX;
  return [
    ...texts.slice(0, LINES_MAX).map((text) => `${name}: ${text}`),
    ...(more > 0 ? [`${name}: ${more} more, see \`drover status\``] : []),
  ];
}
