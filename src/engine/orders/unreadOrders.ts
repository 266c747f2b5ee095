import { newYorkClock } from '../../calendar/index.ts';
import type { EpochMs } from '../../core/brand.ts';
import type { Order, OrderId } from '../../domain/orders/order.ts';
import { describeTerms } from '../../domain/describe.ts';
import type { EngineContext } from '../state/engineContext.ts';

/** Longest time in ms that an order at the venue may go without a readable answer before an alarm. */
const UNREAD_MS = 120_000;

const keyOf = (id: OrderId): string => `order ${id}`;

/**
 * Orders at the venue that can no longer be read: malformed rows, unknown status words, an impossible settlement. Each counts
 * as working while that lasts; without the alarm it would do so all day in silence.
 */
export class UnreadOrders {
  readonly #context: EngineContext;
  /** Time of the last readable answer about an order. */
  readonly #readAt = new Map<OrderId, EpochMs>();
  /** Fault of the latest answer about it. */
  readonly #wrong = new Map<OrderId, string>();

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** Notes a readable answer about an order; of one that has ended, only that nothing is wrong with it. */
  read(id: OrderId): void {
    if (this.#context.accountState.live.has(id)) this.#readAt.set(id, this.#context.now);
    this.#wrong.delete(id);
    this.#end(id);
  }

  unread(id: OrderId, why: string): void {
    this.#wrong.set(id, why);
  }

  /** Checks the orders at the venue, after a list was read, complete or not. */
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

  /** Raises the alarm when it is due. After a restart the time counts from the first list on. */
  #checkOne(order: Order): void {
    const { now, problems } = this.#context;
    const since = this.#readAt.get(order.id) ?? now;
    this.#readAt.set(order.id, since);
    if (now - since < UNREAD_MS) return;
    const { id, terms, owner } = order;
    const why = this.#wrong.get(id) ?? 'no readable row shows it';
    const text =
      `nothing could be read of ${describeTerms(terms)} (order ${id}) since ${newYorkClock(since)} in New York: ${why}. ` +
      'It counts as working, its money stays reserved, and further orders of its strategy on the same side wait or are dropped. ' +
      'Check it at the venue';
    if (problems.stand(keyOf(id), { since, text })) this.#context.notify('alarm', text, owner);
  }

  #end(id: OrderId): void {
    const since = this.#context.problems.end(keyOf(id));
    if (since !== undefined)
      this.#context.notify(
        'clear',
        `order ${id} can be read again, after ${Math.round((this.#context.now - since) / 60_000)} min`,
      );
  }
}
