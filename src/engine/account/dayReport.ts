import { moneyText, signedMoney } from '../../domain/amountText.ts';
import { UNALLOCATED } from '../../domain/account/ledger.ts';
import { describeIntent, describeSynthetic, describeTerms } from '../../domain/describe.ts';
import { type Order, filledOf } from '../../domain/orders/order.ts';
import type { EpochMs } from '../../core/brand.ts';
import type { Session } from '../../calendar/index.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { exDateBegins } from '../../sim/dayEnd.ts';
import { dayProfit, endedSince, feesOf, sessionEquity } from '../state/exposure.ts';

/** Delay in ms after which a close counts as missed: later events do not belong to its day. */
const LATE_MS = 3_600_000;
/** Maximum number of open orders listed by name. */
const NAMED_MAX = 5;

/**
 * Begins a trading day, once, in a started run that trades phases outside the session. If the day's session has already
 * opened, its loss and turnover are kept.
 */
export function beginDay(context: EngineContext, ids: Iterable<string>): void {
  const { accountState, calendar, now, isStarting, isManual } = context;
  const { dayDate, sessionDate } = accountState;
  const { session: date, since: open } = calendar.phaseAt(now);
  const hasBegun = date === null || date === dayDate || date === sessionDate;
  const session = hasBegun ? undefined : calendar.sessionOn(date);
  if (!session || !accountState.opened || isStarting || isManual) return;
  context.record({ kind: 'dayBegan', date: session.date, equity: sessionEquity(context, ids, { open }) });
}

/** Start of the day's profit: the open of its session, or the evening before if its trading day began there. */
export const dayBegin = ({ accountState, calendar }: EngineContext, { date, open }: Session): EpochMs =>
  accountState.dayDate === date ? exDateBegins(calendar, date, { begins: 'evening' }) : open;

/** Reports each strategy's day at a close: profit so far, orders, fees, and what is still open. */
export function reportDay(context: EngineContext, ids: readonly string[], session: Session): void {
  if (context.quiet || context.now - session.close > LATE_MS) return;
  const since = dayBegin(context, session);
  const today = endedSince(context.accountState, since);
  const late = lateFills(context, session);
  for (const id of ids) {
    if (!context.accountState.dayStart?.has(id)) continue;
    const ended = today.filter(({ strategyId }) => strategyId === id);
    const live = [...context.accountState.live.values()].filter(({ strategyId }) => strategyId === id);
    const placed = [...ended, ...live].filter(({ plannedAt }) => plannedAt >= since);
    const pnl = dayProfit(context, id);
    const filled = ended.filter((order) => filledOf(order) > 0n).length;
    const fees = moneyText(feesOf(ended));
    const day = `day: ${signedMoney(pnl)} mUSD; orders ${placed.length}, filled ${filled}, fees ${fees}`;
    context.notify(
      'session',
      `${day}${lateText(late.filter(({ strategyId }) => strategyId === id))}; ${openText(live)}${waitingText(context, id)}${heldText(context, id)}`,
      id,
    );
  }
  reportTotal(context, today);
}

/** Orders that filled between the previous close and the start of a day; neither day includes them. */
export function lateFills(context: EngineContext, session: Session): Order[] {
  const { accountState, calendar } = context;
  const today = new Set(endedSince(accountState, dayBegin(context, session)));
  const sinceClose = endedSince(accountState, calendar.previousSession(session.open).close);
  return sinceClose.filter((order) => !today.has(order) && filledOf(order) > 0n);
}

export const lateText = (late: readonly Order[]): string =>
  late.length === 0 ? '' : `; filled after the close before ${late.length}, fees ${moneyText(feesOf(late))}`;

/** Reports the day of all strategies together, including former ones. */
function reportTotal(context: EngineContext, today: readonly Order[]): void {
  const { allocations, dayStart } = context.accountState;
  if (!dayStart?.has(UNALLOCATED) || allocations.size < 2) return;
  const fees = moneyText(feesOf(today));
  context.notify('session', `day of all strategies: ${signedMoney(dayProfit(context))} mUSD, fees ${fees}`);
}

/** Text on the unsent intents of a strategy; empty if there are none. */
function waitingText({ accountState: { intents, open } }: EngineContext, id: string): string {
  const waiting = [...intents.values()].filter((intent) => intent.strategyId === id && !open.of(intent.id));
  if (waiting.length === 0) return '';
  return `; waits to be sent: ${namesOf(waiting.map(describeIntent))}`;
}

/** Text on the synthetic orders of a strategy held overnight; empty if there are none. */
function heldText(context: EngineContext, id: string): string {
  const names = heldNames(context, id);
  return names === null ? '' : `; this bot, not the venue, holds overnight: ${names}`;
}

/** Synthetic orders of a strategy that are not ending, by name; null if there are none. */
export function heldNames({ accountState: { synthetics } }: EngineContext, id: string): string | null {
  if (synthetics.live.size === 0) return null;
  const held = [...synthetics.live.values()].filter(
    ({ order, ending }) => order.strategyId === id && ending === null,
  );
  if (held.length === 0) return null;
  return namesOf(held.map(({ order }) => describeSynthetic(order)));
}

const openText = (live: readonly Order[]): string =>
  live.length === 0 ? 'nothing open' : `open: ${namesOf(live.map(({ terms }) => describeTerms(terms)))}`;

/** Text with the first names, and the number of the others. */
function namesOf(names: readonly string[]): string {
  const more = names.length > NAMED_MAX ? ` and ${names.length - NAMED_MAX} more` : '';
  return `${names.slice(0, NAMED_MAX).join(', ')}${more}`;
}
