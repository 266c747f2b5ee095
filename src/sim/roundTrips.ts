import { cash, toNumber, type Cash } from '../core/amount.ts';
import type { EpochMs } from '../core/brand.ts';
import type { Ticker } from '../domain/instrument.ts';
import type { Side } from '../domain/venue.ts';

/** Round trip from the first share bought to the last one sold. Quantities and prices as float64. */
export type Trade = Readonly<{
  strategy: string;
  symbol: Ticker;
  entryAt: EpochMs;
  exitAt: EpochMs;
  /** Total shares bought. */
  shares: number;
  /** Average price of all buys and of all sells. */
  entryPrice: number;
  exitPrice: number;
  fees: number;
  /** Exact, fees included. */
  pnl: Cash;
  /**
   * Maximum adverse and favourable excursion while held, as fractions of the average cost at the time: at most 0, and
   * at least 0.
   */
  mae: number;
  mfe: number;
  /** Number of bars held. */
  bars: number;
  entryReason: string;
  exitReason: string;
  /** Tags of the first and last orders, if they have one. */
  entryTag?: string;
  exitTag?: string;
}>;

/** Round trip in progress. */
export type RoundTrip = {
  readonly entryAt: EpochMs;
  /** Position of the first fill among the bars. */
  readonly from: number;
  readonly entryReason: string;
  readonly entryTag: string | undefined;
  held: bigint;
  net: bigint;
  fees: bigint;
  bought: number;
  /** Average price of the shares bought. */
  entryPrice: number;
  /** Position of the latest entry among the bars, and the excursion up to it. */
  since: number;
  mae: number;
  mfe: number;
  sold: number;
  /** Average price of the shares sold. */
  exitPrice: number;
};

/** Author's reason and tag for an order. */
export type Why = Readonly<{ reason: string; tag?: string | undefined }>;

/** Round trip before its first fill. @param from position of that fill among the bars */
export const tripFrom = (entryAt: EpochMs, from: number, { reason, tag }: Why): RoundTrip => ({
  entryAt,
  from,
  entryReason: reason,
  entryTag: tag,
  held: 0n,
  net: 0n,
  fees: 0n,
  bought: 0,
  entryPrice: 0,
  since: from,
  mae: 0,
  mfe: 0,
  sold: 0,
  exitPrice: 0,
});

/** Amounts of a fill: exact, with shares and price also as float64. */
export type TradeMove = Readonly<{
  settlement: Readonly<{ pay: bigint; receive: bigint }>;
  shares: number;
  price: number;
}>;

/** Adds a fill to a round trip. */
export function move(
  trip: RoundTrip,
  side: Side,
  { settlement: { pay, receive }, shares, price }: TradeMove,
): void {
  if (side === 'buy') {
    trip.held += receive;
    trip.net -= pay;
    trip.bought += shares;
    trip.entryPrice += (price - trip.entryPrice) * (shares / trip.bought);
    return;
  }
  trip.held -= pay;
  trip.net += receive;
  trip.sold += shares;
  trip.exitPrice += (price - trip.exitPrice) * (shares / trip.sold);
}

export type Range = Readonly<{ low: number; high: number }>;

/** Empty price range. */
export const NOWHERE: Range = { low: Infinity, high: -Infinity };

/** Extends the excursions of a round trip, relative to its current average cost, by the prices up to an order. */
export function reach(trip: RoundTrip, { low, high }: Range, price: number): void {
  const { entryPrice } = trip;
  trip.mae = Math.min(trip.mae, Math.min(low, price, entryPrice) / entryPrice - 1);
  trip.mfe = Math.max(trip.mfe, Math.max(high, price, entryPrice) / entryPrice - 1);
}

/** Sells all shares of a round trip at 0, because they are worthless. */
export function writeOffTrip(trip: RoundTrip): void {
  trip.exitPrice *= trip.sold / (trip.sold + toNumber(trip.held));
  trip.sold += toNumber(trip.held);
}

/** Rescales a round trip after a split. `rescaled` is exact, `per` the same factor as float64. */
export function splitTrip(trip: RoundTrip, rescaled: (quantity: bigint) => bigint, per: number): void {
  trip.held = rescaled(trip.held);
  trip.bought *= per;
  trip.entryPrice /= per;
  trip.sold *= per;
  trip.exitPrice /= per;
}

/** End of a round trip; `place`: its position among the bars. */
export type Exit = Readonly<{ strategyId: string; symbol: Ticker; at: EpochMs; place: number }> & Why;

/** Trade of a finished round trip, whose excursions already reach to the exit. */
export function tradeOf(trip: RoundTrip, { strategyId, symbol, at, place, reason, tag }: Exit): Trade {
  const trade: Trade = {
    strategy: strategyId,
    symbol,
    entryAt: trip.entryAt,
    exitAt: at,
    shares: trip.bought,
    entryPrice: trip.entryPrice,
    exitPrice: trip.exitPrice,
    fees: toNumber(trip.fees),
    pnl: cash(trip.net),
    mae: trip.mae,
    mfe: trip.mfe,
    bars: Math.floor(place) - Math.floor(trip.from),
    entryReason: trip.entryReason,
    exitReason: reason,
  };
  const { entryTag } = trip;
  if (entryTag === undefined && tag === undefined) return trade;
  return {
    ...trade,
    ...(entryTag !== undefined && { entryTag }),
    ...(tag !== undefined && { exitTag: tag }),
  };
}
