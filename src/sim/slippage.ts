import { price as asPrice, wadFromNumber, type Price } from '../core/amount.ts';
import { InvalidValueError } from '../core/errors.ts';
import type { Side } from '../domain/venue.ts';
import { fillOnTick, marketFillPrice } from './matching.ts';
import { tickOf } from '../domain/instrument.ts';

/**
 * Cost of crossing the market in addition to fees. `bps`: a fixed part of the price. `spread`: half a spread in bps,
 * then rounded to the next tick. `volume`: impact times the square of the order's share of the bar's volume.
 */
export type Slippage = Readonly<
  | { kind: 'none' }
  | { kind: 'bps'; bps: number }
  | { kind: 'spread'; halfBps: number }
  | { kind: 'volume'; impact: number }
>;

export type SlippedFill = Readonly<{
  side: Side;
  /** Mid price. */
  price: number;
  shares: number;
  /** Volume of the bar in which the order fills, in shares. */
  volume: number;
}>;

const BPS = 10_000;
/** Largest share of the volume that an order can count for: all of it. */
const SHARE_MAX = 1;

/** Market price moved against a taking order by the slippage, never below 0. */
export function slippedPrice(model: Slippage, { side, price, shares, volume }: SlippedFill): Price {
  const sign = side === 'buy' ? 1 : -1;
  switch (model.kind) {
    case 'none':
      return asPrice(wadFromNumber(price));
    case 'bps':
      return asPrice(wadFromNumber(price * (1 + (sign * model.bps) / BPS)));
    case 'spread': {
      const middle = asPrice(wadFromNumber(price));
      return marketFillPrice({ side, price: middle, halfSpreadBps: model.halfBps, tick: tickOf(middle) });
    }
    case 'volume': {
      const share = volume > 0 ? Math.min(shares / volume, SHARE_MAX) : SHARE_MAX;
      return asPrice(wadFromNumber(price * Math.max(1 + sign * share * share * model.impact, 0)));
    }
  }
}

/** Fill price of a taking order: moved by the slippage, and at the venue rounded to its tick. */
export function takenPrice(
  { fill, slippage }: Readonly<{ fill: string; slippage: Slippage }>,
  found: SlippedFill,
): Price {
  const moved = slippedPrice(slippage, found);
  return fill === 'venue' ? fillOnTick(moved, found.side) : moved;
}

const FORMS = '"none", "bps:5", "spread:0.5" (half of it, in bps) or "volume:0.1" (impact), bps below 10000';

/** @throws {InvalidValueError} naming the valid forms */
export function parseSlippage(text: string): Slippage {
  const [, kind, digits] = /^(none|bps|spread|volume)(?::(\d+(?:\.\d+)?))?$/.exec(text) ?? [];
  const value = Number(digits);
  if (kind === 'none' && digits === undefined) return { kind };
  if (kind === 'bps' && value < BPS) return { kind, bps: value };
  if (kind === 'spread' && value < BPS) return { kind, halfBps: value };
  if (kind === 'volume' && digits !== undefined) return { kind, impact: value };
  throw new InvalidValueError(`slippage "${text}": write ${FORMS}`, { text });
}
