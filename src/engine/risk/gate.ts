import { epochSeconds, type EpochSeconds } from '../../core/brand.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { formatDecimal, type Cash } from '../../core/amount.ts';
import { lackCode, type EndCode, type EndReason } from '../../domain/orders/endCode.ts';
import { uncommittedShares } from '../../domain/account/deferredSells.ts';
import { type Order, type OrderId, assetOf, exactShares, isDeferred } from '../../domain/orders/order.ts';
import { type RiskLimits, fundsFor } from './limits.ts';
import { notionalAt } from '../state/exposure.ts';
import { isTooLate } from '../state/market.ts';
import { windowFor } from '../state/tradingWindow.ts';
import { isProtective } from './sizeCuts.ts';
import { againstTrade, blockOnOrder, isOfRunner } from './restrictions.ts';
import { LIMIT_CODES } from '../../domain/limits.ts';

/** Longest wait of a decision in ms: after that, the market has moved on. */
export const DECISION_AGE_MAX_MS = 120_000;

/** Largest share of its lifetime that a send gives up to get a deadline of its own. */
const GIVEN_UP_MAX = 2 / 3;

const NONE: ReadonlySet<number> = new Set();

/** Deadlines of sends, up to which each can be mined. Live orders never share a second, so it identifies them on chain. */
export class Deadlines {
  readonly #context: EngineContext;

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /**
   * Latest free deadline, before the close: a block in that very second belongs to the next session, and a DAY order in
   * it would live until that session ends. Null if the deadlines in use leave none in which a send is likely to be mined.
   */
  next(close = Infinity): EpochSeconds | null {
    const { now, rules } = this.#context;
    const latest = Math.floor(Math.min(now + rules.deadlineMs, close - 1) / 1000);
    const taken = this.taken();
    for (let deadline = latest; deadline > latest - this.#most; deadline--)
      if (!taken.has(deadline)) return epochSeconds(deadline);
    return null;
  }

  /** Deadlines of sends and cancels under way. */
  taken(): ReadonlySet<number> {
    if (this.#context.rules.answersAtOnce) return NONE;
    const taken = new Set<number>();
    for (const { state, cancel } of this.#context.accountState.live.values()) {
      if ('deadline' in state) taken.add(state.deadline);
      if ('deadline' in cancel) taken.add(cancel.deadline);
    }
    return taken;
  }

  /** True when every deadline is used by an order under way: the next one waits until the venue has shown some of them. */
  get areUsedUp(): boolean {
    const { accountState, rules } = this.#context;
    const { live } = accountState;
    if (rules.answersAtOnce || live.size < this.#most) return false;
    let onTheirWay = 0;
    for (const { state } of live.values()) if (state.kind !== 'working') onTheirWay++;
    return onTheirWay >= this.#most;
  }

  get #most(): number {
    return Math.ceil((this.#context.rules.deadlineMs / 1000) * GIVEN_UP_MAX);
  }
}

/** Obstacle to sending outside the kernel; null for none. */
export type Obstacles = Readonly<{
  /** True while the kill file exists (cancels still pass), the journal fails, or the bot is stopping or has to read first. */
  reason(to: 'place' | 'cancel'): string | null;
}>;

/** `worth`: see `SendGate`. */
export type Permit = Readonly<{ deadline: EpochSeconds; worth?: Cash } | { stop: string; code: EndCode }>;

const stopped = (code: EndCode, stop: string): Permit => ({ stop, code });

const CROWDED = stopped('NO_DEADLINE', 'too many sends are under way: no deadline is free');

const reason = (code: EndCode, why: string): EndReason => ({ code, why });

/** The last check before a send is signed: everything that may have changed while it waited for its slot. */
export class Gate {
  readonly #context: EngineContext;
  readonly #riskLimits: RiskLimits;
  readonly #obstacles: Obstacles;
  readonly #deadlines: Deadlines;

  constructor(context: EngineContext, riskLimits: RiskLimits, obstacles: Obstacles) {
    this.#context = context;
    this.#deadlines = new Deadlines(context);
    this.#riskLimits = riskLimits;
    this.#obstacles = obstacles;
  }

  /** Permits an order. `prepared`: deadline of an earlier permit that the send was prepared for. */
  forPlacing(id: OrderId, prepared?: EpochSeconds): Permit {
    const order = this.#context.accountState.order(id);
    const stop =
      this.#againstSending() ?? this.#againstOrder(order) ?? this.#limited(order) ?? this.#unfunded(order);
    if (stop !== null) return stopped(stop.code, stop.why);
    const close = order.until ?? this.#context.session?.close;
    if (prepared !== undefined) return this.#standing(prepared, close);
    const deadline = this.#deadlines.next(close);
    if (deadline === null) return CROWDED;
    return deadline * 1000 > this.#context.now
      ? { deadline, ...this.#valued(order) }
      : stopped('SESSION_CLOSED', 'the session closes before it could be mined');
  }

  /** Value of an order to compare its gas with; none for a protective sell, which is sent at any gas cost. */
  #valued(order: Order): { worth?: Cash } {
    const { accountState, market, rules } = this.#context;
    const quote = rules.answersAtOnce ? undefined : market.quote(order.terms.symbol);
    if (!quote || isProtective(accountState, order)) return {};
    return { worth: notionalAt(order.terms, quote.price) };
  }

  /** Permits a cancel (null: of an external order). It only reduces risk, so limits, halts and freezes do not stop it. */
  forCancelling(id: OrderId | null, prepared?: EpochSeconds): Permit {
    const { reads, holds, accountState, isManual } = this.#context;
    const hold = isManual ? null : holds.everything;
    const stop = this.#obstacles.reason('cancel') ?? hold ?? (reads.delegated ? null : 'One Click is off');
    if (stop !== null) return stopped('NOT_SENT', stop);
    const order = id === null ? null : accountState.order(id);
    if (order && (order.state.kind !== 'working' || order.cancel.kind !== 'wanted'))
      return stopped('NOT_SENT', 'there is nothing left to cancel');
    if (prepared !== undefined) return this.#standing(prepared);
    const deadline = this.#deadlines.next();
    return deadline === null ? CROWDED : { deadline };
  }

  #againstSending(): EndReason | null {
    const { reads, holds } = this.#context;
    const outside = this.#obstacles.reason('place');
    if (outside !== null) return reason('NOT_SENT', outside);
    if (holds.everything !== null) return reason('ON_HOLD', holds.everything);
    if (reads.delegated) return null;
    return reason('ONE_CLICK_OFF', this.#context.oneClickOff);
  }

  #limited(order: Order): EndReason | null {
    const breach = this.#riskLimits.breach(order);
    return breach && reason(LIMIT_CODES[breach.limit], breach.message);
  }

  #againstOrder(order: Order): EndReason | null {
    const { accountState } = this.#context;
    if (order.state.kind !== 'planned') return reason('NOT_SENT', 'it has been sent already');
    if (order.cancel.kind !== 'none') return reason('CANCELLED', 'cancelled before it was sent');
    const restricted = againstTrade(accountState, order);
    if (restricted !== null) return restricted;
    const age = this.#context.now - order.plannedAt;
    if (age > DECISION_AGE_MAX_MS)
      return reason('TOO_OLD', `it was planned ${Math.round(age / 1_000)} s ago`);
    const expires = accountState.intents.get(order.intentId)?.expires;
    if (expires !== undefined && this.#context.now >= expires) return reason('EXPIRED', 'it has expired');
    if (accountState.stopped.has(order.strategyId) && !isOfRunner(accountState, order))
      return reason('STRATEGY_STOPPED', 'its strategy has stopped');
    const block = blockOnOrder(this.#context, order);
    if (block !== null) return block;
    if (isTooLate(this.#context, order)) return reason('SESSION_CLOSED', 'it is too late in the session');
    const { until, strategyId, parent, terms } = order;
    if (until === undefined || windowFor(this.#context, { ...terms, strategyId, parent })?.close === until)
      return null;
    return reason('SESSION_CLOSED', `${terms.symbol} does not trade in this phase any more`);
  }

  /** Refuses an order that the account cannot pay for: the venue would accept it, and it would revert on chain. */
  #unfunded(order: Order): EndReason | null {
    if (isDeferred(order.terms)) return this.#uncovered(order);
    const asset = assetOf(order);
    const funds = fundsFor(this.#context, asset);
    if (!funds) return reason('ON_HOLD', 'the account has not been read yet');
    const { available, missing, unshown } = funds;
    if (available >= order.reserve) return null;
    if (missing > 0n) this.#context.reads.needed.add(asset);
    const shown = `the venue shows ${formatDecimal(missing)} ${asset} less than the ledger`;
    const toShow = `the balance has yet to show ${formatDecimal(unshown)}`;
    const why = missing > 0n ? `: ${shown}` : unshown > 0n ? `: ${toShow}` : '';
    const lack = `needs ${formatDecimal(order.reserve)} ${asset}, has ${formatDecimal(available)}${why}`;
    return reason(lackCode(asset), lack);
  }

  /** Refuses a deferred sell of more than the wallet has beyond what it owes, by ledger and venue: it would be a short sale. */
  #uncovered({ id, terms }: Order): EndReason | null {
    const { accountState, rules } = this.#context;
    const { account } = this.#context.reads;
    if (!account) return reason('ON_HOLD', 'the account has not been read yet');
    if (rules.limits.debt === undefined)
      return reason('DEBT', 'limits.debt is not set: without it nothing is owed');
    const known = uncommittedShares(accountState, terms.symbol, id) ?? 0n;
    const left = known - (account.uncovered.get(terms.symbol) ?? 0n);
    const quantity = exactShares(terms) ?? 0n;
    if (left >= quantity) return null;
    const lack = `needs ${formatDecimal(quantity)} ${terms.symbol} of the wallet, where ${formatDecimal(left)} are not owed already`;
    return reason('NO_SHARES', lack);
  }

  /** Permit for a deadline that is still in the future and not taken. */
  #standing(deadline: EpochSeconds, close = Infinity): Permit {
    const { now } = this.#context;
    if (deadline * 1000 <= now || deadline * 1000 >= close)
      return stopped('NO_DEADLINE', 'its deadline passed while it was prepared');
    return this.#deadlines.taken().has(deadline)
      ? stopped('NO_DEADLINE', 'another order has taken its deadline')
      : { deadline };
  }
}
