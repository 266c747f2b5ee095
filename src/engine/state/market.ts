import { roundTo, WAD, type Price } from '../../core/amount.ts';
import { DAY_MS, type EpochMs, epochMs } from '../../core/brand.ts';
import { barSetName, hasPhase, type Bar, type BarSet } from '../../domain/bar.ts';
import { SHARE_STEP } from '../../domain/fees.ts';
import { STAMP_SLACK_MS } from '../../domain/orders/reportMatching.ts';
import type { Instrument, Quote, QuotePhase, Ticker } from '../../domain/instrument.ts';
import type { JournalEvent } from '../../domain/journalEvent.ts';
import type { TokenQuote } from '../../domain/premium.ts';
import type { Listing, OrderTerms, Over24h } from '../../domain/venue.ts';
import { BarSeries } from '../../market/series.ts';
import type { Session } from '../../calendar/index.ts';
import type { OrderIntent } from '../../domain/orders/orderIntent.ts';
import type { EngineContext } from './engineContext.ts';

/** Source of a symbol's latest quote, read on demand; undefined before the first. */
type PriceSource = () => Quote | undefined;

type DeliveredPrice = Readonly<{ price: Price; at: EpochMs }>;

/** Largest believable price move in percent, if `limits.jumpPercent` is not set. */
export const JUMP_PERCENT = 15;
/** Distance in bps within which two prices count as about the same. */
const SAME_BPS = 500;
/** Time in ms for which about the same price must be quoted to need no witness. */
const SAME_MS = 30_000;
/** Pause in ms between two requests to other sources for one price. */
const WITNESS_MS = 10_000;
const BPS_WHOLE = 10_000n;
/** Upper bound of a price's age in ms: no calendar goes back to time 0, which a price may carry. */
const LONG_AGO_MS = 366 * DAY_MS;

const isNear = (price: bigint, known: bigint, bps: number): boolean => {
  const apart = price > known ? price - known : known - price;
  return known > 0n && apart * BPS_WHOLE <= known * BigInt(Math.round(bps));
};

/** Price too far from the last one to be believed yet. `since`: first quote of about this price; `askedAt`: request to other sources. */
export type DoubtedPrice = Readonly<{
  price: Price;
  since: EpochMs;
  askedAt: EpochMs | null;
  isWitnessed: boolean;
}>;

type JumpRule = Readonly<{ now: EpochMs; percent: number }>;

const isSame = (a: Instrument, b: Instrument | undefined): boolean =>
  a === b ||
  (b !== undefined &&
    a.address === b.address &&
    a.tradable === b.tradable &&
    a.fractionable === b.fractionable &&
    a.overnightTradable === b.overnightTradable &&
    a.fractionsOutside === b.fractionsOutside &&
    a.decimals === b.decimals &&
    a.onChainDecimals === b.onChainDecimals);

/** Instruments, quotes and bars as currently known. */
export class MarketView {
  readonly instruments = new Map<Ticker, Instrument>();
  /** Counts price changes; undefined once prices come from sources that change by themselves. */
  readonly version: number | undefined = 0;
  readonly #quotes = new Map<Ticker, Quote>();
  readonly #sources = new Map<Ticker, PriceSource>();
  /** Times at which the venue's latest list with each stock was applied. */
  readonly listedAt = new Map<Ticker, EpochMs>();
  /** Last prices accepted in earlier runs, by symbol. */
  readonly recalled = new Map<Ticker, Price>();
  /** Latest listed 24-hour figures, only for display. */
  readonly over24h = new Map<Ticker, Over24h>();
  /** Latest token prices, if they are read. */
  readonly tokens = new Map<Ticker, TokenQuote>();
  /** Stocks whose token price an order needed before it was read. */
  readonly wantedTokens = new Set<Ticker>();
  /** Stocks whose latest price differs from the one before without a later time. */
  readonly misdated = new Set<Ticker>();
  /** Prices waiting for a witness, by symbol. */
  readonly doubted = new Map<Ticker, DoubtedPrice>();
  readonly #series = new Map<string, BarSeries>();
  /** All series of a symbol and interval, whatever their phases. */
  readonly #alike = new Map<string, BarSeries[]>();
  /** Latest price delivered to each strategy, with its time, by strategy id and symbol. */
  readonly #delivered = new Map<string, Map<Ticker, DeliveredPrice>>();
  /** Symbols whose prices are not being updated. */
  readonly #kept = new Set<Ticker>();

  /**
   * False for a price of 0, or one far from the last accepted. A distant price counts only once another source confirms
   * it, or after it was quoted for half a minute.
   */
  #isSane({ symbol, price }: Quote, { now, percent }: JumpRule): boolean {
    const known = this.#quotes.get(symbol)?.price ?? this.recalled.get(symbol);
    const before = this.doubted.get(symbol);
    const same = before && isNear(price, before.price, SAME_BPS) ? before : null;
    const { since, price: level } = same ?? { since: now, price };
    const isConfirmed = same?.isWitnessed === true || now - since >= SAME_MS;
    const isSane = price > 0n && (known === undefined || isNear(price, known, percent * 100) || isConfirmed);
    if (isSane) this.doubted.delete(symbol);
    else
      this.doubted.set(symbol, { price: level, since, askedAt: before?.askedAt ?? null, isWitnessed: false });
    return isSane;
  }

  /** Takes accepted prices from the journal, and forgets those from before a split. */
  recall(fact: JournalEvent): void {
    if (fact.kind === 'quotes') for (const [symbol, price] of fact.prices) this.recalled.set(symbol, price);
    if (fact.kind === 'split') this.recalled.delete(fact.action.symbol);
  }

  /** True when other sources should be asked about a doubted price now. */
  wantsWitness(symbol: Ticker, now: EpochMs): boolean {
    const doubted = this.doubted.get(symbol);
    if (!doubted || doubted.isWitnessed || now - (doubted.askedAt ?? -Infinity) < WITNESS_MS) return false;
    this.doubted.set(symbol, { ...doubted, askedAt: now });
    return true;
  }

  /** Applies prices from another source: if all are near a doubted price, the next quote near it is accepted. */
  witness(symbol: Ticker, prices: readonly Price[]): void {
    const doubted = this.doubted.get(symbol);
    if (doubted && prices.length > 0 && prices.every((price) => isNear(price, doubted.price, SAME_BPS)))
      this.doubted.set(symbol, { ...doubted, isWitnessed: true });
  }

  /** Applies the latest listings, except prices that wait for a witness, and returns the changes. */
  list(
    listings: readonly Listing[],
    rule: JumpRule,
  ): Readonly<{ instruments: Instrument[]; quotes: Quote[] }> {
    const changed = { instruments: [] as Instrument[], quotes: [] as Quote[] };
    for (const { instrument, quote: listed, over24h = {} } of listings) {
      const quote = this.#dated(listed, rule.now);
      if (!isSame(instrument, this.instruments.get(instrument.symbol))) changed.instruments.push(instrument);
      this.instruments.set(instrument.symbol, instrument);
      if (this.#kept.has(quote.symbol) || !this.#isSane(quote, rule)) continue;
      const known = this.#quotes.get(quote.symbol);
      if (known && quote.at > known.at && quote.at === listed.at) this.misdated.delete(quote.symbol);
      else if (known && quote.price !== known.price) this.misdated.add(quote.symbol);
      if (known?.price !== quote.price) changed.quotes.push(quote);
      this.#quotes.set(quote.symbol, quote);
      this.over24h.set(quote.symbol, over24h);
    }
    if (changed.quotes.length > 0) this.#count();
    return changed;
  }

  /** A quote with a usable time: a future one becomes that of the last price change, since the price may be standing still. */
  #dated(quote: Quote, now: EpochMs): Quote {
    const known = this.#quotes.get(quote.symbol);
    if (quote.at > now + STAMP_SLACK_MS)
      return { ...quote, at: known?.price === quote.price ? known.at : now };
    return quote.at < now - LONG_AGO_MS ? { ...quote, at: epochMs(now - LONG_AGO_MS) } : quote;
  }

  #count(): void {
    if (this.version !== undefined) (this as { version: number }).version++;
  }

  /** Keeps the last price of `symbol` until `letPriceGo`, whatever the listings show. */
  keepPrice(symbol: Ticker): void {
    this.#kept.add(symbol);
    this.doubted.delete(symbol);
  }

  letPriceGo(symbol: Ticker): void {
    this.#kept.delete(symbol);
  }

  isKept(symbol: Ticker): boolean {
    return this.#kept.has(symbol);
  }

  /** True when the last price delivered to the strategy was a different one, or none. */
  isNews(strategy: string, { symbol, price }: Pick<Quote, 'symbol' | 'price'>): boolean {
    return this.#delivered.get(strategy)?.get(symbol)?.price !== price;
  }

  /** Times since which the run has known the latest prices, as in its journal. */
  readonly knownSince = new Map<Ticker, EpochMs>();

  /** Records the price delivered to a strategy at a time. */
  noteDelivered(strategy: string, { symbol, price }: Pick<Quote, 'symbol' | 'price'>, at: EpochMs): void {
    const own = this.#delivered.get(strategy) ?? new Map<Ticker, DeliveredPrice>();
    this.#delivered.set(strategy, own);
    own.set(symbol, { price, at });
  }

  /** Converts prices from before `since`, known or delivered, to the later shares. */
  movePrice(symbol: Ticker, since: EpochMs, move: (price: Price) => Price): void {
    const quote = this.#quotes.get(symbol);
    if (quote && quote.at < since) this.#quotes.set(symbol, { ...quote, price: move(quote.price) });
    this.#count();
    for (const own of this.#delivered.values()) {
      const delivered = own.get(symbol);
      if (delivered && delivered.at < since)
        own.set(symbol, { price: move(delivered.price), at: delivered.at });
    }
  }

  /** Drops the bars of a symbol so that they are loaded again. Tapes stay: their owner has converted them already. */
  forgetBars(symbol: Ticker): void {
    for (const series of this.#series.values())
      if (series.symbol === symbol && !series.isTape) this.#keep(new BarSeries(series.set));
  }

  /** From now on, takes prices of `symbol` from a source, and its bars from tapes that their owner moves. */
  follow(symbol: Ticker, source: PriceSource, tapes: readonly BarSeries[]): void {
    (this as { version: undefined }).version = undefined;
    this.#sources.set(symbol, source);
    for (const tape of tapes) this.#keep(tape);
  }

  quote(symbol: Ticker): Quote | undefined {
    const source = this.#sources.get(symbol);
    return source ? source() : this.#quotes.get(symbol);
  }

  series(set: BarSet): BarSeries {
    return this.#series.get(barSetName(set)) ?? this.#keep(new BarSeries(set));
  }

  #keep(series: BarSeries): BarSeries {
    const { set, symbol, interval } = series;
    const [key, name] = [barSetName(set), barSetName({ symbol, interval })];
    const before = this.#series.get(key);
    const others = (this.#alike.get(name) ?? []).filter((other) => other !== before);
    this.#alike.set(name, [...others, series]);
    this.#series.set(key, series);
    return series;
  }

  /** Appends a bar of a phase to each of its series that lacks it. False if none does. */
  append(bar: Bar, phase: QuotePhase | 'closed'): boolean {
    const { symbol, interval } = bar;
    if (phase === 'regular') this.series({ symbol, interval });
    let isNew = false;
    for (const series of this.#alike.get(barSetName({ symbol, interval })) ?? [])
      if (hasPhase(series.set, phase) && series.append(bar)) isNew = true;
    return isNew;
  }

  price(symbol: Ticker): Price | null {
    return this.quote(symbol)?.price ?? null;
  }
}

/** Step to which quantities of an instrument are rounded down. */
export const shareStep = ({ fractionable }: Pick<Instrument, 'fractionable'>): bigint =>
  fractionable ? SHARE_STEP : WAD;

export const cutToStep = (quantity: bigint, instrument: Instrument): bigint =>
  roundTo(quantity, shareStep(instrument), 'down');

/** End of a session in ms in which no market order is sent, and of another phase in which no order is: it might be mined late. */
const CLOSING_MS = 30_000;

/**
 * True when it is too late for an order of this type in the session, or in the phase it is meant for, or when no session
 * is open. The limit order of a manual command is sent at any time, because no run is there to send it at the open.
 */
export function isTooLate(
  { session, now, accountState, isManual }: EngineContext,
  { terms: { type }, until }: Readonly<{ terms: Pick<OrderTerms, 'type'>; until?: EpochMs | undefined }>,
): boolean {
  if (until !== undefined) return now > until - CLOSING_MS;
  if (type === 'market' && session?.date === accountState.doubtedDate) return true;
  if (!session) return type === 'market' || !isManual;
  return type === 'market' && now > session.close - CLOSING_MS;
}

/** Stops market orders for the rest of a session after the venue refused one and named another session than the calendar. */
export function doubtCalendar(context: EngineContext, named: string): void {
  const { session, accountState } = context;
  if (!session || accountState.doubtedDate === session.date) return;
  context.record({ kind: 'sessionDoubted', date: session.date, named });
  const text = `the venue says that it is in another session (${named}) than the calendar has for ${session.date}`;
  context.notify('alarm', `${text}: no more market orders today. See calendar.overrides in the config`, {
    code: 'CALENDAR_DOUBTED',
  });
}

export const nextOpen = ({ calendar, now }: EngineContext): EpochMs =>
  epochMs(calendar.nextSession(now).open);

/** The session that an order intent is for, unless it is good till cancelled. */
export const sessionMeant = (
  { calendar }: EngineContext,
  { notBefore }: Pick<OrderIntent, 'notBefore'>,
): Session => calendar.sessionAt(notBefore) ?? calendar.nextSession(notBefore);

/**
 * The session that an order intent was for, if it has closed without any price of the symbol: halted, or no data. Null
 * before its close, and if there was a price.
 */
export function pricelessSession(
  context: EngineContext,
  intent: Pick<OrderIntent, 'symbol' | 'notBefore'>,
): Session | null {
  const session = sessionMeant(context, intent);
  const priced = context.market.quote(intent.symbol)?.at ?? -Infinity;
  return context.now >= session.close && priced < session.open ? session : null;
}
