import type { Bar } from '../domain/bar.ts';
import type { Side } from '../domain/venue.ts';
import type { QuoteView } from './shown.ts';

/** Order at a moment when the market may fill it. Prices in mUSD per share. */
export type FillOrder = Readonly<{
  symbol: string;
  side: Side;
  type: 'market' | 'limit';
  /** Worst price of a limit order; null for a market order. */
  limit: number | null;
  /** Shares not filled yet; for a buy by notional, the number that it buys at the quote. */
  shares: number;
}>;

/** Order, and the bar in which it may fill. */
export type FillQuestion = Readonly<{
  order: FillOrder;
  /** The whole bar, including what comes after this moment. */
  bar: Bar;
  /**
   * Moment within the bar: its first price (`open`), a price on its path at which a limit or stop is reached
   * (`within`), or its last price (`close`).
   */
  moment: 'open' | 'within' | 'close';
  /** Market price at this moment. For limit orders the model is called only once it has reached their limit. */
  quote: QuoteView;
  /** Shares of the bar still available to orders: its volume or, with a volume cap, what the cap leaves. */
  volume: number;
  /** Price step to which the fill price is rounded against the trader. */
  tick: number;
}>;

/** Fill of an order, or null for none at this moment: the remaining shares wait for the next one. */
export type FillAnswer = Readonly<{ price: number; shares: number }> | null;

export type FillDefinition = Readonly<{
  name: string;
  /**
   * Returns price and shares of a fill. Pure: the same question gives the same answer. The price lies within the bar
   * and is no worse than the limit; the shares are at most those of the order, and with a volume cap at most `volume`.
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
