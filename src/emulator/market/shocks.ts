import { toNumber, type Price } from '../../core/amount.ts';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import type { Ticker } from '../../domain/instrument.ts';
import type { Shock } from './types.ts';

/** Terms of a corporate action that decide a price. Rates and cash are wads. */
export type PriceAction = Readonly<{
  symbol: Ticker;
  type: 'forward_split' | 'reverse_split' | 'cash_dividend' | 'spin_off';
  oldRate: bigint;
  newRate: bigint;
  cashPerShare: bigint;
}>;

/** Change of a price by an action, from the price `before` it. */
export function shockOf({ symbol, type, ...action }: PriceAction, before: Price, at: EpochMs): Shock {
  if (type === 'forward_split' || type === 'reverse_split')
    return { symbol, at, factor: toNumber(action.oldRate) / toNumber(action.newRate), adjusts: 'split' };
  const adjusts = type === 'spin_off' ? 'spin-off' : 'dividend';
  const [whole, paid] = [toNumber(before), toNumber(action.cashPerShare)];
  return { symbol, at, factor: Math.max((whole - paid) / whole, 1e-6), adjusts };
}

/** Adjustment of prices from before an action, as a K-line query asks for it. */
export type Adjustment = 'raw' | 'split' | 'dividend' | 'spin-off' | 'all';

/** The same shocks, with those of such actions counted from the beginning: prices of before as if it had always been so. */
export const adjusted = (shocks: readonly Shock[], adjustment: Adjustment): readonly Shock[] =>
  shocks.map((shock) =>
    shock.adjusts && (adjustment === 'all' || adjustment === shock.adjusts)
      ? { ...shock, at: epochMs(0) }
      : shock,
  );
