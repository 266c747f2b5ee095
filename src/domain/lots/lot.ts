import type { Cash, Shares } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import type { StrategyId } from '../account/ledger.ts';
import type { Ticker } from '../instrument.ts';
import type { OrderId } from '../orders/order.ts';

/** Lots that a sell takes first: the oldest, the latest, or those with the highest cost per share. */
export const LOT_METHODS = ['fifo', 'lifo', 'highest'] as const;
export type LotMethod = (typeof LOT_METHODS)[number];

/**
 * Origin of a basis. `bought`: price paid, including fees. `opening`: value of stock held before the first start.
 * `movedIn`, `dividend`: value of stock that arrived without a trade, or as a dividend, at that time. `wallet`: stock
 * sold deferred from the wallet, at a basis unknown here.
 */
export type BasisSource = 'bought' | 'opening' | 'movedIn' | 'dividend' | 'wallet';

/** Shares acquired at one time. `basis`: their cost in mUSD; null if unknown. */
export type Lot = Readonly<{
  symbol: Ticker;
  strategyId: StrategyId;
  acquired: EpochMs;
  source: BasisSource;
  /** Order that bought them; null for stock acquired without one. */
  orderId: OrderId | null;
  shares: Shares;
  basis: Cash | null;
}>;

/**
 * Lot, or part of one, that was sold, or written off for nothing. `acquired`: null if the shares were never at the venue, or
 * more were sold than it had; `strategyId`: owner of the sell; `orderId`: the order that sold them, null for a write-off.
 */
export type ClosedLot = Omit<Lot, 'acquired'> &
  Readonly<{
    how: 'sold' | 'writtenOff';
    acquired: EpochMs | null;
    sold: EpochMs;
    /** mUSD received, after fees. */
    proceeds: Cash;
    /** Proceeds less basis; null if the basis is unknown. */
    gain: Cash | null;
  }>;

/** Lot, or part of one, that left the venue without a sell. `value`: in mUSD when it left. */
export type MovedLot = Lot & Readonly<{ left: EpochMs; value: Cash }>;

/** Lots of an account or a strategy, in the order in which they were acquired, were sold, and left. */
export type Lots = Readonly<{
  open: readonly Lot[];
  closed: readonly ClosedLot[];
  movedOut: readonly MovedLot[];
}>;
