import { type Price, price, stepOf } from '../../core/amount.ts';
import type { EpochMs, EpochSeconds } from '../../core/brand.ts';
import type { Bar, Interval } from '../../domain/bar.ts';
import type { Instrument, Ticker } from '../../domain/instrument.ts';

/** A stock as the venue lists it, apart from its price. Its address is checksummed, and depends on the symbol alone. */
export type ListedSymbol = Omit<Instrument, 'fractionsOutside' | 'decimals' | 'onChainDecimals'> &
  Readonly<{
    /** Name of the company or fund. */
    name: string;
    exchange: string;
    contractSymbol: string;
    contractName: string;
    fractionalEhEnabled: boolean;
  }>;

/** A jump: from `at` on, every price of the symbol is multiplied by `factor`, on top of earlier shocks. */
export type Shock = Readonly<{
  symbol: Ticker;
  at: EpochMs;
  factor: number;
  /** Kind of corporate action that earlier bars can be adjusted for. */
  adjusts?: 'split' | 'dividend' | 'spin-off';
}>;

/** Quote of the venue, in mUSD. Its 24 hours end with the second of its instant. */
type MarketQuote = Readonly<{
  price: number;
  /** Change in 24 hours, adjusted for corporate actions since then; `percent` of the earlier price. */
  change: number;
  percent: number;
  /** Shares traded in regular hours within these 24 hours. */
  volume: number;
}>;

/** A bar as the venue sends it: prices in mUSD a share, on the tick; volume in whole shares. */
export type KLine = Omit<Bar, 'symbol' | 'interval' | 'start'> &
  /** Start of the bar. Daily: the session's open; weekly: the open of the week's first session. */
  Readonly<{ timestamp: EpochSeconds }>;

export type KLineQuery = Readonly<{
  symbol: Ticker;
  interval: Interval;
  /** First possible start of a bar. */
  from?: EpochMs;
  /** Bars start before this instant. */
  to: EpochMs;
  /** Maximum number of bars returned: the newest. */
  limit: number;
  /** The present: nothing later is shown, and the bar that contains it is shown as formed so far. */
  asOf: EpochMs;
  shocks?: readonly Shock[];
}>;

/**
 * Generated prices as a function of seed, symbol and instant: reading changes nothing, and all answers agree. An
 * instant's price lies inside every bar around it, and is the close of each such bar as of that instant. Covers
 * 2000-01-01 to 2050-12-31. Every method throws `InvalidValueError` for an unlisted symbol.
 */
export interface Market {
  readonly listings: readonly ListedSymbol[];
  /**
   * Price at an instant; changes once a second in the regular session. Between sessions a stock with overnight trading
   * drifts from the close to the next open; any other stays at the last close.
   */
  priceAt(symbol: Ticker, at: EpochMs, shocks?: readonly Shock[]): Price;
  /** Whole shares traded in the second of `at`. Low outside the regular session, 0 if the price does not move. */
  volumeAt(symbol: Ticker, at: EpochMs): number;
  /** Regular hours only, ascending. Bars of an hour or less are counted from the session's open. */
  bars(query: KLineQuery): KLine[];
  /** The price at an instant and its change within 24 hours. */
  quoteAt(symbol: Ticker, at: EpochMs, shocks?: readonly Shock[]): MarketQuote;
}

/** Prices within this folder: whole numbers of 10⁻⁴ mUSD per share, held in a float64. */
export type Units = number;

const PLACES = 4;
const ONE = 10 ** PLACES;
/** A cent in units: the tick for prices of one mUSD and more. */
const CENT = ONE / 100;
const STEP = stepOf(PLACES);

/** The nearest price on the tick, at least 0.0001. Monotonic, so it may be applied after taking a maximum. */
export const onTick = (units: number): Units =>
  units < ONE ? Math.max(Math.round(units), 1) : Math.round(units / CENT) * CENT;

export const unitsOf = (price: number): Units => onTick(price * ONE);
export const priceOf = (units: Units): Price => price(BigInt(units) * STEP);
/** Price in mUSD: the float64 nearest to the decimal. */
export const numberOf = (units: Units): number => units / ONE;
