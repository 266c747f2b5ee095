import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cash, parseShares } from '../../../src/core/amount.ts';
import { AccountState } from '../../../src/domain/account/accountState.ts';
import type { JournalEvent } from '../../../src/domain/journalEvent.ts';
import { AAPL, anOrder, aReport, DEADLINE, id, opened, SENT, settled, TX } from '../orders.ts';
import type { OrderEvent } from '../../../src/domain/orders/order.ts';

const { reserve } = anOrder();
const BUCKETS = ['free', 'reserved', 'owed', 'venue'] as const;

/** Account state with an order whose owner has `spare` cash besides its reserve. */
function workingWith(spare: bigint): AccountState {
  const books = new AccountState();
  const allocated: JournalEvent = { kind: 'allocated', strategyId: 'alpha', amount: cash(reserve + spare) };
  for (const fact of [opened, allocated, { kind: 'planned', order: anOrder() } as const])
    books.apply({ at: SENT, fact });
  move(books, { kind: 'sent', at: SENT, deadline: DEADLINE }, { kind: 'accepted', txHash: TX });
  return books;
}

function move(books: AccountState, ...events: readonly OrderEvent[]): void {
  for (const event of events) {
    books.apply({ at: SENT, fact: { kind: 'order', id: id('w1.1'), event } });
    const sum = ['', 'alpha'].flatMap((strategyId) =>
      BUCKETS.map((bucket) => books.ledger.balance(strategyId, bucket, 'mUSD')),
    );
    expect(sum.reduce((all, one) => all + one)).toBe(0n);
  }
}

const filledFor = (pay: bigint): OrderEvent => ({
  kind: 'reported',
  report: aReport({ status: 'filled', settlement: { ...settled('0', '10'), pay } }),
});

/** Cash of alpha besides its reserve, and the excess that the order takes: up to a fiftieth of the reserve. */
const cases = fc.tuple(fc.bigInt(0n, reserve / 25n), fc.bigInt(1n, reserve / 50n));

test("a payment beyond an order's reserve is taken from its strategy, and the rest is owed by the account", () => {
  fc.assert(
    fc.property(cases, ([spare, more]) => {
      const books = workingWith(spare);
      const before = books.ledger.total('mUSD');
      move(books, filledFor(reserve + more));
      const short = more > spare ? more - spare : 0n;
      expect(books.ledger.total('mUSD')).toBe(before - reserve - more);
      expect(books.ledger.held('alpha', 'mUSD')).toBe(spare - more + short);
      expect(books.ledger.balance('', 'owed', 'mUSD')).toBe(-short);
      expect(books.ledger.held('alpha', AAPL)).toBe(parseShares('10'));
    }),
  );
});

test('an order that paid beyond its reserve leaves nothing owed and no balance higher when it is reopened', () => {
  fc.assert(
    fc.property(cases, ([spare, more]) => {
      const books = workingWith(spare);
      move(books, filledFor(reserve + more), { kind: 'reopened', report: aReport() });
      expect(books.ledger.balance('', 'owed', 'mUSD')).toBe(0n);
      expect(books.ledger.balance('alpha', 'free', 'mUSD')).toBe(spare);
      expect(books.ledger.balance('alpha', 'reserved', 'mUSD')).toBe(reserve);
      move(books, filledFor(reserve));
      expect(books.ledger.held('alpha', 'mUSD')).toBe(spare);
    }),
  );
});
