import type { Shares } from '../../core/amount.ts';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import type { Instrument } from '../../domain/instrument.ts';
import type { EndReason } from '../../domain/orders/endCode.ts';
import { repaymentOf } from '../../domain/account/deferredSells.ts';
import { isDeferred, type Order, type OrderId, endReasonOf } from '../../domain/orders/order.ts';
import type { OrderTerms } from '../../domain/venue.ts';
import type { OrderIntent, IntentEnd } from '../../domain/orders/orderIntent.ts';
import { isPassing, isPassingCode, type RiskLimits, awaitsBalance } from '../risk/limits.ts';
import { Deadlines } from '../risk/gate.ts';
import {
  blockOn,
  blockOnOrder,
  restrictionCode,
  restrictionOn,
  restrictionText,
  tradeOf,
} from '../risk/restrictions.ts';
import { describeTerms } from '../../domain/describe.ts';
import type { Breach } from '../../domain/limitBreach.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { EXPIRED, isExit, isSlice, isStanding, Deferral, type OpenIntents, type IsDue } from './intents.ts';
import { lackFor, orderAhead, orderOf } from './plannedOrder.ts';
import { SendQueue } from './sendQueue.ts';
import { enlarges, SizingInput, lackOf, outsideOf, sideOf, sizeOf } from './sizing.ts';
import { isTooLate, nextOpen, pricelessSession } from '../state/market.ts';
import { nextWindow, windowOf, type TradingWindow } from '../state/tradingWindow.ts';
import { endPhases, hasMissed, nextPhaseEnd, renewalOf, startAfter, TRY_AGAIN_MS } from './phaseEnds.ts';
import { LIMIT_CODES } from '../../domain/limits.ts';
import type { Restriction } from '../../domain/operator/restriction.ts';

/** Maximum number of orders of one intent while price moves push them over a size limit before they are sent. */
const ATTEMPTS_MAX = 4;

/** Moves missing stock for a sell from the wallet to the exchange. True if that is under way and the sell has to wait. */
type ShortfallCover = (intent: OrderIntent, missing: Shares) => boolean;

type ExecutorParts = Readonly<{ intents: OpenIntents; riskLimits: RiskLimits; cover: ShortfallCover }>;

/** Turns intents into orders, and decides how an intent continues after its order has ended. */
export class IntentExecutor {
  readonly #context: EngineContext;
  readonly #parts: ExecutorParts;
  readonly #deferral: Deferral;
  readonly #deadlines: Deadlines;
  readonly #queue: SendQueue;
  #nextDue = Infinity;
  /** True if phases are traded, or an earlier run left an order of one: each step then checks whether they have ended. */
  hasPhases = false;
  /** True when a round without intents would do nothing. */
  isClear = true;
  /** Number of intents by the end of the last round, if it left none waiting and no order has ended since; else −1. */
  settledAt = 0;

  constructor(context: EngineContext, parts: ExecutorParts) {
    this.#context = context;
    this.#parts = parts;
    this.#queue = new SendQueue(context);
    this.#deferral = new Deferral(context, this.#queue);
    this.#deadlines = new Deadlines(context);
  }

  /** Drops intents that an earlier run should have sent at once and did not: they are not sent late. */
  recovered(): void {
    const { accountState, rules } = this.#context;
    const left = [...accountState.live.values(), ...accountState.absent.values()];
    this.hasPhases = rules.trade !== undefined || left.some(({ until }) => until !== undefined);
    const dropped = new Set<string>();
    for (const intent of [...accountState.intents.values()]) {
      if (accountState.open.has(intent.id)) continue;
      const why = this.#deferral.leftOver(intent) ?? this.#deferral.withoutSells(intent, dropped);
      if (why === null) continue;
      dropped.add(intent.id);
      this.#parts.intents.end(intent.id, 'dropped', { code: 'RESTARTED', why });
    }
  }

  /**
   * Tries every intent without an order, and returns how many still have none. Cheap when there are none. `isDue`: a replay
   * takes the decisions and their sequence from the journal; otherwise nothing is decided before the open is booked.
   */
  pump(isDue?: IsDue): number {
    if (!isDue) {
      if (this.hasPhases) endPhases(this.#context, this.#parts.intents);
      const isBooked = this.#isOpenBooked();
      const waiting = this.#tryAll(() => isBooked);
      if (this.hasPhases) this.#nextDue = Math.min(this.#nextDue, nextPhaseEnd(this.#context));
      return waiting;
    }
    for (;;) {
      const { recorded } = this.#context;
      const waiting = this.#tryAll(isDue);
      if (this.#context.recorded === recorded) return waiting;
    }
  }

  #tryAll(isDue: IsDue): number {
    const { accountState } = this.#context;
    const { intents, open } = accountState;
    let waiting = 0;
    this.#nextDue = Infinity;
    for (const { id, expires } of this.#queue.inTurn()) {
      if (expires === undefined && open.has(id)) continue;
      const intent = intents.get(id);
      const order = open.of(id);
      if (intent && this.#mayMove(intent, order) && isDue(intent)) this.#move(intent, order);
      if (this.#isAwaited(id)) waiting++;
    }
    this.isClear = this.#queue.endRound();
    this.settledAt = waiting === 0 && this.isClear ? accountState.intentCount : -1;
    return waiting;
  }

  /** Earliest time after the latest `pump` at which an intent may be sent or expires; Infinity if none. */
  get nextDue(): number {
    return this.#nextDue;
  }

  /** True without an order, or with an expired one that has no cancel: the tracker repeats cancels that failed. */
  #mayMove(intent: OrderIntent, order: Order | undefined): boolean {
    return order === undefined || (this.#hasExpired(intent) && order.cancel.kind === 'none');
  }

  #move(intent: OrderIntent, order: Order | undefined): void {
    if (order) this.#parts.intents.cancelOrder(order, EXPIRED);
    else if (this.#hasExpired(intent)) this.#parts.intents.expire(intent);
    else this.#attempt(intent);
  }

  #hasExpired({ expires }: OrderIntent): boolean {
    return expires !== undefined && this.#context.now >= expires;
  }

  /** True for an intent that continues by time alone; records that time. */
  #isAwaited(id: string): boolean {
    const { intents, open } = this.#context.accountState;
    const intent = intents.get(id);
    if (!intent) return false;
    this.#wakeAt(intent.expires);
    if (open.has(id)) return intent.expires !== undefined;
    this.#wakeAt(intent.notBefore);
    return true;
  }

  #wakeAt(at: EpochMs | undefined): void {
    if (at !== undefined && at > this.#context.now && at < this.#nextDue) this.#nextDue = at;
  }

  /** True once the open of this session, from which the day's loss counts, is recorded: nothing is decided before. */
  #isOpenBooked(): boolean {
    const { session, accountState } = this.#context;
    return session === undefined || session.date <= (accountState.sessionDate ?? '');
  }

  /** Ends the intent of an order that has ended, or lets it wait for its next order. */
  afterEnd(order: Order): void {
    this.settledAt = -1;
    const { intents, open } = this.#context.accountState;
    const intent = intents.get(order.intentId);
    // A late settlement of one order does not affect the order that followed it.
    const reason = endReasonOf(order);
    if (!intent || !reason || open.has(intent.id)) return;
    const { state } = order;
    const { code, why } = reason;
    const end = (how: IntentEnd) =>
      this.#context.record({ kind: 'intentEnded', id: intent.id, how, why, code });
    if (state.kind === 'neverExisted' && state.assumed) this.#endSuccessor(intent.id);
    const isReplaced = this.#context.accountState.filledByIntent.isReplaced(intent.id);
    if ((order.cancel.kind !== 'none' && !order.lapsed) || isReplaced)
      return this.#endCancelled(intent, isReplaced);
    if (isStanding(intent) && !this.#isFilled(intent)) {
      const renewal = renewalOf(this.#context, intent, order);
      if (renewal !== null) return this.#wait(intent, { code, why: 'to be placed anew' }, renewal);
    }
    if (state.kind === 'closed')
      return end(order.lapsed ? 'cancelled' : state.how === 'rejected' ? 'dropped' : 'done');
    if (state.kind === 'abandoned' && hasMissed(this.#context, order, code))
      return this.#postpone(intent, why, startAfter(this.#context, intent, order));
    // On hold: it is tried again once the hold is lifted, if the run lasts until then.
    const { isManual } = this.#context;
    if (state.kind === 'abandoned' && !isManual && blockOnOrder(this.#context, order)?.code === 'ON_HOLD')
      return;
    const isOnItsWay = intent.replaces !== undefined && code === 'RESTARTED';
    const isRetried = isOnItsWay || (isExit(intent) && (isPassingCode(code) || order.lapsed === true));
    if (state.kind === 'abandoned' && (this.#mayBeCut(order) || isRetried)) return;
    const isPause =
      code === 'DOUBT' ? intent.command === undefined : isSlice(intent) && code === 'ORDERS_PER_MINUTE';
    if (state.kind === 'abandoned' && isPause)
      return this.#wait(intent, reason, epochMs(order.plannedAt + TRY_AGAIN_MS));
    if (code === 'TOO_OLD') {
      this.#queue.dropped(intent, reason);
      this.isClear = false;
    }
    end('dropped');
  }

  /** Ends the replacement of an order that is only assumed never placed: both could be at the venue. */
  #endSuccessor(id: string): void {
    const successor = this.#context.accountState.filledByIntent.openSuccessorOf(id);
    if (successor === undefined) return;
    const why = `${id}, which it was to replace, is assumed never placed, without proof`;
    this.#parts.intents.end(successor, 'dropped', { code: 'UNRESOLVED', why });
  }

  #endCancelled(intent: OrderIntent, isReplaced: boolean): void {
    const code = this.#hasExpired(intent) ? 'EXPIRED' : isReplaced ? 'REPLACED' : 'CANCELLED';
    this.#context.record({ kind: 'intentEnded', id: intent.id, how: 'cancelled', why: 'cancelled', code });
  }

  /** True for an order that has exceeded a size limit since it was planned: its intent is tried again with less. */
  #mayBeCut(order: Order): boolean {
    if ((this.#context.accountState.attempts.get(order.intentId) ?? 0) >= ATTEMPTS_MAX) return false;
    const { cut, breach } = this.#parts.riskLimits.fit(order);
    return cut !== null && breach === null;
  }

  /** True for a target, which is as close as an order could get, and for any other intent with a fill. */
  #isMet({ id, terms }: OrderIntent): boolean {
    return terms.kind === 'target' || this.#context.accountState.filledByIntent.get(id) > 0n;
  }

  #isFilled(intent: OrderIntent): boolean {
    const { terms } = intent;
    return (
      terms.kind === 'limit' && this.#context.accountState.filledByIntent.get(intent.id) >= terms.quantity
    );
  }

  #attempt(intent: OrderIntent): void {
    const { accountState, market, now, session } = this.#context;
    const window: TradingWindow | undefined = session ?? windowOf(this.#context, intent);
    const instrument = market.instruments.get(intent.symbol);
    const quote = market.quote(intent.symbol);
    if (now < intent.notBefore || (!session && this.#dropPriceless(intent)) || !instrument || !quote) return;
    const restriction = restrictionOn(accountState, intent);
    if (restriction?.state === 'halted') return this.#restrict(intent, restriction);
    const blocked = this.#blocked(intent, instrument);
    if (blocked !== null) return this.#parts.intents.end(intent.id, 'dropped', blocked);
    // No run is there to send the limit order of a manual command at the open.
    const isSentAnytime = this.#context.isManual && intent.terms.kind === 'limit';
    if (!window && !isSentAnytime) return this.#postpone(intent, this.#whyClosed(intent));
    // Otherwise it would be planned and abandoned again every minute.
    if (!this.#context.reads.delegated && isStanding(intent))
      return this.#deferral.restricted(intent, 'One Click is off');
    const missed = intent.replaces === undefined ? null : this.#deferral.leftOver(intent);
    if (missed !== null)
      return this.#parts.intents.end(intent.id, 'dropped', { code: 'SESSION_CLOSED', why: missed });
    const held = this.#blockOn(intent);
    if (held !== null) return this.#giveUp(intent, this.#deferral.held(intent, held.why));
    // Nothing is decided on a price from before the open; the session's first price comes soon.
    if (window && quote.at < window.open) return;
    if (intent.after.some((id) => accountState.intents.has(id) || accountState.open.has(id))) return;
    const input = new SizingInput(this.#context, intent, instrument);
    const ofDay = sizeOf(intent.terms, input);
    const sized = window?.phase ? outsideOf(ofDay, input) : ofDay;
    if (restriction && enlarges(sized, input)) return this.#restrict(intent, restriction);
    if (sized.kind === 'impossible' && this.#parts.cover(intent, lackOf(intent.terms, input))) return;
    if (sized.kind === 'nothing')
      return this.#parts.intents.end(intent.id, this.#isMet(intent) ? 'done' : 'dropped', sized);
    if (sized.kind === 'impossible') return this.#parts.intents.end(intent.id, 'dropped', sized);
    if (sized.kind === 'cancelFirst') return this.#cancelFirst(sized.ids, intent);
    if (sized.kind === 'later') return this.#wait(intent, sized, nextOpen(this.#context));
    if (isTooLate(this.#context, { terms: sized.terms, until: window?.phase && window.close }))
      return this.#postpone(intent, 'the session takes no more market orders');
    this.#send(intent, sized.terms);
    if (sized.dust !== undefined && accountState.open.has(intent.id))
      this.#context.notify('info', sized.dust, intent.strategyId);
  }

  /** Drops an intent whose session closed without a price, unless it is good till cancelled. True when dropped. */
  #dropPriceless(intent: OrderIntent): boolean {
    const missed = isStanding(intent) ? null : pricelessSession(this.#context, intent);
    if (missed)
      this.#parts.intents.end(intent.id, 'dropped', {
        code: 'NO_PRICE',
        why: `${intent.symbol} had no price in the session of ${missed.date} that it was for: halted, or without data`,
      });
    return missed !== null;
  }

  /** Plans the order, unless another must come first or there is a hold. */
  #send(intent: OrderIntent, terms: OrderTerms): void {
    const ahead = orderAhead(this.#context, intent.symbol, terms.side);
    if (ahead) return this.#giveUp(intent, this.#deferral.behind(intent, ahead));
    const repayment = isDeferred(terms) ? repaymentOf(this.#context.accountState, intent.symbol) : undefined;
    if (repayment) return this.#giveUp(intent, this.#deferral.behindRepayment(intent, repayment));
    const held = blockOnOrder(this.#context, { intentId: intent.id, terms });
    if (held !== null) return this.#giveUp(intent, this.#deferral.held(intent, held.why));
    if (this.#deadlines.areUsedUp) return this.#queue.wait();
    this.#plan(intent, terms);
  }

  #giveUp(intent: OrderIntent, reason: EndReason | null): void {
    if (reason !== null) this.#parts.intents.end(intent.id, 'dropped', reason);
  }

  /** Reason to wait outside the session: an intent that waited for the money of sells may have missed its own session. */
  #whyClosed({ after, at, replaces }: OrderIntent): string {
    const isLate =
      after.length > 0 && replaces === undefined && this.#context.calendar.sessionAt(at) !== undefined;
    return isLate ? 'the session closed before its sells had brought the money' : 'the session is closed';
  }

  /** Drops an intent that a restriction stops. A good-till-cancelled one that predates the restriction waits for its end. */
  #restrict(intent: OrderIntent, restriction: Restriction): void {
    const why = restrictionText(restriction);
    const code = restrictionCode(restriction);
    if (!isStanding(intent) || intent.at >= restriction.since)
      this.#parts.intents.end(intent.id, 'dropped', { code, why });
    else this.#deferral.restricted(intent, why);
  }

  /** Freeze or hold that stops an intent before it is sized; a hold on the money for a buy is checked after that. */
  #blockOn(intent: OrderIntent): EndReason | null {
    const { accountState, holds } = this.#context;
    const { id: intentId, symbol } = intent;
    if (!accountState.frozen.has(symbol) && holds.against(symbol) === null) return null;
    const terms = { symbol, side: sideOf(this.#context, intent) };
    return blockOn(this.#context, tradeOf(accountState, { intentId, terms }));
  }

  /** Reason why the intent is dropped: a freeze, its stopped strategy or an untradable stock; or null. */
  #blocked(intent: OrderIntent, instrument: Instrument): EndReason | null {
    const { accountState } = this.#context;
    const block = accountState.frozen.has(intent.symbol) ? this.#blockOn(intent) : null;
    if (block?.code === 'FROZEN') return block;
    if (
      accountState.stopped.has(intent.strategyId) &&
      intent.command === undefined &&
      intent.parent === undefined
    )
      return { code: 'STRATEGY_STOPPED', why: 'its strategy has stopped' };
    if (instrument.tradable) return null;
    return { code: 'NOT_TRADABLE', why: `${intent.symbol} is not tradable at this venue` };
  }

  #cancelFirst(ids: readonly OrderId[], intent: OrderIntent): void {
    for (const id of ids)
      this.#parts.intents.cancel(
        this.#context.accountState.order(id).intentId,
        `${intent.reason} (the other way)`,
        'REPLACED',
      );
  }

  #plan(intent: OrderIntent, sized: OrderTerms): void {
    const wanted = orderOf(this.#context, intent, sized);
    const { terms, breach, cut } = this.#parts.riskLimits.fit(wanted);
    const order = cut ? reduced(orderOf(this.#context, intent, terms), cut) : wanted;
    if (awaitsBalance(this.#context, order)) return;
    const obstacle =
      lackFor(this.#context, order) ?? (breach && { code: LIMIT_CODES[breach.limit], why: breach.message });
    if (obstacle && isExit(intent) && isPassing(breach)) return this.#deferral.limited(intent, obstacle.why);
    if (obstacle?.code === 'DOUBT' && intent.command === undefined)
      return this.#wait(intent, obstacle, breach?.until);
    const waits = isPassing(breach) || order.id !== `${intent.id}.1`;
    if (obstacle && (isStanding(intent) ? waits : isSlice(intent) && isPassing(breach)))
      return this.#wait(
        intent,
        obstacle,
        isPassing(breach) ? (breach?.until ?? epochMs(order.plannedAt + TRY_AGAIN_MS)) : undefined,
      );
    if (obstacle) return this.#parts.intents.end(intent.id, 'dropped', obstacle);
    this.#context.record({ kind: 'planned', order });
    this.#queue.serve(intent);
    if (!this.#context.quiet) {
      this.#context.drops.over(intent);
      const from = cut ? ` (reduced from ${describeTerms(sized)}: ${cut.message})` : '';
      const text = `${describeTerms(terms)}${from}${intent.reason && `: ${intent.reason}`}`;
      this.#context.notify('decision', text, intent.strategyId);
    }
    this.#context.ask({ kind: 'place', id: order.id });
    this.#context.intentMoved(intent, 'sending');
  }

  #postpone(intent: OrderIntent, why: string, notBefore = nextWindow(this.#context, intent)): void {
    const reason = { code: 'SESSION_CLOSED', why } as const;
    if (intent.outside === 'refuse') this.#parts.intents.end(intent.id, 'dropped', reason);
    else this.#wait(intent, reason, notBefore);
  }

  #wait(intent: OrderIntent, { code, why }: EndReason, notBefore = nextWindow(this.#context, intent)): void {
    this.#parts.intents.wait(intent.id, { notBefore, why, code });
  }
}

const reduced = (order: Order, { limit, message }: Breach): Order => ({
  ...order,
  reduced: { limit, why: message },
});
