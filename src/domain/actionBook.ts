import { shares, type Shares } from '../core/amount.ts';
import { InvariantError } from '../core/errors.ts';
import { actionId, rescale, splitPostings, type Entitlement, type Split } from './corporateAction.ts';
import type { Fact } from './fact.ts';
import { freeOf, OWED, UNALLOCATED, VENUE, type Ledger, type Posting } from './ledger.ts';
import type { Positions } from './positions.ts';
import type { Wish } from './wish.ts';

export type ActionFact = Extract<Fact, { kind: 'split' | 'entitled' | 'paid' | 'writtenOff' }>;

export const isActionFact = (fact: Fact): fact is ActionFact =>
  fact.kind === 'split' || fact.kind === 'entitled' || fact.kind === 'paid' || fact.kind === 'writtenOff';

type Parts = Readonly<{
  ledger: Ledger;
  positions: Positions;
  wishes: Map<string, Wish>;
  filledByWish: Map<string, Shares>;
}>;

/** The part of the books that splits, dividends and write-offs move. */
export class ActionBook {
  /** Those that have been booked, by their ids: a payment from the day on from which it is owed. */
  readonly booked = new Set<string>();
  /** Payments that have not come yet, by the id of their action, oldest first. */
  readonly unpaid = new Map<string, Entitlement>();
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @throws {InvariantError} when the fact contradicts what the books hold */
  apply(fact: ActionFact): void {
    switch (fact.kind) {
      case 'split':
        this.#begin(actionId(fact.action));
        return this.#split(fact.action, fact.wishes);
      case 'entitled':
        this.#begin(actionId(fact.action));
        this.unpaid.set(actionId(fact.action), { action: fact.action, parts: fact.parts });
        return;
      case 'paid':
        return this.#pay(fact.id);
      case 'writtenOff':
        return this.#writeOff(fact);
    }
  }

  #begin(id: string): void {
    if (this.booked.has(id)) throw new InvariantError(`${id} is booked a second time`);
    this.booked.add(id);
  }

  #split(split: Split, wishes: readonly Wish[]): void {
    const { ledger, positions, filledByWish } = this.#parts;
    ledger.post(actionId(split), splitPostings(ledger, split));
    for (const owner of ledger.owners)
      positions.split(owner, split.symbol, (quantity) => rescale(quantity, split));
    for (const wish of wishes) {
      this.#parts.wishes.set(wish.id, wish);
      const filled = filledByWish.get(wish.id);
      if (filled !== undefined) filledByWish.set(wish.id, shares(rescale(filled, split)));
    }
  }

  #writeOff({ owner, symbol, quantity }: Extract<Fact, { kind: 'writtenOff' }>): void {
    const { ledger, positions } = this.#parts;
    ledger.move(`write-off of ${symbol}`, {
      asset: symbol,
      amount: quantity,
      from: freeOf(owner),
      to: VENUE,
    });
    positions.settle({ owner, symbol, side: 'sell', pay: quantity, receive: 0n });
  }

  /** What deferred sells owe is paid for by those whose shares these were not. */
  #pay(id: string): void {
    const { ledger, positions } = this.#parts;
    const due = this.unpaid.get(id);
    if (!due) throw new InvariantError(`nothing is owed for ${id}`);
    this.unpaid.delete(id);
    const asset = 'mUSD';
    const postings = due.parts.flatMap(([owner, amount]): Posting[] => {
      const free = owner === UNALLOCATED ? ledger.balance(owner, 'free', asset) : 0n;
      const owed = amount + free < 0n ? amount + free : 0n;
      return [
        { ...freeOf(owner), asset, amount: amount - owed },
        { ...OWED, asset, amount: owed },
        { ...VENUE, asset, amount: -amount },
      ];
    });
    ledger.post(id, postings);
    for (const [owner, amount] of due.parts)
      if (owner !== UNALLOCATED) positions.earn(owner, due.action.symbol, amount);
  }
}
