import type { JournalEventOf } from '../journalEvent.ts';
import type { Ticker } from '../instrument.ts';
import type { Order, OrderId } from '../orders/order.ts';
import type { OrderReport } from '../venue.ts';

type Frozen = JournalEventOf<'frozen'>;

/** Cause of a freeze by a difference: it ends once both agree again; an operator who unfreezes earlier compares again. */
export const DIFFERENCE = 'ledger and venue differ';

/** Maximum number of causes kept per freeze: a venue that shows something else each time must not fill the journal. */
const CAUSES_MAX = 10;

/**
 * Cause of a freeze. `shown`: the venue's report that led to it, kept while the venue may show it again. `number`: how
 * many causes there have been, including this one.
 */
type FreezeCause = Readonly<{
  why: string;
  shown: string | undefined;
  number: number;
  guards?: 'buys' | undefined;
}>;

/** Symbols for which nothing is sent until an operator releases them. Each keeps all causes of its freeze. */
export class Freezes {
  /** Reasons of each symbol's freeze, joined into one text. */
  readonly why = new Map<Ticker, string>();
  private readonly bySymbol = new Map<Ticker, readonly FreezeCause[]>();
  /** Reports despite which an operator has released a symbol. */
  private readonly accepted = new Map<Ticker, Set<string>>();
  /** Number of causes so far, over all symbols. */
  readonly count: number = 0;

  freeze({ symbol, why, shown, guards }: Frozen): void {
    this.#set(symbol, [
      ...this.causes(symbol),
      { why, shown, number: ++(this as { count: number }).count, guards },
    ]);
  }

  release({ symbol, shown, alsoShown = [], over }: JournalEventOf<'released'>): void {
    this.#set(symbol, over === undefined ? [] : this.causes(symbol).filter(({ why }) => why !== over));
    if (shown === undefined) return;
    const accepted = this.accepted.get(symbol) ?? new Set();
    this.accepted.set(symbol, new Set([...accepted, shown, ...alsoShown]));
  }

  #set(symbol: Ticker, causes: readonly FreezeCause[]): void {
    if (causes.length > 0) {
      this.bySymbol.set(symbol, causes);
      this.why.set(symbol, textOf(causes));
    } else {
      this.bySymbol.delete(symbol);
      this.why.delete(symbol);
    }
  }

  /** True for a symbol frozen for this cause, possibly among others. */
  has(symbol: Ticker, why: string): boolean {
    return this.causes(symbol).some((cause) => cause.why === why);
  }

  /** Reason against a sell of shares that both ledger and venue have; causes that only block buying do not count. */
  againstSale(symbol: Ticker, isProtective: boolean): string | null {
    const causes = this.causes(symbol).filter(
      ({ why, guards }) => why !== DIFFERENCE && !(isProtective && guards === 'buys'),
    );
    return causes.length === 0 ? null : textOf(causes);
  }

  /** Causes of a symbol's freeze, oldest first. */
  causes(symbol: Ticker): readonly FreezeCause[] {
    return this.bySymbol.get(symbol) ?? [];
  }

  /** True for a cause that changes nothing: it exists already, or an operator has released the symbol from it. */
  isKnown({ symbol, why, shown }: Pick<Frozen, 'symbol' | 'why' | 'shown'>): boolean {
    if (shown !== undefined && this.isAccepted(symbol, shown)) return true;
    const causes = this.bySymbol.get(symbol);
    if (!causes) return false;
    const isSame = (one: FreezeCause) => one.why === why || (shown !== undefined && one.shown === shown);
    return causes.length >= CAUSES_MAX || causes.some(isSame);
  }

  /** True for a symbol that an operator has released from a report. */
  hasAccepted(symbol: Ticker): boolean {
    return this.accepted.has(symbol);
  }

  /** True when an operator has released the symbol from exactly this report. */
  isAccepted(symbol: Ticker, shown: string): boolean {
    return this.accepted.get(symbol)?.has(shown) ?? false;
  }
}

const textOf = (causes: readonly FreezeCause[]): string => causes.map(({ why }) => why).join('; also: ');

/** Text of all parts of a report that can contradict its order; equal reports give equal texts. */
export function contentOf({ txHash, orderId, rawStatus, settlement }: OrderReport): string {
  const head = `${rawStatus} as ${orderId ?? 'no order'} in ${txHash}`;
  if (!settlement) return head;
  const { price, pay, receive, txHash: settledIn } = settlement;
  return `${head}, settled ${pay} for ${receive} at ${price} in ${settledIn ?? 'no transaction'}`;
}

const SETTLEMENT = 'settlement of order ';

/** Values of an impossible settlement, as recorded in the freeze of its symbol. */
export const settlementShown = (id: OrderId, report: OrderReport): string =>
  `${SETTLEMENT}${id}: ${contentOf(report)}`;

/** True when an operator has released the symbol from exactly this settlement of an order. */
export const isSettlementAccepted = (
  freezes: Freezes,
  { id, terms: { symbol } }: Pick<Order, 'id' | 'terms'>,
  report: OrderReport,
): boolean => freezes.hasAccepted(symbol) && freezes.isAccepted(symbol, settlementShown(id, report));

/** True for a symbol frozen by an unbooked settlement: until it is booked, ledger and venue may differ by it. */
export const isSettlementShown = (shown: string | undefined): boolean =>
  shown?.startsWith(SETTLEMENT) ?? false;
