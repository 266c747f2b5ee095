import {
  cash,
  notionalOf,
  roundTo,
  shares,
  sharesFor,
  stepOf,
  WAD,
  wadFromNumber,
  type Cash,
  type Price,
  type Shares,
} from '../../core/amount.ts';
import type { Target } from '../../domain/orders/orderIntent.ts';

const CENT = stepOf(2);

/** Position as a target counts it. `current`: shares held plus those under way. */
export type TargetValuation = Readonly<{ price: Price; equity: Cash; current: Shares }>;

/** Value in mUSD that a position is below its target; negative if above. */
export function missingValue(to: Target, { price, equity, current }: TargetValuation): Cash {
  if ('quantity' in to) return notionalOf(shares(to.quantity - current), price, 'down');
  const wanted = 'notional' in to ? to.notional : (equity * wadFromNumber(to.weight)) / WAD;
  return cash(wanted - notionalOf(current, price, 'down'));
}

/**
 * Shares that a position is below its target, given that `value`; negative if above. For a target of 0, all shares:
 * where the price is below 1, the value has fewer digits than the shares.
 */
export function missingShares(to: Target, value: Cash, { price, current }: TargetValuation): Shares {
  if (isNothing(to)) return shares(-current);
  return 'quantity' in to ? shares(to.quantity - current) : sharesFor(value, price, 'down');
}

/** Cost of a notional in mUSD, including fees. */
export type CostOf = (notional: bigint) => bigint;

/** Notional of a market buy of the missing value, as far as the cash allows: in whole cents, because it needs no collar. */
export const notionalFor = (missing: Cash, free: Cash, costOf: CostOf): Cash =>
  cash(roundTo(costOf(missing) <= free ? missing : affordable(free, costOf), CENT, 'down'));

/** The largest notional that costs at most this amount. Costs are proportional to the notional, except for the last digit. */
export function affordable(total: Cash, costOf: CostOf): Cash {
  if (total <= 0n) return cash(0n);
  let most = (total * total) / costOf(total);
  while (costOf(most) > total) most--;
  while (costOf(most + 1n) <= total) most++;
  return cash(most);
}

/** True for a target of 0, which sells everything to the last digit: rounding to a step would leave dust. */
export const isNothing = (to: Target): boolean =>
  'weight' in to ? to.weight === 0 : 'quantity' in to ? to.quantity === 0n : to.notional === 0n;
