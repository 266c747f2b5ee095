import { price } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import { settlementShown } from '../../domain/account/freezes.ts';
import type { Order, OrderId } from '../../domain/orders/order.ts';
import { implausibility, type PriceRange } from '../../domain/orders/settlementRules.ts';
import type { OrderReport } from '../../domain/venue.ts';
import type { EngineContext } from '../state/engineContext.ts';

/** Longest time in ms from a send to the first quote with which the quotes count as covering the order's whole life. */
const FIRST_QUOTE_MS = 300_000;

/** `actions`: splits and dividends that were booked by then. After one more, prices before it mean something else. */
type QuoteRange = Readonly<PriceRange & { since: EpochMs; actions: number }>;

/**
 * Checks a reported settlement before it is booked or its strategy is notified. An impossible one is an incident: the symbol is
 * frozen, and the order stays as it was until the venue reports something else or an operator accepts exactly these values
 * by releasing the symbol.
 */
export class SettlementCheck {
  readonly #context: EngineContext;
  readonly #watched = new Map<OrderId, QuoteRange>();
  /** Orders whose settlement has raised an alarm. */
  readonly #alarmed = new Set<OrderId>();

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** Notes the range of new quotes for every live order. */
  listed(): void {
    const { live } = this.#context.accountState;
    for (const id of this.#watched.keys()) if (!live.has(id)) this.#watched.delete(id);
    for (const order of live.values()) {
      const range = this.#rangeWith(order);
      if (range) this.#watched.set(order.id, range);
    }
  }

  /** The range so far including the present price. */
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
    return { low: price(least(low, quoted)), high: price(greatest(high, quoted)), since, actions };
  }

  /** Range of the quotes during the order's life; null when part of it was not watched, as before a restart. */
  #seenOf(order: Order): PriceRange | null {
    const { state, plannedAt } = order;
    const range = this.#rangeWith(order);
    const sentAt = 'at' in state ? state.at : plannedAt;
    const isWhole = range && range.since - sentAt <= FIRST_QUOTE_MS;
    return isWhole && range.actions === this.#context.accountState.actions.booked.size ? range : null;
  }

  /** True for a report that is not booked, or not yet: while a price is in doubt, so is an execution at it. */
  refuses(id: OrderId, report: OrderReport): boolean {
    const { accountState, market } = this.#context;
    const order = accountState.order(id);
    const { symbol } = order.terms;
    if (!report.settlement || (order.state.kind === 'closed' && order.state.settlement)) return false;
    if (market.doubted.has(symbol)) return true;
    const broken = implausibility(order, report.settlement, this.#seenOf(order));
    const shown = settlementShown(id, report);
    if (broken === null || accountState.freezes.isAccepted(symbol, shown)) return false;
    this.#refuse(order, { broken, shown });
    return true;
  }

  #refuse(
    { id, terms: { symbol }, strategyId }: Order,
    { broken, shown }: Readonly<{ broken: string; shown: string }>,
  ) {
    const why =
      `order ${id}: ${broken}. Nothing of it is booked, and its strategy is not notified. Look at the venue: ` +
      `where these values are right, \`drover release ${symbol}\` books them`;
    const isKnown = this.#context.accountState.freezes.isKnown({ symbol, why, shown });
    this.#context.freeze(symbol, why, { shown });
    if (isKnown && !this.#alarmed.has(id)) this.#context.notify('alarm', why, strategyId);
    this.#alarmed.add(id);
  }
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const greatest = (a: bigint, b: bigint): bigint => (a > b ? a : b);
