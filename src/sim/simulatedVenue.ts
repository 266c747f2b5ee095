import type { Phase, TradingCalendar } from '../calendar/index.ts';
import { epochMs, type EpochMs } from '../core/brand.ts';
import {
  actionId,
  CASH_DIVIDENDS,
  type CorporateAction,
  type DividendRules,
} from '../domain/corporateAction.ts';
import type { SimulatedBook, SimulatedOrder } from './simulatedBook.ts';
import { cash, notionalOf, shares, sharesFor, toNumber, type Cash, type Price } from '../core/amount.ts';
import type { Clock } from '../core/clock.ts';
import { hashHex, type Random } from '../core/random.ts';
import type { DayReading, Instrument, Quote, Ticker } from '../domain/instrument.ts';
import type {
  OrderReport,
  FundedTerms,
  OrderTerms,
  ReportedTerms,
  SendGate,
  SendOutcome,
  Settlement,
  SignedTransaction,
  Venue,
} from '../domain/venue.ts';
import { buyCost, sellProceeds } from '../domain/fees.ts';
import { dayEnd, exDateBegins } from './dayEnd.ts';
import { fillOnTick } from './matching.ts';
import { settledAmounts } from './settlement.ts';
import { slippedPrice, type Slippage } from './slippage.ts';

/** Action with the open from which it takes effect. */
type DatedAction = Readonly<{ id: string; action: CorporateAction; open: EpochMs }>;

/**
 * Applies splits and dividends to a simulated account. A split changes the shares at the open of its ex-date; a payment
 * is for the shares held then, and arrives at the open of its payable date. Actions announced late are applied late.
 */
class SimulatedActions {
  readonly #book: SimulatedBook;
  readonly #calendar: TradingCalendar;
  readonly #rules: DividendRules;
  /** Latest quotes, by stock. */
  readonly quotes = new Map<Ticker, Quote>();
  /** Latest list of the venue, by ex-date; payments before splits, because they are for pre-split shares. */
  #announced: readonly DatedAction[] = [];

  constructor({ book, calendar, dividends = CASH_DIVIDENDS }: SimulatedVenueParts) {
    this.#book = book;
    this.#calendar = calendar;
    this.#rules = dividends;
  }

  announce(actions: readonly CorporateAction[]): void {
    const first = ({ action }: DatedAction) => (action.kind === 'payment' ? 0 : 1);
    this.#announced = actions
      .map((action) => ({
        id: actionId(action),
        action,
        open: exDateBegins(this.#calendar, action.exDate, action.kind === 'split' ? {} : this.#rules),
      }))
      .sort((a, b) => a.open - b.open || first(a) - first(b));
  }

  /** Applies all due actions. Those from before the account was opened do not affect it. */
  applyDue(now: EpochMs): void {
    const book = this.#book;
    for (const { id, action, open } of this.#announced) {
      if (open > now || open <= book.openedAt || book.hasBooked(id)) continue;
      if (action.kind === 'split') book.split(id, action);
      else {
        const payable = this.#calendar.sessionFrom(action.payableDate ?? action.exDate);
        book.entitle(id, action, { at: epochMs(Math.max(open, payable.open)), rules: this.#rules });
      }
    }
    book.payDue(now, this.quotes);
  }
}

/** Slippage models that need no volume, because quotes carry none. */
export type QuoteSlippage = Exclude<Slippage, { kind: 'volume' }>;

type SimulatedVenueParts = Readonly<{
  /** Source of prices, bars, splits and dividends only. */
  market: Pick<Venue, 'listings' | 'bars' | 'tokenQuote' | 'corporateActions' | 'offsetMs'>;
  book: SimulatedBook;
  clock: Clock;
  calendar: TradingCalendar;
  slippage: QuoteSlippage;
  /** Expiry rule for DAY orders placed outside the session, if orders fill there too; absent if none does. */
  dayEnds?: DayReading | undefined;
  /** How dividends are paid. Default: in cash, nothing withheld. */
  dividends?: DividendRules | undefined;
  chainId: number;
  random: Random;
}>;

/**
 * Creates a venue that takes its prices from another one and keeps orders and account itself. It matches orders on
 * every read of the listings: in the regular session a market order fills at the first quote requested after it was
 * placed, moved by the slippage; a limit order fills at a quote that has reached its limit, also moved but never beyond
 * it. Orders fill in full, with the venue's fees, and expire at the close. Quotes from before the open fill nothing.
 * With `dayEnds`, limit orders of stocks that trade overnight also fill at quotes of the other phases, and expire by
 * that rule. Splits and dividends that the market has announced are applied at their open.
 *
 * The hash of an order is known before it is sent, so that its placement can be looked up after any crash.
 */
export function createSimulatedVenue(parts: SimulatedVenueParts): Venue {
  const { market, book, clock, calendar } = parts;
  const actions = new SimulatedActions(parts);
  /** Current time, after expiring orders whose session has closed and applying announced actions. */
  const now = (): EpochMs => {
    const at = clock.now();
    book.expire(at);
    actions.applyDue(at);
    return at;
  };
  const reportOf = (txHash: string) => {
    now();
    const order = book.order(txHash);
    return order ? rowOf(order) : null;
  };
  return {
    async listings() {
      const asked = clock.now();
      const listings = await market.listings();
      for (const { quote } of listings) actions.quotes.set(quote.symbol, quote);
      const { phase, since } = calendar.phaseAt(now());
      for (const { quote, instrument } of listings)
        if (quote.at >= since && trades(parts, instrument, phase)) meet(parts, { quote, asked });
      return listings;
    },
    ...pricesOf(market),
    ...actionsOf(market, (announced) => {
      actions.announce(announced);
      now();
    }),
    account: () =>
      answer(() => {
        now();
        const holdings = [...book.holdings].map(
          ([symbol, exchange]) => [symbol, { exchange, wallet: shares(0n) }] as const,
        );
        return { cash: book.cash, holdings: new Map(holdings) };
      }),
    orders: ({ page, limit }) =>
      answer(() => {
        now();
        const newest = book.orders.toReversed();
        return { total: newest.length, rows: newest.slice((page - 1) * limit, page * limit).map(rowOf) };
      }),
    orderByTx: (txHash) => answer(() => reportOf(txHash)),
    absence: (txHash) => answer(() => (reportOf(txHash) ? null : { at: clock.now(), isReplaced: false })),
    delegation: () => Promise.resolve({ enabled: true, status: 'simulated' }),
    place: (terms, gate) => answer(() => place(parts, { terms, at: now() }, gate)),
    cancel: (orderId, gate) =>
      answer(() =>
        send(parts, gate, (txHash) => {
          now();
          return book.cancel(orderId)
            ? { kind: 'accepted', txHash }
            : { kind: 'refused', reason: 'the order is not open' };
        }),
      ),
  };
}

/** Price and time functions of the market. */
const pricesOf = (
  market: SimulatedVenueParts['market'],
): Pick<Venue, 'bars' | 'tokenQuote' | 'offsetMs'> => ({
  bars: (query) => market.bars(query),
  ...(market.tokenQuote && { tokenQuote: market.tokenQuote }),
  offsetMs: () => market.offsetMs?.() ?? null,
});

/** Corporate actions of the market, if it has a list. Each list is applied to the account before it is returned. */
function actionsOf(
  market: SimulatedVenueParts['market'],
  announce: (announced: readonly CorporateAction[]) => void,
): Pick<Venue, 'corporateActions'> {
  if (!market.corporateActions) return {};
  return {
    async corporateActions(query) {
      const announced = (await market.corporateActions?.(query)) ?? [];
      announce(announced);
      return announced;
    },
  };
}

const answer = <T>(work: () => T): Promise<T> =>
  new Promise((resolve) => {
    resolve(work());
  });

type Placement = Readonly<{ terms: FundedTerms; at: EpochMs }>;

function place(
  parts: SimulatedVenueParts,
  { terms: { funding, ...terms }, at }: Placement,
  gate: SendGate,
): SendOutcome {
  const { book, calendar } = parts;
  if (funding) return { kind: 'refused', reason: 'a simulated account has no wallet', unsent: true };
  return send(parts, gate, (txHash) => {
    const session = calendar.sessionAt(at);
    if (terms.type === 'market' && !session)
      return {
        kind: 'refused',
        reason: 'market orders are taken in the regular session alone',
        unsent: true,
      };
    const expiresAt = dayEnd(calendar, at, parts.dayEnds ?? 'nextClose');
    book.place({ txHash, terms, createdAt: at, expiresAt });
    return { kind: 'accepted', txHash };
  });
}

/** Opens the gate, makes the send durable, and only then executes it. Nothing is signed. */
function send(
  { chainId, random }: SimulatedVenueParts,
  gate: SendGate,
  happen: (txHash: string) => SendOutcome,
): SendOutcome {
  const permit = gate.open();
  if ('stop' in permit) return { kind: 'stopped', reason: permit.stop };
  const txHash = hashHex(`simulated ${random.uuid()}`);
  const unsigned: SignedTransaction = { chainId, to: '0x', nonce: 0, raw: '0x', txHash };
  gate.commit(unsigned);
  return happen(txHash);
}

/** True if orders of a stock fill in a phase. */
const trades = ({ dayEnds }: SimulatedVenueParts, { overnightTradable }: Instrument, phase: Phase): boolean =>
  phase === 'regular' || (phase !== 'closed' && dayEnds !== undefined && overnightTradable);

type QuoteMoment = Readonly<{ quote: Quote; asked: EpochMs }>;

/** Fills open orders at a quote. A quote requested before an order was placed does not fill it. */
function meet({ book, slippage }: SimulatedVenueParts, { quote, asked }: QuoteMoment): void {
  for (const order of book.open) {
    if (order.terms.symbol !== quote.symbol || order.createdAt >= asked) continue;
    const price = priceFor(order.terms, quote.price, slippage);
    if (price !== null && price > 0n) book.fill(order, settlementOf(order, price));
  }
}

/** Fill price of an order at a quote, on the venue's tick; null if the quote has not reached its limit. */
function priceFor(terms: OrderTerms, quote: Price, slippage: QuoteSlippage): Price | null {
  const { side } = terms;
  const exact = slippedPrice(slippage, { side, price: toNumber(quote), shares: 0, volume: 0 });
  const slipped = fillOnTick(exact, side);
  if (terms.type === 'market') return slipped;
  const { price: limit } = terms;
  if (side === 'buy' ? quote > limit : quote < limit) return null;
  return (side === 'buy' ? slipped < limit : slipped > limit) ? slipped : limit;
}

function settlementOf({ terms, txHash: sent }: SimulatedOrder, price: Price): Settlement {
  const { side } = terms;
  const { filled, notional } = executionAt(terms, price);
  const { mintFee, protocolFee } = side === 'sell' ? sellProceeds(notional) : buyCost(notional);
  const amounts = settledAmounts({ side, filled, notional, mintFee, protocolFee });
  return { price, ...amounts, txHash: hashHex(`settlement ${sent}`) };
}

/** Shares and notional of a full fill at a price, both rounded against the trader. */
function executionAt(terms: OrderTerms, price: Price): { filled: bigint; notional: Cash } {
  if (terms.side === 'buy' && terms.type === 'market')
    return { filled: sharesFor(terms.notional, price, 'down'), notional: terms.notional };
  const { quantity: filled, side } = terms;
  return { filled, notional: notionalOf(filled, price, side === 'sell' ? 'down' : 'up') };
}

/** Row of the order list. */
function rowOf(order: SimulatedOrder): OrderReport {
  const { txHash, terms, status, createdAt, settlement, reserve, cause } = order;
  return {
    txHash,
    orderId: txHash,
    status,
    rawStatus: status,
    createdAt,
    settlement,
    terms: termsOf(terms),
    locked: status === 'open' ? reserve : null,
    ...(cause === undefined ? {} : { cause }),
  };
}

function termsOf(terms: OrderTerms): ReportedTerms {
  const { symbol, side, type } = terms;
  const isByNotional = type === 'market' && side === 'buy';
  return {
    symbol,
    side,
    type,
    quantity: isByNotional ? null : shares(terms.quantity),
    notional: isByNotional ? cash(terms.notional) : null,
    price: type === 'limit' ? terms.price : null,
  };
}
