import type { EpochMs } from '../../src/core/brand.ts';
import type { Ticker } from '../../src/domain/instrument.ts';
import type { SyntheticOrder } from '../../src/domain/orders/syntheticOrder.ts';
import { covers } from '../../src/domain/operator/tradingState.ts';
import type { Held, HeldOrders } from './heldOrders.ts';
import type { Scope } from '../../src/domain/operator/restriction.ts';

/** Longest time in ms from the touch of a stop to its sale, unless an alarm or a hold explains the delay. */
const PATIENCE_MS = 5 * 60_000;

/** Result of one check of the run. */
export type Look = Readonly<{
  now: EpochMs;
  /** True in a phase in which an exit sells, with a process that runs and has read the venue. */
  isTrading: (order: SyntheticOrder) => boolean;
  priceOf: (symbol: Ticker) => bigint | null;
  /** True while the run holds a stock back, by a freeze, a hold or a permission that is missing. */
  isHeldBack: (symbol: Ticker) => boolean;
  restricted: readonly Scope[];
}>;

/** Reports exits that do not sell for a long time although their stop has been touched, or their time has come. */
export class ExitWatch {
  readonly #held: HeldOrders;
  readonly #accuse: (detail: string) => void;
  /** Time since which each is due, without a break. */
  readonly #since = new Map<string, EpochMs>();
  /** Exits that an alarm has named. */
  readonly #told = new Set<string>();

  constructor(held: HeldOrders, accuse: (detail: string) => void) {
    this.#held = held;
    this.#accuse = accuse;
  }

  /** Handles a new process, whose alarms are its own. */
  born(): void {
    this.#since.clear();
    this.#told.clear();
  }

  /** Handles an alarm about an order that the runner holds, or its end. */
  told(about: string, isOver: boolean): void {
    if (isOver) this.#told.delete(about);
    else this.#told.add(about);
  }

  look(given: Look): void {
    for (const held of this.#held.live) {
      const { id } = held.order;
      if (!isDue(held, given) || this.#told.has(`synthetic ${id}`)) this.#since.delete(id);
      else if (!this.#since.has(id)) this.#since.set(id, given.now);
      else if (given.now - (this.#since.get(id) ?? given.now) > PATIENCE_MS)
        this.#accuse(`${id} of ${held.order.symbol} should have sold, nothing was sent, and nobody was told`);
    }
  }
}

/** True while an exit is to sell and nothing of it has left. */
function isDue(held: Held, { now, isTrading, priceOf, isHeldBack, restricted }: Look): boolean {
  const { order, stop, triggeredAt, isArmed, isEnding, orders } = held;
  const { symbol } = order;
  if (!isTrading(order) || !isArmed || isEnding || now < order.notBefore) return false;
  const price = priceOf(symbol);
  const isTouched = stop !== null && price !== null && price <= stop;
  if (triggeredAt === null && !isTouched) return false;
  if (orders.some(({ leg, sentAt }) => leg === 'exit' && sentAt !== null)) return false;
  return !isHeldBack(symbol) && !restricted.some((scope) => covers(scope, order));
}
