import { type Price, stepOf, WAD } from '../core/amount.ts';
import type { Brand, EpochMs } from '../core/brand.ts';
import { InvalidValueError } from '../core/errors.ts';
import { shownText } from '../core/printable.ts';

/** A stock symbol in upper case: `AAPL`, `BRK.B`. */
export type Ticker = Brand<string, 'Ticker'>;
/** An EVM address: `0x` and 40 hex digits. Case-insensitive. */
export type Address = `0x${string}`;

const TICKER = /^[A-Z][A-Z0-9.-]{0,11}$/;
const SHOWN_MAX = 40;

/** @throws {InvalidValueError} if the text is not a symbol */
export function ticker(text: string): Ticker {
  if (!TICKER.test(text)) throw new InvalidValueError(`${shownText(text, SHOWN_MAX)} is not a stock symbol`);
  return text as Ticker;
}

export const isTicker = (text: unknown): text is Ticker => typeof text === 'string' && TICKER.test(text);

/** True for the same address in any case. Compares the last digit first, which usually differs: bit 5 makes a letter lower case. */
export const sameAddress = (a: string, b: string): boolean =>
  (a.charCodeAt(41) | 32) === (b.charCodeAt(41) | 32) && a.toLowerCase() === b.toLowerCase();

/** A stock as listed by the venue (`GET /symbols`). */
export type Instrument = Readonly<{
  symbol: Ticker;
  /** The stock token's contract. */
  address: Address;
  tradable: boolean;
  /** True if fractions of a share can be traded, and so buys by notional. */
  fractionable: boolean;
  overnightTradable: boolean;
  /** True if fractions of a share also trade outside the regular session; absent: false. */
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

/** Phases of a trading day in which prices move, with the calendar's names. */
export const QUOTE_PHASES = ['overnight', 'pre', 'regular', 'post'] as const;
export type QuotePhase = (typeof QUOTE_PHASES)[number];

export type ExtendedPhase = Exclude<QuotePhase, 'regular'>;

/** When a DAY order ends that reaches the venue outside the regular session: with its phase, its trading day, or the next close. */
export const DAY_READINGS = ['phase', 'tradingDay', 'nextClose'] as const;
export type DayReading = (typeof DAY_READINGS)[number];

/** Price steps from 1 mUSD up, and below, as wads. The venue does not state them. */
export const PRICE_STEP = stepOf(2);
export const FINE_PRICE_STEP = stepOf(4);

/** Tick of a price, as a wad: 0.01, or 0.0001 below 1 mUSD. */
export const tickOf = (price: Price): bigint => (price < WAD ? FINE_PRICE_STEP : PRICE_STEP);
