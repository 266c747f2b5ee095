import { roundTo, stepOf, WAD, type Price } from '../core/amount.ts';
import type { Bar, Interval } from '../domain/bar.ts';
import type { Instrument, Quote, Ticker } from '../domain/instrument.ts';
import type { Listing } from '../domain/venue.ts';
import { BarSeries } from '../market/series.ts';

/** Smallest part of a share that a size is cut to: what is left over would be dust. */
const FRACTION_STEP = stepOf(6);

/** Where the latest price of a symbol is read off when it is asked for; undefined before the first. */
export type PriceSource = () => Quote | undefined;

/** What is known of the market at this instant. */
export class MarketView {
  readonly instruments = new Map<Ticker, Instrument>();
  readonly #quotes = new Map<Ticker, Quote>();
  readonly #sources = new Map<Ticker, PriceSource>();
  readonly #series = new Map<string, BarSeries>();

  /** Takes the latest prices in, but none that is nothing; gives the quotes whose price has changed. */
  list(listings: readonly Listing[]): Quote[] {
    const changed: Quote[] = [];
    for (const { instrument, quote } of listings) {
      this.instruments.set(instrument.symbol, instrument);
      if (quote.price <= 0n) continue;
      if (this.#quotes.get(quote.symbol)?.price !== quote.price) changed.push(quote);
      this.#quotes.set(quote.symbol, quote);
    }
    return changed;
  }

  /** Prices of `symbol` come from there from now on, and its bars from a tape that somebody else moves. */
  follow(symbol: Ticker, source: PriceSource, tapes: readonly BarSeries[]): void {
    this.#sources.set(symbol, source);
    for (const tape of tapes) this.#series.set(`${symbol} ${tape.interval}`, tape);
  }

  quote(symbol: Ticker): Quote | undefined {
    const source = this.#sources.get(symbol);
    return source ? source() : this.#quotes.get(symbol);
  }

  series(symbol: Ticker, interval: Interval): BarSeries {
    const key = `${symbol} ${interval}`;
    const series = this.#series.get(key) ?? new BarSeries(symbol, interval);
    this.#series.set(key, series);
    return series;
  }

  /** Appends a bar that is newer than the latest. False when it is not. */
  append(bar: Bar): boolean {
    const series = this.series(bar.symbol, bar.interval);
    if (series.latest !== null && bar.start <= series.latest) return false;
    series.append(bar);
    return true;
  }

  price(symbol: Ticker): Price | null {
    return this.quote(symbol)?.price ?? null;
  }
}

/** The step that sizes of an instrument are cut to. */
export const shareStep = ({ fractionable }: Pick<Instrument, 'fractionable'>): bigint =>
  fractionable ? FRACTION_STEP : WAD;

export const cutToStep = (quantity: bigint, instrument: Instrument): bigint =>
  roundTo(quantity, shareStep(instrument), 'down');
