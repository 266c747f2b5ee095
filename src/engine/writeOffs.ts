import { shares } from '../core/amount.ts';
import type { Desk } from './desk.ts';
import { worth } from './exposure.ts';
import type { WriteOffEvent } from './kernelEvent.ts';
import type { Wishes } from './wishes.ts';

/** Books the free shares of each strategy as lost, and ends the order intents that wait for a price of the stock. */
export function writeOff(desk: Desk, wishes: Wishes, { symbol, why }: WriteOffEvent): void {
  const { books } = desk;
  for (const wish of [...books.wishes.values()])
    if (wish.symbol === symbol && desk.liveOf({ wish: wish.id }).length === 0)
      wishes.end(wish.id, 'dropped', `${symbol}: ${why}`);
  for (const owner of books.allocations.keys()) {
    const quantity = shares(books.ledger.balance(owner, 'free', symbol));
    if (quantity > 0n)
      desk.record({ kind: 'writtenOff', owner, symbol, quantity, value: worth(desk, symbol, quantity), why });
  }
}
