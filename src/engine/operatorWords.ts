import type { OperationId } from '../domain/operation.ts';
import type { OrderId } from '../domain/order.ts';

type Subject = OrderId | OperationId;

/** Complete order lists, read after the word, that must bear it out. */
const LISTS_MIN = 2;

type Word = { lists: number; lacking: string };

/**
 * Words of an operator on orders and operations without a proved end. A word stands for one proof alone, that the indexer has
 * passed the deadline (or, of an end that the venue claims, that the account confirms it); everything else must hold on a look
 * begun after it. Kept in memory: a word is for the look that follows it.
 */
export class OperatorWords {
  readonly #given = new Map<Subject, Word>();

  take(id: Subject): void {
    this.#given.set(id, { lists: 0, lacking: 'the account has not been read since' });
  }

  isGiven(id: Subject): boolean {
    return this.#given.has(id);
  }

  /** A complete order list has been read and taken in. */
  listed(): void {
    for (const word of this.#given.values()) word.lists++;
  }

  /** True when as many complete lists as are needed have been read since the word. */
  hasLists(id: Subject): boolean {
    return (this.#given.get(id)?.lists ?? 0) >= LISTS_MIN;
  }

  /** Notes what keeps a word from counting, in words for the operator. */
  lack(id: Subject, what: string): void {
    const word = this.#given.get(id);
    if (word) word.lacking = what;
  }

  /** Proof that the last look lacked for the word to count. */
  lacking(id: Subject): string {
    return this.#given.get(id)?.lacking ?? 'nobody has vouched for it';
  }
}
