import { lined } from '../../core/stateText.ts';
import { shares, type Shares } from '../../core/amount.ts';
import type { OrderIntent } from './orderIntent.ts';

/** Shares that the orders of each intent have moved; those of an intent that was replaced count for its successor. */
export class IntentFills {
  readonly #intents: ReadonlyMap<string, OrderIntent>;
  private filled = new Map<string, Shares>();
  /** Intents that take the place of others, by the id of the other. */
  private successors = new Map<string, string>();

  /** @param intents those that have not ended */
  constructor(intents: ReadonlyMap<string, OrderIntent>) {
    this.#intents = intents;
  }

  get(intentId: string): Shares {
    return this.filled.get(intentId) ?? shares(0n);
  }

  /** Adds shares that an order of an intent has moved; negative where a settlement is taken back. */
  add(intentId: string, filled: Shares): void {
    const counter = this.#counterOf(intentId);
    this.set(counter, shares(this.get(counter) + filled));
  }

  set(intentId: string, filled: Shares): void {
    this.filled.set(intentId, filled);
  }

  created({ id, replaces }: OrderIntent): void {
    if (replaces !== undefined) this.successors.set(replaces, id);
  }

  /** Adds what an intent that has just ended has moved to its successor's count, if there is one. */
  ended(intentId: string): void {
    if (this.isReplaced(intentId)) this.add(intentId, this.get(intentId));
  }

  /** True if another intent replaces this one, or will. */
  isReplaced(intentId: string): boolean {
    return this.openSuccessorOf(intentId) !== undefined;
  }

  /** Successor of an intent, or that successor's own, which has not ended; undefined for none. */
  openSuccessorOf(intentId: string): string | undefined {
    let successor = this.successors.get(intentId);
    while (successor !== undefined && !this.#intents.has(successor))
      successor = this.successors.get(successor);
    return successor;
  }

  /** Form in which a checkpoint keeps it: each map on a line of its own. */
  lined(): object {
    return { filled: lined(this.filled), successors: lined(this.successors) };
  }

  /** Forgets intents that have ended and have no open successor. */
  forgetEnded(): void {
    this.filled = new Map([...this.filled].filter(([id]) => this.#intents.has(id)));
    this.successors = new Map([...this.successors].filter(([id]) => this.isReplaced(id)));
  }

  /** Intent for which fills count: the same, and from its end on its successor. */
  #counterOf(intentId: string): string {
    return this.#intents.has(intentId) ? intentId : (this.openSuccessorOf(intentId) ?? intentId);
  }
}
