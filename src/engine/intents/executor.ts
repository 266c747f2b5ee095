import { formatDecimal } from '../../core/amount.ts';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import type { Instrument, Ticker } from '../../domain/instrument.ts';
import { isInDoubt, type Order, type OrderId, assetOf, reserveFor } from '../../domain/orders/order.ts';
import type { OrderTerms, Side } from '../../domain/venue.ts';
import type { OrderIntent, IntentEnd } from '../../domain/orders/orderIntent.ts';
import { isPassing, type RiskLimits, awaitsBalance } from '../risk/limits.ts';
import { Deadlines } from '../risk/gate.ts';
import { describeTerms } from '../../domain/describe.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { isStanding, Deferral } from '../risk/deferral.ts';
import { SizingInput, lackOf, sizeOf } from './sizing.ts';
import { isTooLate, nextOpen, pricelessSession } from '../state/market.ts';
import type { OpenIntents } from './intents.ts';

/** How long an order that is good till cancelled is put off by what soon passes. */
const TRY_AGAIN_MS = 60_000;

/** Takes wishes to orders, and on from the end of one order to what its wish wants next. */
export class IntentExecutor {
  readonly #desk: EngineContext;
  readonly #wishes: OpenIntents;
  readonly #bounds: RiskLimits;
  readonly #keptBack: Deferral;
  readonly #deadlines: Deadlines;
  /** Whether a wish may be tried now: a replay has it from the journal. */
  isDue: (wish: OrderIntent) => boolean = () => this.#isOpenBooked;

  constructor(
    desk: EngineContext,
    { wishes, bounds }: Readonly<{ wishes: OpenIntents; bounds: RiskLimits }>,
  ) {
    this.#desk = desk;
    this.#wishes = wishes;
    this.#bounds = bounds;
    this.#keptBack = new Deferral(desk);
    this.#deadlines = new Deadlines(desk);
  }

  /** A run has ended: what it meant for at once, and has not sent, is not sent long after. */
  recovered(): void {
    for (const wish of [...this.#desk.books.wishes.values()]) {
      const why = this.#hasOrder(wish.id) ? null : this.#keptBack.leftOver(wish);
      if (why !== null) this.#wishes.end(wish.id, 'dropped', why);
    }
  }

  /** Tries every wish that has no order, and gives how many are still without one. Cheap when there is none. */
  pump(): number {
    const { wishes } = this.#desk.books;
    let waiting = 0;
    for (const { id } of wishes.values()) {
      if (this.#hasOrder(id)) continue;
      const wish = wishes.get(id);
      if (wish && this.isDue(wish)) this.#attempt(wish);
      if (wishes.has(id) && !this.#hasOrder(id)) waiting++;
    }
    return waiting;
  }

  /** The day's loss is counted from the open: before that is in the books, nothing is decided on the session. */
  get #isOpenBooked(): boolean {
    const { session, books } = this.#desk;
    return session === undefined || session.date <= (books.sessionDate ?? '');
  }

  #hasOrder(wish: string): boolean {
    for (const order of this.#desk.books.live.values()) if (order.wish === wish) return true;
    return false;
  }

  /** An order has ended: its wish ends with it, or waits to be placed anew. */
  afterEnd(order: Order): void {
    const wish = this.#desk.books.wishes.get(order.wish);
    // What an order settles late changes nothing for the one that has followed it.
    if (!wish || this.#hasOrder(wish.id)) return;
    const { state } = order;
    const end = (how: IntentEnd, why: string) =>
      this.#desk.record({ kind: 'wishEnded', id: wish.id, how, why });
    if (order.cancel.kind !== 'none') return end('cancelled', 'cancelled');
    if (isStanding(wish) && !this.#isFilled(wish)) {
      const renewal = this.#renewal(order);
      if (renewal !== null) return this.#wait(wish, 'to be placed anew', renewal);
    }
    if (state.kind === 'closed') return end(state.how === 'rejected' ? 'dropped' : 'done', state.how);
    if (state.kind === 'abandoned' && isTooLate(this.#desk, order.terms))
      return this.#postpone(wish, state.reason);
    // Held back: it is tried again once that is over.
    if (state.kind === 'abandoned' && this.#desk.holds.againstOrder(order.terms) !== null) return;
    end('dropped', 'reason' in state ? state.reason : state.kind);
  }

  /** When an order that is good till cancelled is placed anew after this end of it; null when it is not. */
  #renewal({ plannedAt, state }: Order): EpochMs | null {
    const { now, session } = this.#desk;
    switch (state.kind) {
      case 'closed':
        if (state.how !== 'expired') return null;
        return session && plannedAt < session.open ? now : nextOpen(this.#desk);
      case 'abandoned':
        return epochMs(now + TRY_AGAIN_MS);
      case 'refused':
        return nextOpen(this.#desk);
      case 'neverExisted':
        return state.assumed ? null : nextOpen(this.#desk);
      default:
        return null;
    }
  }

  /** A target is where it is to be, or as near as an order could bring it; of an order that was asked for, something has filled. */
  #isMet({ id, want }: OrderIntent): boolean {
    return want.kind === 'target' || (this.#desk.books.filledByWish.get(id) ?? 0n) > 0n;
  }

  #isFilled(wish: OrderIntent): boolean {
    const { want } = wish;
    return want.kind === 'limit' && (this.#desk.books.filledByWish.get(wish.id) ?? 0n) >= want.quantity;
  }

  #attempt(wish: OrderIntent): void {
    const { books, market, now, session } = this.#desk;
    const instrument = market.instruments.get(wish.symbol);
    const quote = market.quote(wish.symbol);
    if (now < wish.notBefore || this.#dropPriceless(wish) || !instrument || !quote) return;
    const barred = this.#barred(wish, instrument);
    if (barred) return this.#wishes.end(wish.id, 'dropped', barred);
    if (!session) return this.#postpone(wish, this.#whyClosed(wish));
    const held = this.#desk.holds.against(wish.symbol);
    if (held !== null) return this.#giveUp(wish, this.#keptBack.held(wish, held));
    // Nothing is decided on a price from before the open; the first of the session comes soon.
    if (quote.at < session.open) return;
    if (wish.after.some((id) => books.wishes.has(id))) return;
    const situation = new SizingInput(this.#desk, wish, instrument);
    const sized = sizeOf(wish.want, situation);
    if (sized.kind === 'impossible' && this.#desk.onLack(wish, lackOf(wish.want, situation))) return;
    if (sized.kind === 'nothing')
      return this.#wishes.end(wish.id, this.#isMet(wish) ? 'done' : 'dropped', sized.why);
    if (sized.kind === 'impossible') return this.#wishes.end(wish.id, 'dropped', sized.why);
    if (sized.kind === 'cancelFirst') return this.#cancelFirst(sized.ids, wish);
    if (isTooLate(this.#desk, sized.terms))
      return this.#postpone(wish, 'the session takes no more market orders');
    this.#send(wish, sized.terms);
  }

  /** An order is for one session, unless it is good till cancelled: without a price all session it ends at the close. */
  #dropPriceless(wish: OrderIntent): boolean {
    const missed = this.#desk.session || isStanding(wish) ? null : pricelessSession(this.#desk, wish);
    if (missed)
      this.#wishes.end(
        wish.id,
        'dropped',
        `${wish.symbol} had no price in the session of ${missed.date} that it was for: halted, or without data`,
      );
    return missed !== null;
  }

  /** Plans the order, unless another comes first or something holds it back. */
  #send(wish: OrderIntent, terms: OrderTerms): void {
    const ahead = this.#ahead(wish.symbol, terms.side);
    if (ahead) return this.#giveUp(wish, this.#keptBack.behind(wish, ahead));
    const held = this.#desk.holds.againstOrder(terms);
    if (held !== null) return this.#giveUp(wish, this.#keptBack.held(wish, held));
    if (!this.#deadlines.areUsedUp) this.#plan(wish, terms);
  }

  #giveUp(wish: OrderIntent, why: string | null): void {
    if (why !== null) this.#wishes.end(wish.id, 'dropped', why);
  }

  /** What waits for the money of sells may be too late for the session in which it was wished. */
  #whyClosed({ after, at }: OrderIntent): string {
    const isLate = after.length > 0 && this.#desk.calendar.sessionAt(at) !== undefined;
    return isLate ? 'the session closed before its sells had brought the money' : 'the session is closed';
  }

  #barred(wish: OrderIntent, instrument: Instrument): string | null {
    const { books } = this.#desk;
    if (books.halted !== null) return `trading is halted: ${books.halted}`;
    const frozen = books.frozen.get(wish.symbol);
    if (frozen !== undefined) return `${wish.symbol} is frozen: ${frozen}`;
    if (books.stopped.has(wish.owner)) return 'its strategy has stopped';
    return instrument.tradable ? null : `${wish.symbol} is not tradable at this venue`;
  }

  /** While an answer is missing, or an end is not confirmed, nothing else goes out for the same symbol and side. */
  #ahead(symbol: Ticker, side: Side): Order | undefined {
    return this.#desk
      .liveOf({ symbol })
      .find((order) => order.terms.side === side && (isInDoubt(order) || order.state.kind === 'planned'));
  }

  #cancelFirst(ids: readonly OrderId[], wish: OrderIntent): void {
    for (const id of ids)
      this.#wishes.cancel(this.#desk.books.order(id).wish, `${wish.reason} (the other way)`);
  }

  #plan(wish: OrderIntent, terms: OrderTerms): void {
    const { books } = this.#desk;
    const order: Order = {
      id: `${wish.id}.${(books.attempts.get(wish.id) ?? 0) + 1}` as OrderId,
      wish: wish.id,
      owner: wish.owner,
      terms,
      reserve: reserveFor(terms, this.#desk.costOf),
      reason: wish.reason,
      plannedAt: this.#desk.now,
      state: { kind: 'planned' },
      cancel: { kind: 'none' },
    };
    if (awaitsBalance(this.#desk, order)) return;
    const breach = this.#bounds.breach(order);
    const obstacle = this.#unfunded(order) ?? breach?.message;
    if (obstacle !== undefined && isStanding(wish) && (order.id !== `${wish.id}.1` || isPassing(breach)))
      return this.#wait(
        wish,
        obstacle,
        isPassing(breach) ? epochMs(order.plannedAt + TRY_AGAIN_MS) : undefined,
      );
    if (obstacle !== undefined) return this.#wishes.end(wish.id, 'dropped', obstacle);
    this.#desk.record({ kind: 'planned', order });
    if (!this.#desk.quiet) this.#desk.drops.over(wish);
    const said = () => `${describeTerms(terms)}${wish.reason && `: ${wish.reason}`}`;
    this.#desk.notify('decision', said, wish.owner);
    this.#desk.ask({ kind: 'place', id: order.id });
    this.#desk.onWish(wish, 'sending');
  }

  #unfunded(order: Order): string | undefined {
    const { owner, reserve } = order;
    const asset = assetOf(order);
    const free = this.#desk.books.ledger.balance(owner, 'free', asset);
    return free >= reserve
      ? undefined
      : `needs ${formatDecimal(reserve)} ${asset}, has ${formatDecimal(free)} free`;
  }

  #postpone(wish: OrderIntent, why: string): void {
    if (wish.outside === 'refuse') this.#wishes.end(wish.id, 'dropped', why);
    else this.#wait(wish, why);
  }

  #wait(wish: OrderIntent, why: string, notBefore = nextOpen(this.#desk)): void {
    this.#wishes.wait(wish.id, { notBefore, why });
  }
}
