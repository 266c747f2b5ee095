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
import { tickOf } from '../domain/instrument.ts';

/** The factor 1 as a wad of basis points: the denominator of a spread. */
const WHOLE = 10_000n * WAD;

export type MarketFill = Readonly<{
  side: Side;
  /** Mid price. */
  price: Price;
  /** Cost of crossing the spread, on each side, in bps; fractions such as 0.5 are usual. */
  halfSpreadBps: number;
  tick: bigint;
}>;

/** Mid price moved against the trader by half the spread and then to the next tick. Never below one tick. */
export function marketFillPrice({ side, price, halfSpreadBps, tick }: MarketFill): Price {
  const half = wadFromNumber(halfSpreadBps);
  const scaled = price * (side === 'buy' ? WHOLE + half : WHOLE - half);
  const filled = roundTo(scaled, tick * WHOLE, side === 'buy' ? 'up' : 'down') / WHOLE;
  return asPrice(filled < tick ? tick : filled);
}

/** A price off its tick by at most one part in this many counts as on it: the float32 rounding of some data. */
const NOISE = 10_000_000n;

/** Price on the venue's tick, rounded against the trader. Never below one tick. */
export function fillOnTick(found: Price, side: Side): Price {
  const tick = tickOf(found);
  const above = found % tick;
  if (above === 0n && found > 0n) return found;
  const noise = found / NOISE < tick / 4n ? found / NOISE : tick / 4n;
  const isUp = above > noise && (side === 'buy' || tick - above <= noise);
  const filled = found - above + (isUp ? tick : 0n);
  return asPrice(filled < tick ? tick : filled);
}

export type LimitFill = Readonly<{
  side: Side;
  remaining: Shares;
  limit: Price;
  /** Current ask or bid. */
  price: Price;
  /** Shares available at that price. */
  available: Shares;
}>;

/** Execution of a limit order at a price no worse than its limit, up to the amount available; null at a worse price. */
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
