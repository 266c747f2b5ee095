import type { Bar } from '../domain/bar.ts';
import type { Side } from '../domain/venue.ts';
import type { QuoteView } from './shown.ts';

/** An order at a moment at which the market may fill it. Prices in mUSD a share. */
export type FillOrder = Readonly<{
  symbol: string;
  side: Side;
  type: 'market' | 'limit';
  /** Worst price of a limit order; null for a market order. */
  limit: number | null;
  /** Shares that have not filled; of a buy by notional, as many as it buys at the quote. */
  shares: number;
}>;

/** An order, and the bar in which it may fill. */
export type FillQuestion = Readonly<{
  order: FillOrder;
  /** All of the bar, also what comes after this moment. */
  bar: Bar;
  /**
   * Moment within the bar: its first price (`open`), a price on its way, which is that of a limit or of a stop (`within`), or its
   * last one (`close`).
   */
  moment: 'open' | 'within' | 'close';
  /** Price of the market at this moment. A limit order is asked for only where this has reached its limit. */
  quote: QuoteView;
  /** Shares that orders may still take of the bar: its volume or, with a volume cap, what that leaves. */
  volume: number;
  /** Step of prices, to which the price of a fill is rounded against the trader. */
  tick: number;
}>;

/** Fill of an order, or null for none at this moment: what is left of the order waits for the next. */
export type FillAnswer = Readonly<{ price: number; shares: number }> | null;

export type FillDefinition = Readonly<{
  name: string;
  /**
   * Price and shares of a fill. Pure: it gives the same answer to the same question. The price lies within the bar, and is no worse
   * than the limit; the shares are at most those of the order, and with a volume cap at most `volume`.
   */
  fill(question: FillQuestion): FillAnswer;
}>;

/**
 * Default export of a file for `--fill`:
 *
 *     export default defineFill({
 *       name: 'half-volume',
 *       fill: ({ order, quote, volume }) => ({ price: quote.price, shares: Math.min(order.shares, volume / 2) }),
 *     });
 */
export const defineFill = (definition: FillDefinition): FillDefinition => definition;
