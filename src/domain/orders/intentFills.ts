import { shares, type Shares } from '../../core/amount.ts';
import type { OrderIntent } from './orderIntent.ts';

/** Shares that the orders of intents have moved, those of the intents included whose place they have taken. */
export class IntentFills {
  readonly #intents: ReadonlyMap<string, OrderIntent>;
  #filled = new Map<string, Shares>();
  /** Intents that take the place of others, by the id of the other. */
  #successors = new Map<string, string>();

  /** @param intents those that have not ended */
  constructor(intents: ReadonlyMap<string, OrderIntent>) {
    this.#intents = intents;
  }

  get(intentId: string): Shares {
    return this.#filled.get(intentId) ?? shares(0n);
  }

  /** Adds shares that an order of an intent has moved; negative where a settlement is taken back. */
  add(intentId: string, filled: Shares): void {
    const counter = this.#counterOf(intentId);
    this.set(counter, shares(this.get(counter) + filled));
  }

  set(intentId: string, filled: Shares): void {
    this.#filled.set(intentId, filled);
  }

  created({ id, replaces }: OrderIntent): void {
    if (replaces !== undefined) this.#successors.set(replaces, id);
  }

  /** Counts what an intent that has just ended has moved to the one that takes its place, if any. */
  ended(intentId: string): void {
    if (this.isReplaced(intentId)) this.add(intentId, this.get(intentId));
  }

  /** True while another intent is to take the place of this one, or has taken it. */
  isReplaced(intentId: string): boolean {
    return this.#heirOf(intentId) !== undefined;
  }

  /** Forgets intents that have ended and that no other counts for. */
  forgetEnded(): void {
    this.#filled = new Map([...this.#filled].filter(([id]) => this.#intents.has(id)));
    this.#successors = new Map([...this.#successors].filter(([id]) => this.isReplaced(id)));
  }

  /** Intent to which fills count: the same, and from its end on the one that has taken its place. */
  #counterOf(intentId: string): string {
    return this.#intents.has(intentId) ? intentId : (this.#heirOf(intentId) ?? intentId);
  }

  /** Intent that takes the place of another, and has not ended; undefined for none. */
  #heirOf(intentId: string): string | undefined {
    let heir = this.#successors.get(intentId);
    while (heir !== undefined && !this.#intents.has(heir)) heir = this.#successors.get(heir);
    return heir;
  }
}
