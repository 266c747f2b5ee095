import { cash, shares, type Cash, type Shares } from '../core/amount.ts';
import type { EpochMs } from '../core/brand.ts';
import { InvariantError } from '../core/errors.ts';
import type { Entry, Fact } from './fact.ts';
import type { Ticker } from './instrument.ts';
import { freeOf, Ledger, OWED, reservedOf, UNALLOCATED, VENUE, type Asset, type Posting } from './ledger.ts';
import {
  filledOf,
  hasEnded,
  sentOf,
  transition,
  txHashOf,
  type Order,
  type OrderEvent,
  type OrderId,
} from './order.ts';
import { OperationBook, type OperationFact } from './operationBook.ts';
import { Positions } from './positions.ts';
import type { OrderReport } from './venue.ts';
import type { Wish } from './wish.ts';

export type External = Readonly<{ txHash: string; report: OrderReport | null; why: string }>;
export type Difference = Extract<Fact, { kind: 'difference' }> & Readonly<{ at: EpochMs }>;

/** What the runner believes: a fold over the journal's facts, and nothing that is not in them. */
export class Books {
  readonly ledger = new Ledger();
  readonly positions = new Positions();
  readonly operations = new OperationBook(this.ledger, this.positions);
  readonly orders = new Map<OrderId, Order>();
  /** Orders that have not ended, oldest first. */
  readonly live = new Map<OrderId, Order>();
  /** Wishes that have not ended, oldest first. */
  readonly wishes = new Map<string, Wish>();
  /** Shares that the orders of a wish have moved so far. */
  readonly filledByWish = new Map<string, Shares>();
  /** When each order that has ended was known to have. */
  readonly endedAt = new Map<OrderId, EpochMs>();
  /** Orders that have moved something of which their strategies have not been told, oldest first. */
  readonly untold = new Set<OrderId>();
  readonly #lent = new Map<OrderId, Loan>();
  readonly byTx = new Map<string, OrderId>();
  /** Orders closed as never placed, or refused without proof, whose transaction was never known: only their terms and time tell them. */
  readonly absent = new Map<OrderId, Order>();
  readonly cancelHashes = new Set<string>();
  readonly states = new Map<string, Readonly<Record<string, unknown>>>();
  readonly stopped = new Map<string, string>();
  readonly external = new Map<string, External>();
  readonly frozen = new Map<Ticker, string>();
  readonly differences: Difference[] = [];
  readonly allocations = new Map<string, Cash>();
  /** Instants of the latest sends, for the limit by the minute. */
  readonly sentAt: EpochMs[] = [];
  /** Attempts by wish, for the ids of orders. */
  readonly attempts = new Map<string, number>();
  /** When each timer of each strategy last fired, by `<owner> <timer>`. */
  readonly timers = new Map<string, EpochMs>();
  /** Equity by owner at the open of the session, that of all strategies together under the empty one. */
  dayStart: ReadonlyMap<string, Cash> | null = null;
  /** The latest session whose open or close was recorded. */
  sessionDate: string | null = null;
  /** Whether its close was. */
  sessionClosed = false;
  sessionsClosed = 0;
  wishCount = 0;
  halted: string | null = null;
  /** Number of the process that writes the journal. */
  epoch = 0;
  opened: Readonly<{ at: EpochMs; equity: Cash }> | null = null;

  /** @throws {InvariantError} when the fact contradicts what the books hold */
  apply({ at, fact }: Entry): void {
    switch (fact.kind) {
      case 'epoch':
        return this.#begin(fact.epoch);
      case 'opened':
        return this.#open(at, fact);
      case 'allocated':
        return this.#allocate(fact);
      case 'wished':
        this.wishCount++;
        this.wishes.set(fact.wish.id, fact.wish);
        return;
      case 'wishMoved':
        return this.#moveWish(fact.id, fact.notBefore);
      case 'wishEnded':
        this.wishes.delete(fact.id);
        return;
      case 'planned':
        return this.#plan(fact.order);
      case 'order':
        return this.#transition(fact.id, fact.event, at);
      case 'strategyState':
        this.states.set(fact.owner, fact.state);
        return;
      case 'strategyStopped':
        this.stopped.set(fact.owner, fact.error);
        return;
      case 'strategyStarted':
        this.stopped.delete(fact.owner);
        return;
      case 'told':
        this.untold.delete(fact.id);
        return;
      case 'external':
        this.external.set(fact.txHash, fact);
        return;
      case 'frozen':
        this.frozen.set(fact.symbol, fact.why);
        return;
      case 'halted':
        this.halted = fact.why;
        return;
      case 'difference':
        this.differences.push({ ...fact, at });
        return;
      case 'session':
        return this.#session(fact);
      case 'timer':
        this.timers.set(`${fact.owner} ${fact.timer}`, at);
        return;
      case 'ended':
      case 'bar':
      case 'quotes':
      case 'denied':
        return;
      default:
        return this.#operate(at, fact);
    }
  }

  /** Sent within the last `ms`. */
  sentSince(now: EpochMs, ms: number): number {
    let count = 0;
    for (let index = this.sentAt.length - 1; index >= 0 && (this.sentAt[index] ?? 0) > now - ms; index--)
      count++;
    return count;
  }

  order(id: OrderId): Order {
    const order = this.orders.get(id);
    if (!order) throw new InvariantError(`the books have no order ${id}`);
    return order;
  }

  #begin(epoch: number): void {
    if (epoch <= this.epoch) throw new InvariantError(`epoch ${epoch} follows ${this.epoch}`);
    this.epoch = epoch;
  }

  #session({ date, change, equity }: Extract<Fact, { kind: 'session' }>): void {
    this.sessionDate = date;
    this.sessionClosed = change === 'closed';
    if (change === 'opened') this.dayStart = new Map(equity);
    else this.sessionsClosed++;
  }

  #open(at: EpochMs, { cash: amount, holdings, equity }: Extract<Fact, { kind: 'opened' }>): void {
    if (this.opened) throw new InvariantError('the books are opened once');
    this.opened = { at, equity };
    const come = (asset: Asset, amount: bigint) =>
      this.ledger.move('opening balance', { asset, amount, from: VENUE, to: freeOf(UNALLOCATED) });
    come('mUSD', amount);
    for (const [symbol, quantity] of holdings) come(symbol, quantity);
  }

  #allocate({ owner, amount }: Extract<Fact, { kind: 'allocated' }>): void {
    const [from, to] = [freeOf(UNALLOCATED), freeOf(owner)];
    this.ledger.move('allocation', { asset: 'mUSD', amount, from, to });
    this.allocations.set(owner, cash((this.allocations.get(owner) ?? 0n) + amount));
    this.#shiftDayStart(owner, amount);
  }

  #operate(at: EpochMs, fact: OperationFact): void {
    const brought = this.operations.apply(fact, at);
    if (brought) this.#shiftDayStart(brought.owner, brought.value);
  }

  /** Capital that comes or goes during a session is neither profit nor loss. */
  #shiftDayStart(owner: string, amount: Cash): void {
    if (!this.dayStart) return;
    const shifted = new Map(this.dayStart);
    for (const whose of [owner, UNALLOCATED]) shifted.set(whose, cash((shifted.get(whose) ?? 0n) + amount));
    this.dayStart = shifted;
  }

  #moveWish(id: string, notBefore: EpochMs): void {
    const wish = this.wishes.get(id);
    if (wish) this.wishes.set(id, { ...wish, notBefore });
  }

  #plan(order: Order): void {
    this.ledger.move(`order ${order.id}`, {
      asset: assetOf(order),
      amount: order.reserve,
      from: freeOf(order.owner),
      to: reservedOf(order.owner),
    });
    this.attempts.set(order.wish, (this.attempts.get(order.wish) ?? 0) + 1);
    this.#keep(order);
  }

  #keep(order: Order): void {
    this.orders.set(order.id, order);
    if (hasEnded(order)) this.live.delete(order.id);
    else this.live.set(order.id, order);
    const txHash = txHashOf(order);
    if (txHash !== null) this.byTx.set(txHash, order.id);
    if (hasEnded(order) && sentOf(order) && txHash === null) this.absent.set(order.id, order);
    else this.absent.delete(order.id);
  }

  #transition(id: OrderId, event: OrderEvent, at: EpochMs): void {
    const before = this.order(id);
    const result = transition(before, event);
    if (result.kind !== 'moved')
      throw new InvariantError(`the journal moves ${id} where it cannot go`, { event, result });
    const after = result.order;
    const reserved = hasEnded(before) ? this.#reserveAgain(after) : after.reserve;
    if (hasEnded(after)) this.endedAt.set(id, at);
    if (hasEnded(after)) this.#end(after, reserved);
    if (event.kind === 'sent') this.sentAt.push(at);
    if (event.kind === 'cancelAccepted') this.cancelHashes.add(event.txHash);
    this.#keep(after);
  }

  /**
   * An order that was taken for never placed has turned up: what it may take, or has taken, is bound once more. Where its
   * owner has spent it since, what nobody was given pays, and where that is gone too, it is owed: the money did leave the
   * account, and others have still been promised it. Gives back how much that is.
   */
  #reserveAgain(order: Order): bigint {
    const asset = assetOf(order);
    const amount = hasEnded(order) ? paidBy(order) : order.reserve;
    const own = this.ledger.balance(order.owner, 'free', asset);
    const fromOwn = own < amount ? own : amount;
    const lent = amount - fromOwn;
    const free = this.ledger.balance(UNALLOCATED, 'free', asset);
    const spare = free < lent ? free : lent;
    this.#lent.set(order.id, { spare, owed: lent - spare });
    this.ledger.post(`order ${order.id} found late`, [
      { ...freeOf(order.owner), asset, amount: -fromOwn },
      { ...freeOf(UNALLOCATED), asset, amount: -spare },
      { ...OWED, asset, amount: spare - lent },
      { ...reservedOf(order.owner), asset, amount },
    ]);
    return amount;
  }

  /** What was lent to an order and not used goes back to where it came from, not to its owner. */
  #giveBack({ id, owner, ...order }: Order, unused: bigint): Posting[] {
    const loan = this.#lent.get(id);
    if (!loan) return [];
    this.#lent.delete(id);
    const asset = assetOf(order);
    const owed = loan.owed < unused ? loan.owed : unused;
    const spare = loan.spare < unused - owed ? loan.spare : unused - owed;
    return [
      { ...freeOf(owner), asset, amount: -owed - spare },
      { ...OWED, asset, amount: owed },
      { ...freeOf(UNALLOCATED), asset, amount: spare },
    ];
  }

  /** Gives back what is reserved and books what the order moved. */
  #end(order: Order, reserved: bigint): void {
    const postings: Posting[] = [
      { ...reservedOf(order.owner), asset: assetOf(order), amount: -reserved },
      { ...freeOf(order.owner), asset: assetOf(order), amount: reserved },
    ];
    const { state, terms, owner } = order;
    postings.push(...this.#giveBack(order, reserved - paidBy(order)));
    if (state.kind === 'closed' && state.settlement) {
      const { pay, receive } = state.settlement;
      const [paid, received]: [Asset, Asset] =
        terms.side === 'buy' ? ['mUSD', terms.symbol] : [terms.symbol, 'mUSD'];
      postings.push(
        { ...freeOf(owner), asset: paid, amount: -pay },
        { ...VENUE, asset: paid, amount: pay },
        { ...freeOf(owner), asset: received, amount: receive },
        { ...VENUE, asset: received, amount: -receive },
      );
    }
    this.ledger.post(`end of order ${order.id}`, postings);
    if (state.kind !== 'closed' || !state.settlement) return;
    if (state.settlement.receive > 0n) this.untold.add(order.id);
    this.positions.settle({ owner, symbol: terms.symbol, side: terms.side, ...state.settlement });
    this.filledByWish.set(order.wish, shares((this.filledByWish.get(order.wish) ?? 0n) + filledOf(order)));
  }
}

/** What others have put up for an order that turned up late. */
type Loan = Readonly<{ spare: bigint; owed: bigint }>;

const paidBy = ({ state }: Order): bigint => (state.kind === 'closed' && state.settlement?.pay) || 0n;

/** What an order takes. */
export const assetOf = ({ terms }: Pick<Order, 'terms'>): Asset =>
  terms.side === 'buy' ? 'mUSD' : terms.symbol;
