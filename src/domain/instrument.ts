import { type Price, stepOf, WAD } from '../core/amount.ts';
import type { Brand, EpochMs } from '../core/brand.ts';
import { InvalidValueError } from '../core/errors.ts';
import { shownText } from '../core/printable.ts';

/** A stock symbol in upper case: `AAPL`, `BRK.B`. */
export type Ticker = Brand<string, 'Ticker'>;
/** An EVM address, `0x` and 40 hex digits. Compared without regard to case. */
export type Address = `0x${string}`;

const TICKER = /^[A-Z][A-Z0-9.-]{0,11}$/;
const SHOWN_MAX = 40;

/** @throws {InvalidValueError} when the text is not a symbol */
export function ticker(text: string): Ticker {
  if (!TICKER.test(text)) throw new InvalidValueError(`${shownText(text, SHOWN_MAX)} is not a stock symbol`);
  return text as Ticker;
}

export const isTicker = (text: unknown): text is Ticker => typeof text === 'string' && TICKER.test(text);

/** True for the same address in any case. Compares the last digit first, which differs for most: bit 5 makes a letter lower case. */
export const sameAddress = (a: string, b: string): boolean =>
  (a.charCodeAt(41) | 32) === (b.charCodeAt(41) | 32) && a.toLowerCase() === b.toLowerCase();

/** Stock as the venue lists it (`GET /symbols`). */
export type Instrument = Readonly<{
  symbol: Ticker;
  /** The stock token's contract. */
  address: Address;
  tradable: boolean;
  /** True when fractions of a share can be traded, and so buys by notional. */
  fractionable: boolean;
  overnightTradable: boolean;
  /** True if fractions of a share also trade outside the regular session; absent for no. */
  fractionsOutside?: true;
  /** Decimals of the contract, and of the token on chain; absent if the venue does not state them. */
  decimals?: number;
  onChainDecimals?: number;
}>;

export type Quote = Readonly<{
  symbol: Ticker;
  price: Price;
  /** Time of the venue's last update. */
  at: EpochMs;
}>;

/** Phases of a trading day in which prices move, as the calendar names them. */
export const QUOTE_PHASES = ['overnight', 'pre', 'regular', 'post'] as const;
export type QuotePhase = (typeof QUOTE_PHASES)[number];

export type ExtendedPhase = Exclude<QuotePhase, 'regular'>;

/** Ends of a DAY order that reaches the venue outside the regular session: with its phase, its trading day, or at the next close. */
export const DAY_READINGS = ['phase', 'tradingDay', 'nextClose'] as const;
export type DayReading = (typeof DAY_READINGS)[number];

/** Steps of prices from 1 mUSD on, and below, as wads. The venue states them nowhere. */
export const PRICE_STEP = stepOf(2);
export const FINE_PRICE_STEP = stepOf(4);

/** Tick of a price, in wads: 0.01, below 1 mUSD 0.0001. */
export const tickOf = (price: Price): bigint => (price < WAD ? FINE_PRICE_STEP : PRICE_STEP);
