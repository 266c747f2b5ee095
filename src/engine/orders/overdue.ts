import { aboutOrder } from '../state/alarmCodes.ts';
import type { EpochMs } from '../../core/brand.ts';
import type { Order, OrderId } from '../../domain/orders/order.ts';
import { describeTerms } from '../../domain/describe.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { dayEndsOf } from '../state/tradingWindow.ts';
import { newYorkClock } from '../../calendar/index.ts';

/** Reads of one order, after a complete list without it, that must find nothing before it counts as missing. */
const MISSES_MAX = 2;
/** Milliseconds after the close at which the end of an order is read by its id, and at which it counts as overdue. */
const CLOSE_LOOK_MS = 120_000;
const CLOSE_GRACE_MS = 600_000;
/** Longest time in ms that a cancel may take before an alarm. */
const CANCEL_GRACE_MS = 300_000;

/**
 * Orders that should have ended, or that are missing from the list. Nothing is concluded: the order stays live with its
 * reserve, its symbol is held, and reads continue until the venue has shown its end.
 */
export class OverdueOrders {
  readonly #context: EngineContext;
  readonly #misses = new Map<OrderId, number>();
  readonly #cancelling = new Map<OrderId, EpochMs>();
  readonly #slow = new Set<OrderId>();
  readonly #held = new Map<OrderId, Order>();

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** Checks the resting orders after a complete list; `listed`: the transactions in it. */
  swept(listed: ReadonlySet<string>): void {
    const { live } = this.#context.accountState;
    for (const map of [this.#misses, this.#cancelling])
      for (const id of map.keys()) if (!live.has(id)) map.delete(id);
    for (const order of live.values()) {
      if (order.state.kind !== 'working' || order.claim) continue;
      if (listed.has(order.state.txHash)) this.#misses.delete(order.id);
      else this.#context.ask({ kind: 'look', id: order.id });
      this.#overdue(order);
      this.#cancelTime(order);
    }
    for (const id of this.#slow)
      if (!live.has(id) && this.#slow.delete(id))
        this.#context.allClear(`cancel ${id}`, `order ${id} has ended: its cancel is over`);
    for (const [id, order] of this.#held)
      if (!this.#isDisputed(id)) {
        this.#held.delete(id);
        this.#context.holds.lift(`order ${id}`, order.terms.symbol);
        this.#context.allClear(
          `dispute ${id}`,
          `${describeTerms(order.terms)}: no longer in dispute`,
          order.strategyId,
        );
      }
  }

  /** Applies the response to a read of one order by its transaction. */
  looked(id: OrderId, found: boolean): void {
    const order = this.#context.accountState.live.get(id);
    if (order?.state.kind !== 'working') return;
    if (found) return void this.#misses.delete(id);
    const misses = (this.#misses.get(id) ?? 0) + 1;
    this.#misses.set(id, misses);
    if (misses >= MISSES_MAX) this.#dispute(order, 'the venue showed it before and shows it no longer');
  }

  #isDisputed(id: OrderId): boolean {
    const order = this.#context.accountState.live.get(id);
    return (
      order !== undefined &&
      !order.claim &&
      (this.#isOverdue(order) || (this.#misses.get(id) ?? 0) >= MISSES_MAX)
    );
  }

  #sinceClose(order: Order): number {
    return this.#context.now - dayEndsOf(this.#context, order).last;
  }

  #isOverdue(order: Order): boolean {
    return this.#sinceClose(order) > CLOSE_GRACE_MS;
  }

  /** Reports a DAY order that should have ended with its session: only the venue can say how. */
  #overdue(order: Order): void {
    if (this.#sinceClose(order) <= CLOSE_LOOK_MS) return;
    this.#context.ask({ kind: 'look', id: order.id });
    if (this.#isOverdue(order))
      this.#dispute(order, 'its session has closed and the venue shows no end of it');
  }

  #cancelTime(order: Order): void {
    const { id, cancel, state, terms } = order;
    const isUnderWay = cancel.kind !== 'none' || (state.kind === 'working' && state.status === 'canceling');
    if (!isUnderWay) return void this.#cancelling.delete(id);
    const since = this.#cancelling.get(id) ?? this.#context.now;
    this.#cancelling.set(id, since);
    if (this.#context.now - since <= CANCEL_GRACE_MS || this.#slow.has(id)) return;
    this.#slow.add(id);
    const text = `${describeTerms(terms)}: its cancel has had no effect for ${CANCEL_GRACE_MS / 60_000} min`;
    const slow = `${text}; it counts as live (order ${id})`;
    this.#context.alarm(`cancel ${id}`, slow, aboutOrder('CANCEL_SLOW', order));
  }

  #dispute(order: Order, why: string): void {
    const { id, terms } = order;
    if (!this.#context.holds.put(`order ${id}`, `${terms.symbol} is held: order ${id}: ${why}`, terms.symbol))
      return;
    this.#held.set(id, order);
    this.#context.alarm(
      `dispute ${id}`,
      `${describeTerms(terms)} (order ${id}): ${why}. ${terms.symbol} is held`,
      aboutOrder('ORDER_DISPUTED', order),
    );
  }
}

/** Longest time in ms without a readable response about an order at the venue before an alarm. */
const UNREAD_MS = 120_000;

const keyOf = (id: OrderId): string => `order ${id}`;

/**
 * Orders at the venue that can no longer be read: malformed rows, unknown status words, an impossible settlement. Each
 * counts as working while that lasts; without the alarm, that would go unnoticed all day.
 */
export class UnreadOrders {
  readonly #context: EngineContext;
  /** Time of the last readable response about each order. */
  readonly #readAt = new Map<OrderId, EpochMs>();
  /** Fault of the latest response about each order. */
  readonly #wrong = new Map<OrderId, string>();

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** Records a readable response about an order; for an ended one, only clears its fault. */
  read(id: OrderId): void {
    if (this.#context.accountState.live.has(id)) this.#readAt.set(id, this.#context.now);
    this.#wrong.delete(id);
    this.#end(id);
  }

  unread(id: OrderId, why: string): void {
    this.#wrong.set(id, why);
  }

  /** Checks the orders at the venue after a list was read, complete or not. */
  check(): void {
    const { live } = this.#context.accountState;
    for (const id of this.#readAt.keys())
      if (!live.has(id)) {
        this.#readAt.delete(id);
        this.#wrong.delete(id);
        this.#end(id);
      }
    for (const order of live.values()) if (order.state.kind === 'working') this.#checkOne(order);
  }

  /** Raises the alarm when due. After a restart, the time counts from the first list. */
  #checkOne(order: Order): void {
    const { now, problems } = this.#context;
    const since = this.#readAt.get(order.id) ?? now;
    this.#readAt.set(order.id, since);
    if (now - since < UNREAD_MS) return;
    const { id, terms } = order;
    const why = this.#wrong.get(id) ?? 'no readable row shows it';
    const text =
      `nothing could be read of ${describeTerms(terms)} (order ${id}) since ${newYorkClock(since)} in New York: ${why}. ` +
      'It counts as working, its money stays reserved, and further orders of its strategy on the same side wait or are dropped. ' +
      'Check it at the venue';
    if (problems.stand(keyOf(id), { since, text }))
      this.#context.alarm(keyOf(id), text, aboutOrder('ORDER_UNREADABLE', order));
  }

  #end(id: OrderId): void {
    const since = this.#context.problems.end(keyOf(id));
    if (since !== undefined)
      this.#context.allClear(
        keyOf(id),
        `order ${id} can be read again, after ${Math.round((this.#context.now - since) / 60_000)} min`,
      );
  }
}
