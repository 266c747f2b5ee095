import type { OrderId } from '../../domain/orders/order.ts';
import type { TransferId } from '../../domain/transfers/transfer.ts';

type Subject = OrderId | TransferId;

/** Complete order lists, read after the operator's word, that must agree with it. */
const LISTS_MIN = 2;

type Word = { lists: number; lacking: string };

/**
 * Words of an operator (`drover orders resolve`) on orders and transfers without a proved end. A word replaces one proof only:
 * that the indexer has passed the deadline, or that the account confirms an end which the venue claims. Every other condition
 * must hold on a read that begins after it. Kept in memory, because a word is for the reads that follow it.
 */
export class OperatorWords {
  readonly #given = new Map<Subject, Word>();

  take(id: Subject): void {
    this.#given.set(id, { lists: 0, lacking: 'the account has not been read since' });
  }

  isGiven(id: Subject): boolean {
    return this.#given.has(id);
  }

  /** Counts a complete order list that has been read. */
  countList(): void {
    for (const word of this.#given.values()) word.lists++;
  }

  /** True when as many complete lists as are needed have been read since the word. */
  hasLists(id: Subject): boolean {
    return (this.#given.get(id)?.lists ?? 0) >= LISTS_MIN;
  }

  /** Notes the proof that is still missing, in a text for the operator. */
  noteMissing(id: Subject, what: string): void {
    const word = this.#given.get(id);
    if (word) word.lacking = what;
  }

  /** Proof that was missing at the last read. */
  missing(id: Subject): string {
    return this.#given.get(id)?.lacking ?? 'nobody has vouched for it';
  }
}
