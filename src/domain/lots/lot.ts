import type { Cash, Shares } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import type { StrategyId } from '../account/ledger.ts';
import type { Ticker } from '../instrument.ts';
import type { OrderId } from '../orders/order.ts';

/** Lots that a sale takes first: the oldest, the latest, or those of the highest cost a share. */
export const LOT_METHODS = ['fifo', 'lifo', 'highest'] as const;
export type LotMethod = (typeof LOT_METHODS)[number];

/**
 * Origin of a basis. `bought`: paid, fees included. `opening`: value of stock that was held before the first start; `movedIn`:
 * value of stock that came without a trade, `dividend`: as one, each at that time. `wallet`: sold deferred out of the wallet, at a basis that is not known
 * here.
 */
export type BasisSource = 'bought' | 'opening' | 'movedIn' | 'dividend' | 'wallet';

/** Shares that came at one time. `basis`: their cost in mUSD; null if it is not known. */
export type Lot = Readonly<{
  symbol: Ticker;
  strategyId: StrategyId;
  acquired: EpochMs;
  source: BasisSource;
  /** Order that bought them; null for stock that came without one. */
  orderId: OrderId | null;
  shares: Shares;
  basis: Cash | null;
}>;

/**
 * Lot, or a part of one, that was sold, or written off for nothing. `acquired` is null if the shares were never at the venue, or
 * were sold beyond what it had; `strategyId` is the owner of the sale, `orderId` the order that sold them, null for a write-off.
 */
export type ClosedLot = Omit<Lot, 'acquired'> &
  Readonly<{
    how: 'sold' | 'writtenOff';
    acquired: EpochMs | null;
    sold: EpochMs;
    /** mUSD received, after fees. */
    proceeds: Cash;
    /** Proceeds less basis; null if the basis is not known. */
    gain: Cash | null;
  }>;

/** Lot, or a part of one, that left the venue without a sale. `value`: in mUSD when it left. */
export type MovedLot = Lot & Readonly<{ left: EpochMs; value: Cash }>;

/** Lots of an account or a strategy, in the order in which they came, were sold, and left. */
export type Lots = Readonly<{
  open: readonly Lot[];
  closed: readonly ClosedLot[];
  movedOut: readonly MovedLot[];
}>;
