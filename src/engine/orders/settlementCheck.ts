import { formatDecimal, greatest, least, price } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import { isSettlementAccepted, settlementShown } from '../../domain/account/freezes.ts';
import { settlementChange } from '../../domain/orders/contradiction.ts';
import type { Order, OrderId } from '../../domain/orders/order.ts';
import {
  fillBandOf,
  implausibility,
  isWithin,
  offMarket,
  type PriceRange,
} from '../../domain/orders/settlementRules.ts';
import type { OrderReport, Settlement } from '../../domain/venue.ts';
import type { Reconciliation } from '../account/reconciliation.ts';
import type { EngineContext } from '../state/engineContext.ts';

/** Longest time in ms from a send to the first quote for the quotes to count as covering the order's whole life. */
const FIRST_QUOTE_MS = 300_000;

/** Longest wait in ms for a further quote to compare an off-market fill with: the market may have moved to its price. */
const NEXT_QUOTE_MS = 60_000;

/** `actions`: splits and dividends booked by then. After another one, earlier prices have a different meaning. */
type QuoteRange = Readonly<PriceRange & { since: EpochMs; actions: number }>;

/**
 * Checks a reported settlement before it is booked or its strategy is notified. An impossible one is an incident: the
 * symbol is frozen and the order stays unchanged, until the venue reports something else, or an operator accepts
 * exactly these values by releasing the symbol and the account shows them too.
 */
export class SettlementCheck {
  readonly #context: EngineContext;
  readonly #reconciliation: Pick<Reconciliation, 'hasMoved'>;
  readonly #watched = new Map<OrderId, QuoteRange>();
  readonly #alarmed = new Set<OrderId>();
  /** Off-market fills that wait for the next quote: when each was first shown, and the number of reads by then. */
  readonly #offMarket = new Map<OrderId, Readonly<{ at: EpochMs; reads: number }>>();
  /** Settlements accepted by an operator, and since when the account may show them. */
  readonly #accepted = new Map<OrderId, EpochMs>();
  /** Number of quote reads so far. */
  #reads = 0;

  constructor(context: EngineContext, reconciliation: Pick<Reconciliation, 'hasMoved'>) {
    this.#context = context;
    this.#reconciliation = reconciliation;
  }

  /** Extends the quote range of every live order by the new quotes. */
  listed(): void {
    const { live } = this.#context.accountState;
    this.#reads++;
    for (const id of this.#watched.keys()) if (!live.has(id)) this.#watched.delete(id);
    for (const order of live.values()) {
      const range = this.#rangeWith(order);
      if (range) this.#watched.set(order.id, range);
    }
  }

  /** The range so far, including the current price. */
  #rangeWith({ id, terms: { symbol } }: Order): QuoteRange | undefined {
    const { market, accountState, now } = this.#context;
    const known = this.#watched.get(id);
    const quoted = market.price(symbol);
    if (quoted === null) return known;
    const {
      low = quoted,
      high = quoted,
      since = now,
      actions = accountState.actions.booked.size,
    } = known ?? {};
    // A price from before a split has a different meaning after it.
    if (actions !== accountState.actions.booked.size)
      return { low: quoted, high: quoted, since: now, actions: accountState.actions.booked.size };
    return { low: price(least(low, quoted)), high: price(greatest(high, quoted)), since, actions };
  }

  /** Range of the quotes during the order's life; null if part of it was not watched, as before a restart. */
  #seenOf(order: Order): PriceRange | null {
    const { state, plannedAt } = order;
    const range = this.#rangeWith(order);
    const sentAt = 'at' in state ? state.at : plannedAt;
    return range && range.since - sentAt <= FIRST_QUOTE_MS ? range : null;
  }

  /** True for a report that is not to be booked, or not yet: while a price is in doubt, so is a fill at it. */
  refuses(id: OrderId, report: OrderReport): boolean {
    const { accountState, market } = this.#context;
    const order = accountState.order(id);
    const { symbol } = order.terms;
    if (!report.settlement || (order.state.kind === 'closed' && order.state.settlement)) return false;
    if (market.doubted.has(symbol)) {
      // The fill price of an order of ours is a source of its own.
      market.witness(symbol, [report.settlement.price]);
      return true;
    }
    if (isSettlementAccepted(accountState.freezes, order, report)) return !this.#isConfirmed(order, report);
    const broken = implausibility(order, report.settlement, this.#seenOf(order));
    if (broken === null) return this.#awaitsQuote(order, report.settlement);
    this.#refuse(order, { broken, shown: settlementShown(id, report) });
    return true;
  }

  /**
   * True if the account shows what an operator has accepted: nothing is booked on a statement alone. If an account read
   * since does not show it, the symbol is frozen again.
   */
  #isConfirmed(order: Order, report: OrderReport): boolean {
    const { reads, now } = this.#context;
    const { id, terms } = order;
    if (this.#reconciliation.hasMoved(settlementChange(order, report))) {
      this.#accepted.delete(id);
      return true;
    }
    const since = this.#accepted.get(id) ?? now;
    this.#accepted.set(id, since);
    if (reads.account === null || reads.account.at < since) this.#context.ask({ kind: 'readAccount' });
    else this.#context.freeze(terms.symbol, unconfirmedText(order));
    return false;
  }

  /** True for an off-market fill until another quote has been read, or none arrives. A start does not wait. */
  #awaitsQuote(order: Order, settlement: Settlement): boolean {
    const { now, isStarting } = this.#context;
    if (isStarting || this.#offMarketText(order, settlement) === null) return false;
    const first = this.#offMarket.get(order.id) ?? { at: now, reads: this.#reads };
    this.#offMarket.set(order.id, first);
    return this.#reads === first.reads && now - first.at < NEXT_QUOTE_MS;
  }

  /** Text of a fill too far from every known quote of its order's life, even if only part of it was watched. */
  #offMarketText(order: Order, settlement: Settlement): string | null {
    const range = this.#rangeWith(order);
    if (!range || isWithin(settlement.price, range)) return null;
    const bandBps = fillBandOf(this.#context.rules);
    const off = offMarket(order.terms, settlement, { ...range, bandBps });
    if (off === null) return null;
    const seen = `${formatDecimal(range.low)} to ${formatDecimal(range.high)}`;
    const life = this.#seenOf(order) ? 'while it lived' : 'of the part of its life that was watched';
    return `${off}; quotes ${life} were ${seen} (limits.fillBandBps: ${bandBps})`;
  }

  /** Freezes the stock of a booked fill that is off the market: for a buy, against buying; for a sell, against everything. */
  booked(before: Order, report: OrderReport): void {
    const { id, terms } = before;
    const { accountState } = this.#context;
    const { state } = accountState.order(id);
    if (!report.settlement || state.kind !== 'closed' || !state.settlement) return;
    this.#offMarket.delete(id);
    if (before.state.kind === 'closed' && before.state.settlement) return;
    const off = this.#offMarketText(before, report.settlement);
    if (off === null || isSettlementAccepted(accountState.freezes, before, report)) return;
    const why =
      `order ${id}: ${off}. It is booked, because that is what the venue did. Look at the venue's page of the order and at other ` +
      `prices of ${terms.symbol}; \`drover unfreeze ${terms.symbol} --reason TEXT\` goes on`;
    this.#context.freeze(terms.symbol, why, terms.side === 'buy' ? { guards: 'buys' } : {});
  }

  #refuse(
    { id, terms: { symbol }, strategyId }: Order,
    { broken, shown }: Readonly<{ broken: string; shown: string }>,
  ) {
    const why =
      `order ${id}: ${broken}. Nothing of it is booked, and its strategy is not notified. Look at the venue: where these values ` +
      `are right, \`drover release ${symbol}\` books them, once the account shows just these amounts`;
    const isKnown = this.#context.accountState.freezes.isKnown({ symbol, why, shown });
    this.#context.freeze(symbol, why, { shown });
    if (isKnown && !this.#alarmed.has(id))
      this.#context.notify('alarm', why, { code: 'SETTLEMENT_IMPOSSIBLE', strategyId, symbol });
    this.#alarmed.add(id);
  }
}

const unconfirmedText = ({ id, terms: { symbol } }: Order): string =>
  `order ${id}: its settlement was accepted, and the account does not show these amounts. Nothing of it is booked. ` +
  `"drover reconcile" shows both sides; it is booked once they agree. Ask the venue, then \`drover unfreeze ${symbol}\` goes on`;
