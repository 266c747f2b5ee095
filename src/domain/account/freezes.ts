import type { JournalEvent } from '../journalEvent.ts';
import type { Ticker } from '../instrument.ts';
import type { OrderId } from '../orders/order.ts';
import type { OrderReport } from '../venue.ts';

type Frozen = Extract<JournalEvent, { kind: 'frozen' }>;
type Released = Extract<JournalEvent, { kind: 'released' }>;

/** Symbols for which nothing is sent until an operator releases them. */
export class Freezes {
  /** Reason of the freeze, by symbol. */
  readonly why = new Map<Ticker, string>();
  /** Report of the venue that froze a symbol, kept while the venue may show it again. */
  readonly #shown = new Map<Ticker, string>();
  /** Reports from which an operator has released a symbol. */
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

  /** True when an operator has released the symbol from exactly this report. */
  isAccepted(symbol: Ticker, shown: string): boolean {
    return this.#accepted.get(symbol)?.has(shown) ?? false;
  }
}

/** Text of every part of a report that can contradict its order; equal reports give equal texts. */
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
