import type { JournalEvent } from '../journalEvent.ts';
import type { Ticker } from '../instrument.ts';
import type { OrderId } from '../orders/order.ts';
import type { OrderReport } from '../venue.ts';

type Frozen = Extract<JournalEvent, { kind: 'frozen' }>;
type Released = Extract<JournalEvent, { kind: 'released' }>;

/** Symbols for which nothing is sent until an operator releases them. */
export class Freezes {
  /** Why, by symbol. */
  readonly why = new Map<Ticker, string>();
  /** What the venue showed that froze a symbol, for as long as it may show it again. */
  readonly #shown = new Map<Ticker, string>();
  /** The same of what a symbol has been released from. */
  readonly #accepted = new Map<Ticker, Set<string>>();

  freeze({ symbol, why, shown }: Frozen): void {
    this.why.set(symbol, why);
    if (shown === undefined) this.#shown.delete(symbol);
    else this.#shown.set(symbol, shown);
  }

  release({ symbol, shown }: Released): void {
    this.why.delete(symbol);
    this.#shown.delete(symbol);
    if (shown === undefined) return;
    const accepted = this.#accepted.get(symbol) ?? new Set();
    this.#accepted.set(symbol, accepted.add(shown));
  }

  shown(symbol: Ticker): string | undefined {
    return this.#shown.get(symbol);
  }

  /** Whether an operator has released the symbol from just this. */
  isAccepted(symbol: Ticker, shown: string): boolean {
    return this.#accepted.get(symbol)?.has(shown) ?? false;
  }
}

/** All of a report that can contradict what is known of its order, in words that are the same whenever it is. */
export function contentOf({ txHash, orderId, rawStatus, settlement }: OrderReport): string {
  const head = `${rawStatus} as ${orderId ?? 'no order'} in ${txHash}`;
  if (!settlement) return head;
  const { price, pay, receive, txHash: settledIn } = settlement;
  return `${head}, settled ${pay} for ${receive} at ${price} in ${settledIn ?? 'no transaction'}`;
}

const SETTLEMENT = 'settlement of order ';

/** Values of an impossible settlement, as the freeze of its symbol records them. */
export const settlementShown = (id: OrderId, report: OrderReport): string =>
  `${SETTLEMENT}${id}: ${contentOf(report)}`;

/** True for a symbol frozen over a settlement that is not booked: until it is, ledger and venue may differ by it. */
export const isSettlementShown = (shown: string | undefined): boolean =>
  shown?.startsWith(SETTLEMENT) ?? false;
