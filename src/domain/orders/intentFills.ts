import { lined } from '../../core/stateText.ts';
import { shares, type Shares } from '../../core/amount.ts';
import type { OrderIntent } from './orderIntent.ts';

/** Shares filled for each intent; those of a replaced intent count for its successor. */
export class IntentFills {
  readonly #intents: ReadonlyMap<string, OrderIntent>;
  private filled = new Map<string, Shares>();
  /** Replacing intents by the id of the intent they replace. */
  private successors = new Map<string, string>();

  /** @param intents intents that have not ended */
  constructor(intents: ReadonlyMap<string, OrderIntent>) {
    this.#intents = intents;
  }

  get(intentId: string): Shares {
    return this.filled.get(intentId) ?? shares(0n);
  }

  /** Adds shares filled by an order of an intent; negative when a settlement is reversed. */
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

  /** Adds the fills of an intent that has just ended to its successor's count, if it has one. */
  ended(intentId: string): void {
    if (this.isReplaced(intentId)) this.add(intentId, this.get(intentId));
  }

  /** True if another intent replaces this one, or will. */
  isReplaced(intentId: string): boolean {
    return this.openSuccessorOf(intentId) !== undefined;
  }

  /** Open successor of an intent, directly or through further successors; undefined if there is none. */
  openSuccessorOf(intentId: string): string | undefined {
    let successor = this.successors.get(intentId);
    while (successor !== undefined && !this.#intents.has(successor))
      successor = this.successors.get(successor);
    return successor;
  }

  /** Form for a checkpoint, with each map on a line of its own. */
  lined(): object {
    return { filled: lined(this.filled), successors: lined(this.successors) };
  }

  /** Forgets intents that have ended and have no open successor. */
  forgetEnded(): void {
    this.filled = new Map([...this.filled].filter(([id]) => this.#intents.has(id)));
    this.successors = new Map([...this.successors].filter(([id]) => this.isReplaced(id)));
  }

  /** Intent that fills count for: itself, or its successor once it has ended. */
  #counterOf(intentId: string): string {
    return this.#intents.has(intentId) ? intentId : (this.openSuccessorOf(intentId) ?? intentId);
  }
}
