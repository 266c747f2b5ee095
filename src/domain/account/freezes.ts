import type { JournalEvent } from '../journalEvent.ts';
import type { Ticker } from '../instrument.ts';
import type { OrderId } from '../orders/order.ts';
import type { OrderReport } from '../venue.ts';

type Frozen = Extract<JournalEvent, { kind: 'frozen' }>;
type Released = Extract<JournalEvent, { kind: 'released' }>;

/** Cause of a freeze over a difference: whoever unfreezes the symbol compares again. */
export const DIFFERENCE = 'ledger and venue differ';

/** Most causes of one freeze that are kept: a venue that shows something else each time must not fill the journal. */
const CAUSES_MAX = 10;

/**
 * Cause of a freeze. `shown`: report of the venue that led to it, kept while the venue may show it again. `number`: how many
 * causes there had been, itself included.
 */
type FreezeCause = Readonly<{ why: string; shown: string | undefined; number: number }>;

/** Symbols for which nothing is sent until an operator releases them. Each keeps all causes of its freeze. */
export class Freezes {
  /** Reasons of the freeze, by symbol: all of them in one text. */
  readonly why = new Map<Ticker, string>();
  readonly #causes = new Map<Ticker, readonly FreezeCause[]>();
  /** Reports from which an operator has released a symbol. */
  readonly #accepted = new Map<Ticker, Set<string>>();
  #count = 0;

  /** Number of causes so far, of all symbols. */
  get count(): number {
    return this.#count;
  }

  freeze({ symbol, why, shown }: Frozen): void {
    const causes = [...this.causes(symbol), { why, shown, number: ++this.#count }];
    this.#causes.set(symbol, causes);
    this.why.set(symbol, causes.map((cause) => cause.why).join('; also: '));
  }

  release({ symbol, shown, alsoShown = [] }: Released): void {
    this.why.delete(symbol);
    this.#causes.delete(symbol);
    if (shown === undefined) return;
    const accepted = this.#accepted.get(symbol) ?? new Set();
    this.#accepted.set(symbol, new Set([...accepted, shown, ...alsoShown]));
  }

  /** Causes for which a symbol is frozen, oldest first. */
  causes(symbol: Ticker): readonly FreezeCause[] {
    return this.#causes.get(symbol) ?? [];
  }

  /** True for a cause that changes nothing: it is there already, or an operator has released the symbol from it. */
  isKnown({ symbol, why, shown }: Pick<Frozen, 'symbol' | 'why' | 'shown'>): boolean {
    if (shown !== undefined && this.isAccepted(symbol, shown)) return true;
    const causes = this.#causes.get(symbol);
    if (!causes) return false;
    const isSame = (one: FreezeCause) => one.why === why || (shown !== undefined && one.shown === shown);
    return causes.length >= CAUSES_MAX || causes.some(isSame);
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
