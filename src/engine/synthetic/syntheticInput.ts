import { notionalOf, shares, WAD, wadFromNumber, type Price, type Shares } from '../../core/amount.ts';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import type { Session } from '../../calendar/index.ts';
import { MIN_NOTIONAL } from '../../domain/fees.ts';
import type { Bar, Interval } from '../../domain/bar.ts';
import type { Instrument } from '../../domain/instrument.ts';
import type { EndCode, EndReason } from '../../domain/orders/endCode.ts';
import { filledOf, type Order } from '../../domain/orders/order.ts';
import { attemptsOf, type OrderIntent } from '../../domain/orders/orderIntent.ts';
import {
  childrenOf,
  isTakeProfit,
  type Child,
  type SyntheticState,
} from '../../domain/orders/syntheticOrder.ts';
import type { Side } from '../../domain/venue.ts';
import { barEnd } from '../../market/series.ts';
import { sideOf } from '../intents/sizing.ts';
import { sureShares } from '../risk/limits.ts';
import { blockOn, restrictionOn, restrictionText } from '../risk/restrictions.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { cutToStep } from '../state/market.ts';

/** Default pause in ms after a child that filled nothing, and its maximum: it doubles with each such child. */
const PAUSE_MS = 60_000;
const PAUSE_MAX_MS = 600_000;

/** End codes that do not count as failures: their cause is gone by the next try, or within minutes. */
const UNTRIED: ReadonlySet<EndCode | undefined> = new Set<EndCode>([
  'RESTARTED',
  'TOO_OLD',
  'HALTED',
  'FROZEN',
  'ONE_CLICK_OFF',
]);

const isRestingSell = ({ terms }: Order): boolean => terms.side === 'sell' && terms.type === 'limit';

/** Data that a synthetic order decides on: the market and its strategy's account now. */
export class SyntheticInput {
  readonly #context: EngineContext;
  readonly #state: SyntheticState;

  constructor(context: EngineContext, state: SyntheticState) {
    this.#context = context;
    this.#state = state;
  }

  get now(): EpochMs {
    return this.#context.now;
  }

  get session(): Session | undefined {
    return this.#context.session;
  }

  get calendar(): EngineContext['calendar'] {
    return this.#context.calendar;
  }

  get instrument(): Instrument | undefined {
    return this.#context.market.instruments.get(this.#state.order.symbol);
  }

  get rules(): EngineContext['rules'] {
    return this.#context.rules;
  }

  /** Latest price from a phase that may trigger the order; null if there is none. */
  get price(): Price | null {
    const { symbol, phases } = this.#state.order;
    const quote = this.#context.market.quote(symbol);
    if (!quote) return null;
    const { session, calendar, now } = this.#context;
    if (!phases) return session && quote.at >= session.open ? quote.price : null;
    const { phase, nextChange } = calendar.phaseAt(now);
    const isOfPhase = calendar.phaseAt(epochMs(quote.at)).nextChange === nextChange;
    return isOfPhase && phases.some((name) => name === phase) ? quote.price : null;
  }

  /** Latest price from any phase, the price its strategy sees; null if there is none. */
  get latestPrice(): Price | null {
    return this.#context.market.price(this.#state.order.symbol);
  }

  /** Shares of the strategy that are not reserved by an order. */
  get freeShares(): Shares {
    const { strategyId, symbol } = this.#state.order;
    return shares(this.#context.accountState.ledger.balance(strategyId, 'free', symbol));
  }

  /** Shares of the strategy, including those in its open sells. */
  get heldShares(): Shares {
    const { strategyId, symbol } = this.#state.order;
    return shares(this.#context.accountState.ledger.held(strategyId, symbol));
  }

  /** Largest part of a quantity that the venue accepts. */
  tradable(quantity: Shares): Shares {
    const { instrument } = this;
    return instrument && !instrument.fractionable ? shares(cutToStep(quantity, instrument)) : quantity;
  }

  /** True for less than the venue's minimum order, at the latest price or a given one. */
  isDust(quantity: Shares, price = this.latestPrice): boolean {
    return price !== null && notionalOf(this.tradable(quantity), price, 'down') < MIN_NOTIONAL;
  }

  /** True for zero, and for an amount too small to cancel a resting order for. */
  isSpeck(quantity: Shares): boolean {
    return quantity === 0n || this.isDust(quantity);
  }

  /** Intent of a child; undefined once the child has ended. */
  intentOf({ id }: Child): OrderIntent | undefined {
    return this.#context.accountState.intents.get(id);
  }

  /** Session in which the entry's first filled order was planned, or the next one: the fill itself may be known late. */
  get entrySession(): Session {
    const { accountState, calendar, now } = this.#context;
    const { id } = childrenOf(this.#state, 'entry').find(({ filled }) => filled > 0n) ?? { id: '' };
    const first = attemptsOf(accountState, id).find((order) => filledOf(order) > 0n);
    const at = first?.plannedAt ?? now;
    return calendar.sessionAt(at) ?? calendar.nextSession(at);
  }

  /** True for a child that only needs to be awaited: its cancel was requested, or its market order was sent. */
  isEnding({ id }: Child): boolean {
    const order = this.#context.accountState.open.of(id);
    if (!order) return false;
    const isCancelled = order.cancel.kind !== 'none' && !order.lapsed;
    return isCancelled || (order.terms.type === 'market' && order.state.kind !== 'planned');
  }

  /** True for a child without an open order. */
  isUnsent({ id }: Child): boolean {
    return !this.#context.accountState.open.has(id);
  }

  /** Earliest time at which a child was, or will be, sent. */
  dueAt(child: Child): EpochMs {
    const { notBefore = child.createdAt } = this.intentOf(child) ?? {};
    return notBefore > child.createdAt ? notBefore : child.createdAt;
  }

  /** True while the strategy is about to send a sell of the stock that needs the same shares. */
  get awaitsSell(): boolean {
    const { accountState, now } = this.#context;
    const { strategyId, symbol } = this.#state.order;
    for (const intent of accountState.intents.values())
      if (
        intent.symbol === symbol &&
        intent.strategyId === strategyId &&
        intent.parent === undefined &&
        intent.notBefore <= now &&
        !accountState.open.has(intent.id) &&
        sideOf(this.#context, intent) === 'sell'
      )
        return true;
    return false;
  }

  /** True while the strategy has a market sell under way: its holdings after that are not known yet. */
  get isSelling(): boolean {
    const { strategyId, symbol } = this.#state.order;
    return this.#context.accountState.open
      .inSymbol(symbol)
      .some(
        ({ terms, strategyId: owner }) =>
          owner === strategyId && terms.side === 'sell' && terms.type === 'market',
      );
  }

  /** True while another exit of the strategy has triggered but has no order yet, and needs the same shares. */
  get awaitsExit(): boolean {
    const { strategyId, symbol } = this.#state.order;
    const { open, synthetics } = this.#context.accountState;
    return [...synthetics.inSymbol(symbol)].some((id) => {
      const { order, trigger, children } = synthetics.of(id);
      if (trigger === null || order.strategyId !== strategyId || order.terms.kind === 'stopBuy') return false;
      return !children.some((child) => child.leg === 'exit' && open.has(child.id));
    });
  }

  /** Resting sell of the strategy, or of another of its exits, that locks shares of the stock and may be cancelled. */
  get ownSell(): string | undefined {
    const { intents, open } = this.#context.accountState;
    const { strategyId, symbol } = this.#state.order;
    return open.inSymbol(symbol).find((order) => {
      const intent = intents.get(order.intentId);
      const { leg } = intent?.parent ?? {};
      const isOwn = intent?.strategyId === strategyId && intent.command === undefined;
      const isFree = isOwn && (leg === undefined || isTakeProfit(leg));
      return isFree && isRestingSell(order) && order.cancel.kind === 'none';
    })?.intentId;
  }

  /** Part of a quantity that may be sold now: shares that are free and at the venue, including those locked by `own`. */
  sellable(left: Shares, own?: Child): Shares {
    const locked = (own && this.#context.accountState.open.of(own.id)?.reserve) ?? 0n;
    const sure = sureShares(this.#context, this.#state.order.symbol);
    const free = (this.freeShares < sure ? this.freeShares : sure) + locked - this.#promised(own);
    return this.tradable(shares(left < free ? left : free > 0n ? free : 0n));
  }

  /** Shares promised to take-profits that have no order yet, except `own`: nothing has locked them. */
  #promised(own?: Child): bigint {
    let sum = 0n;
    for (const child of this.#state.children) {
      if (child.ended !== null || child.id === own?.id || !isTakeProfit(child.leg)) continue;
      const terms = this.isUnsent(child) ? this.intentOf(child)?.terms : undefined;
      if (terms?.kind === 'limit') sum += terms.quantity - child.filled;
    }
    return sum;
  }

  /** Reason that blocks sells of this order now; null if none. */
  get blocked(): string | null {
    return this.#barred ?? this.#blockOn('sell')?.why ?? null;
  }

  /** True if the block may clear by itself soon: the account has yet to show the latest fills. */
  get isBlockPassing(): boolean {
    const isFrozen = this.#blockOn('sell')?.code === 'FROZEN';
    return this.#barred === null && !isFrozen && this.#context.holds.isPassing(this.#state.order.symbol);
  }

  /** Freeze or hold that blocks one side. Exits of a working order do not count as protection. */
  #blockOn(side: Side): EndReason | null {
    const { symbol, terms } = this.#state.order;
    const isExit = side === 'sell' && terms.kind !== 'work' && terms.kind !== 'stopBuy';
    return blockOn(this.#context, { symbol, kind: isExit ? 'exit' : side });
  }

  /** Reason that lasts until a person or the venue lifts it; null if none. */
  get #barred(): string | null {
    const { accountState, reads } = this.#context;
    const { strategyId, symbol } = this.#state.order;
    const restriction = restrictionOn(accountState, { strategyId, symbol });
    if (restriction?.state === 'halted') return restrictionText(restriction);
    if (!reads.delegated) return 'One Click is off';
    return this.instrument?.tradable === false ? `${symbol} is not tradable at this venue` : null;
  }

  /** Reason that blocks one side of this order now; null if none. Buys also pause while trading is reduce-only. */
  pausedFor(side: Side): string | null {
    const { accountState } = this.#context;
    const { strategyId, symbol } = this.#state.order;
    const restriction = side === 'buy' ? restrictionOn(accountState, { strategyId, symbol }) : null;
    if (restriction) return restrictionText(restriction);
    return side === 'sell' ? this.blocked : (this.#barred ?? this.#blockOn('buy')?.why ?? null);
  }

  /** Finished bars of the stock that ended after a given time, oldest first. */
  barsSince(interval: Interval, since: EpochMs): readonly Bar[] {
    const { market, calendar } = this.#context;
    const series = market.series({ symbol: this.#state.order.symbol, interval });
    const bars: Bar[] = [];
    for (let back = 0; ; back++) {
      const bar = series.at(back);
      if (!bar || barEnd(bar, calendar) <= since) return bars.reverse();
      bars.push(bar);
    }
  }

  /** Earliest time of a leg's next child. It backs off while children fail for reasons outside the order's control. */
  nextTry(children: readonly Child[]): EpochMs {
    let failed = 0;
    let last = epochMs(0);
    for (const { ended, filled } of children) {
      if (filled > 0n) failed = 0;
      else if (ended && ended.how !== 'cancelled' && !UNTRIED.has(ended.code)) failed++;
      if (ended) last = ended.at;
    }
    if (failed === 0) return epochMs(0);
    const pause = (this.rules.failureSpacingMs ?? PAUSE_MS) * 2 ** (failed - 1);
    return epochMs(last + Math.min(pause, PAUSE_MAX_MS));
  }
}

/** Share of a quantity, rounded to the step where the stock is known. */
export function partOf(quantity: Shares, part: number, instrument: Instrument | undefined): Shares {
  const exact = shares((quantity * wadFromNumber(part)) / WAD);
  return instrument ? shares(cutToStep(exact, instrument)) : exact;
}
