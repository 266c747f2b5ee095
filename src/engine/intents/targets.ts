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

/** Position as a target counts it. `current`: shares held, and those under way. */
export type TargetValuation = Readonly<{ price: Price; equity: Cash; current: Shares }>;

/** Value that a position lacks to its target, in mUSD; negative for what it has beyond it. */
export function missingValue(to: Target, { price, equity, current }: TargetValuation): Cash {
  if ('quantity' in to) return notionalOf(shares(to.quantity - current), price, 'down');
  const wanted = 'notional' in to ? to.notional : (equity * wadFromNumber(to.weight)) / WAD;
  return cash(wanted - notionalOf(current, price, 'down'));
}

/**
 * Shares that a position lacks to its target, of which `value` is the value; negative for what it has beyond it. To a target of 0
 * all of them: the value has fewer digits than the shares where the price is below 1.
 */
export function missingShares(to: Target, value: Cash, { price, current }: TargetValuation): Shares {
  if (isNothing(to)) return shares(-current);
  return 'quantity' in to ? shares(to.quantity - current) : sharesFor(value, price, 'down');
}

/** mUSD that a notional costs, fees included. */
export type CostOf = (notional: bigint) => bigint;

/** Notional of a market buy of what is missing, as far as the cash goes: in whole cents, because it needs no collar. */
export const notionalFor = (missing: Cash, free: Cash, costOf: CostOf): Cash =>
  cash(roundTo(costOf(missing) <= free ? missing : affordable(free, costOf), CENT, 'down'));

/** The largest notional whose cost is at most this amount. Costs are proportional to the notional, except for the last digit. */
export function affordable(total: Cash, costOf: CostOf): Cash {
  if (total <= 0n) return cash(0n);
  let most = (total * total) / costOf(total);
  while (costOf(most) > total) most--;
  while (costOf(most + 1n) <= total) most++;
  return cash(most);
}

/** True for a target of 0, which sells everything to the last digit: a step would leave dust. */
export const isNothing = (to: Target): boolean =>
  'weight' in to ? to.weight === 0 : 'quantity' in to ? to.quantity === 0n : to.notional === 0n;
