import { toNumber, type Price } from '../../core/amount.ts';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import type { Ticker } from '../../domain/instrument.ts';
import type { Shock } from './types.ts';

/** Terms of a corporate action that change the price. Rates and cash are wads; 0 if they do not apply. */
export type PriceAction = Readonly<{
  symbol: Ticker;
  type: 'forward_split' | 'reverse_split' | 'cash_dividend' | 'spin_off';
  oldRate: bigint;
  newRate: bigint;
  cashPerShare: bigint;
}>;

export function shockOf({ symbol, type, ...action }: PriceAction, before: Price, at: EpochMs): Shock {
  if (type === 'forward_split' || type === 'reverse_split')
    return { symbol, at, factor: toNumber(action.oldRate) / toNumber(action.newRate), adjusts: 'split' };
  const adjusts = type === 'spin_off' ? 'spin-off' : 'dividend';
  const [whole, paid] = [toNumber(before), toNumber(action.cashPerShare)];
  return { symbol, at, factor: Math.max((whole - paid) / whole, 1e-6), adjusts };
}

/** Adjustment of earlier prices for corporate actions, as a K-line query requests it. */
export type Adjustment = 'raw' | 'split' | 'dividend' | 'spin-off' | 'all';

/** The shocks with those of the adjusted actions applied from the beginning of time. */
export const adjusted = (shocks: readonly Shock[], adjustment: Adjustment): readonly Shock[] =>
  shocks.map((shock) =>
    shock.adjusts && (adjustment === 'all' || adjustment === shock.adjusts)
      ? { ...shock, at: epochMs(0) }
      : shock,
  );
