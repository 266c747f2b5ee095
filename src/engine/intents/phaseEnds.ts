import { epochMs, type EpochMs } from '../../core/brand.ts';
import type { EndCode } from '../../domain/orders/endCode.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { OrderIntent } from '../../domain/orders/orderIntent.ts';
import { DECISION_AGE_MAX_MS } from '../risk/gate.ts';
import { isProtective } from '../risk/sizeCuts.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { isTooLate, nextOpen } from '../state/market.ts';
import { nextWindow, windowOf } from '../state/tradingWindow.ts';
import type { OpenIntents } from './intents.ts';

/** Delay in ms of a good-till-cancelled order after a temporary obstacle. */
export const TRY_AGAIN_MS = 60_000;

/** Minimum lifetime in ms of a sell of an exit or a flatten before it is cancelled because the price has left its limit. */
const FOLLOW_MS = 60_000;

/**
 * Cancels orders of phases outside the regular session: when the phase is over, because what DAY means there is up to
 * the venue, and protective sells also when the price has left their limit. What follows waits for their ends.
 */
export function endPhases(context: EngineContext, intents: OpenIntents): void {
  const { now, accountState } = context;
  for (const order of accountState.live.values()) {
    const { until, cancel, plannedAt } = order;
    if (until === undefined || cancel.kind !== 'none') continue;
    if (now >= until) intents.cancelOrder(order, 'its phase is over', 'lapse');
    else if (isLeft(context, order) && now >= plannedAt + FOLLOW_MS)
      intents.cancelOrder(order, 'the price has left its limit', 'lapse');
  }
}

/** Earliest end of an extended phase among orders meant for one and not being cancelled; Infinity if none. */
export function nextPhaseEnd({ accountState }: EngineContext): number {
  let next = Infinity;
  for (const { until = Infinity, cancel } of accountState.live.values())
    if (cancel.kind === 'none') next = Math.min(next, until);
  return next;
}

/** True for a sell of an exit or a flatten whose limit, set by this bot, is above the price. */
function isLeft({ accountState, market }: EngineContext, order: Order): boolean {
  const { terms, intentId } = order;
  const price = market.price(terms.symbol);
  if (terms.type !== 'limit' || price === null || price >= terms.price) return false;
  return accountState.intents.get(intentId)?.terms.kind === 'sell' && isProtective(accountState, order);
}

/** Time at which a good-till-cancelled order is placed again after an end; null if it is not. */
export function renewalOf(context: EngineContext, intent: OrderIntent, order: Order): EpochMs | null {
  const { now, session } = context;
  const { plannedAt, state, until, lapsed, reduced } = order;
  switch (state.kind) {
    case 'closed':
      // The order was for whole shares: the fraction waits for the regular session.
      if (until !== undefined && state.how === 'filled') return reduced ? null : nextOpen(context);
      if (state.how !== 'expired' && !lapsed) return null;
      return until !== undefined || !session || plannedAt < session.open
        ? windowStart(context, intent)
        : nextWindow(context, intent);
    case 'abandoned':
      return epochMs(now + TRY_AGAIN_MS);
    case 'refused':
      return nextOpen(context);
    case 'neverExisted':
      return state.assumed ? null : nextOpen(context);
    default:
      return null;
  }
}

/**
 * True for an order that was not sent because its session or phase is over: its intent waits for the next. Orders that
 * a start finds unsent are not sent later, nor are decisions past their maximum age, as during the session.
 */
export function hasMissed(context: EngineContext, order: Order, code: EndCode): boolean {
  if (code === 'SESSION_CLOSED') return true;
  const isOld = code === 'RESTARTED' || context.now - order.plannedAt > DECISION_AGE_MAX_MS;
  return !isOld && isTooLate(context, order);
}

/** Time at which to send an intent whose order missed its phase or session: another traded phase may have begun by now. */
export function startAfter(context: EngineContext, intent: OrderIntent, { until }: Order): EpochMs {
  const isOver = until === undefined ? !context.session : context.now >= until;
  return isOver ? windowStart(context, intent) : nextWindow(context, intent);
}

/** Now if an intent may be sent, else the start of its next window. */
const windowStart = (context: EngineContext, intent: OrderIntent): EpochMs =>
  windowOf(context, intent) ? context.now : nextWindow(context, intent);
