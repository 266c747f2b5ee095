import {
  price as asPrice,
  roundTo,
  shares,
  WAD,
  wadFromNumber,
  type Price,
  type Shares,
} from '../core/amount.ts';
import type { Side } from '../domain/venue.ts';

/** One, as a wad of basis points: the denominator of a spread. */
const WHOLE = 10_000n * WAD;

export type MarketFill = Readonly<{
  side: Side;
  /** The middle of the market. */
  price: Price;
  /** What crossing the spread costs, on each side. Fractions are meant: 0.5. */
  halfSpreadBps: number;
  tick: bigint;
}>;

/** The middle moved by half the spread and on to the next tick, against the trader. Never below one tick. */
export function marketFillPrice({ side, price, halfSpreadBps, tick }: MarketFill): Price {
  const half = wadFromNumber(halfSpreadBps);
  const scaled = price * (side === 'buy' ? WHOLE + half : WHOLE - half);
  const filled = roundTo(scaled, tick * WHOLE, side === 'buy' ? 'up' : 'down') / WHOLE;
  return asPrice(filled < tick ? tick : filled);
}

export type LimitFill = Readonly<{
  side: Side;
  remaining: Shares;
  limit: Price;
  /** What the market asks or offers now. */
  price: Price;
  /** Shares the market has at that price. */
  available: Shares;
}>;

/** What a limit order gets at a price no worse than its limit: that price, for as much as there is. Else null. */
export function limitFill({
  side,
  remaining,
  limit,
  price,
  available,
}: LimitFill): { quantity: Shares; price: Price } | null {
  const crosses = side === 'buy' ? price <= limit : price >= limit;
  const quantity = remaining < available ? remaining : available;
  return crosses && quantity > 0n ? { quantity: shares(quantity), price } : null;
}
