import { rowsOf } from '../../src/store/schema.ts';
import { Database } from '../../src/store/sqlite/sqlite.ts';
import { formatDecimal } from '../../src/core/amount.ts';
import { epochMs, type EpochMs } from '../../src/core/brand.ts';
import { AccountState } from '../../src/domain/account/accountState.ts';
import type { JournalEvent } from '../../src/domain/journalEvent.ts';
import type { OrderId } from '../../src/domain/orders/order.ts';
import type { OrderTerms } from '../../src/domain/venue.ts';
import { decodeEvent } from '../../src/store/storedNames.ts';
import { HeldSide } from './heldSide.ts';
import { Restraint } from '../simulation/restraint.ts';
import { noneYet } from '../simulation/sometimes.ts';

/** A send in the journal, identified by its deadline, which no two live orders of a key share, and its terms. */
export type Send = Readonly<{ id: OrderId; mark: string; at: EpochMs }>;

export const markOf = (deadline: number, { symbol, side, type, size, price }: Marked): string =>
  [deadline, symbol, side, type, size, price ?? 'at market'].join(' ');

export type Marked = Readonly<{
  symbol: string;
  side: string;
  type: string;
  size: string;
  price: string | null;
}>;

export const markedOf = (terms: OrderTerms): Marked => ({
  symbol: terms.symbol,
  side: terms.side,
  type: terms.type,
  size: formatDecimal('quantity' in terms ? terms.quantity : terms.notional),
  price: 'price' in terms ? formatDecimal(terms.price) : null,
});

/** The journal, read while the daemon runs and never written to. */
export class JournalSide {
  readonly books = new AccountState();
  readonly sends = new Map<string, Send[]>();
  /** Orders refused by the venue. */
  readonly refused = new Set<OrderId>();
  /** Restrictions that this journal breaks, in words. */
  readonly broken: string[] = [];
  readonly restraint = new Restraint({ accuse: (text) => this.broken.push(text), sometimes: noneYet() });
  readonly held = new HeldSide();
  readonly #file: string;
  #seq = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** Reads new entries. @throws {InvariantError} when the journal contradicts itself */
  read(): void {
    const database = new Database(this.#file, { readonly: true });
    try {
      for (const { seq, at, body } of rowsOf(database, this.#seq)) {
        this.#take(epochMs(at), decodeEvent(body));
        this.#seq = seq;
      }
    } finally {
      database.close();
    }
  }

  /** All entries about one order, oldest first. */
  history(id: string): string[] {
    const database = new Database(this.#file, { readonly: true });
    try {
      return database
        .prepare<[string], { at: number; body: string }>(
          'SELECT at, body FROM entries WHERE order_id = ? ORDER BY seq',
        )
        .all(id)
        .map(({ at, body }) => `${new Date(at).toISOString()} ${body}`);
    } finally {
      database.close();
    }
  }

  #take(at: EpochMs, fact: JournalEvent): void {
    this.held.read({ at, fact }, this.books);
    this.books.apply({ at, fact });
    this.restraint.read({ at, fact });
    if (fact.kind !== 'order') return;
    if (fact.event.kind === 'refused') this.refused.add(fact.id);
    if (fact.event.kind !== 'sent') return;
    const mark = markOf(fact.event.deadline, markedOf(this.books.order(fact.id).terms));
    this.sends.set(mark, [...(this.sends.get(mark) ?? []), { id: fact.id, mark, at }]);
  }
}
