import { formatDecimal, price as asPrice, shares, type Price, type Shares } from '../../core/amount.ts';
import { epochMs } from '../../core/brand.ts';
import {
  childrenOf,
  filledBy,
  openChild,
  type Child,
  type Distance,
  type SyntheticState,
} from '../../domain/orders/syntheticOrder.ts';
import { belowBy } from './levels.ts';
import { earliest, WAIT, waitUntil, type SyntheticAction } from './action.ts';
import type { SyntheticInput } from './syntheticInput.ts';

/** Longest wait in ms for the end of a resting order before the sale that a trigger calls for: after it an alarm is raised. */
const SLOW_MS = 10_000;

/**
 * Next step of an exit: of a stop, a trailing stop, one-cancels-other, or a bracket whose entry has filled. At most one order of it
 * is under way: the old one has ended, and its filled amount is known, before the next leaves.
 */
export function exitNext(state: SyntheticState, at: SyntheticInput): SyntheticAction {
  const left = leftToSell(state, at);
  if (left === 0n) return nothingLeft(state);
  if (state.ending) return endEarly(state);
  if (state.trigger) return sellOut(state, left, at);
  return touched(state, at) ?? trailed(state, at) ?? takeProfit(state, left, at);
}

/** Shares that are still to be sold: never more than its strategy holds. */
export function leftToSell(state: SyntheticState, { heldShares }: SyntheticInput): Shares {
  const { terms } = state.order;
  if ('quantity' in terms && terms.quantity === 'all') return heldShares;
  const whole = 'quantity' in terms ? (terms.quantity as Shares) : filledBy(state, 'entry');
  const left = whole - filledBy(state, 'take profit', 'exit');
  return shares(left < 0n ? 0n : left < heldShares ? left : heldShares);
}

function nothingLeft(state: SyntheticState): SyntheticAction {
  const open = openLeg(state);
  if (open) return { kind: 'cancel', id: open.id, why: 'nothing is left to sell' };
  const sold = filledBy(state, 'take profit', 'exit');
  return sold > 0n
    ? { kind: 'end', how: 'done', why: `sold ${formatDecimal(sold)}` }
    : { kind: 'end', how: 'cancelled', why: 'nothing is left to sell' };
}

function endEarly(state: SyntheticState): SyntheticAction {
  const { ending } = state;
  const open = openLeg(state);
  if (open) return { kind: 'cancel', id: open.id, why: ending?.why ?? '' };
  return { kind: 'end', how: ending?.how ?? 'cancelled', why: ending?.why ?? '' };
}

const openLeg = (state: SyntheticState): Child | undefined =>
  openChild(state, 'take profit') ?? openChild(state, 'exit');

/** Trigger by the price; null while it is above the stop. */
export function stopTouched({ stop }: SyntheticState, { price }: SyntheticInput): SyntheticAction | null {
  if (stop === null || price === null || price > stop) return null;
  return { kind: 'move', event: { kind: 'triggered', cause: 'stop', price } };
}

/** Trigger by the price or by time; null while neither has come. */
function touched(state: SyntheticState, at: SyntheticInput): SyntheticAction | null {
  const { exitAt } = state;
  const { price, now } = at;
  const byPrice = stopTouched(state, at);
  if (byPrice) return byPrice;
  if (exitAt !== null && now >= exitAt)
    return { kind: 'move', event: { kind: 'triggered', cause: 'time', price } };
  const { expires } = state.order;
  return expires !== undefined && now >= expires
    ? { kind: 'move', event: { kind: 'ending', how: 'expired', why: 'it has expired' } }
    : null;
}

/** Distance of a trailing stop; null for any other exit. */
export function trailOf({ order: { terms } }: SyntheticState): Distance | null {
  if (terms.kind === 'trail') return terms.by;
  return terms.kind === 'bracket' && terms.stopLoss && 'trail' in terms.stopLoss
    ? terms.stopLoss.trail
    : null;
}

/** Raises a trailing stop to its distance from a new highest price; null while there is none. */
function trailed(state: SyntheticState, { price }: SyntheticInput): SyntheticAction | null {
  const by = trailOf(state);
  if (by === null || price === null || (state.mark !== null && price <= state.mark)) return null;
  const stop = belowBy(price, by);
  const { takeProfit, exitAt } = state;
  const raised = state.stop !== null && stop < state.stop ? state.stop : stop;
  return { kind: 'move', event: { kind: 'levels', takeProfit, stop: raised, mark: price, exitAt } };
}

/** Keeps the take-profit at the venue, for what is held. */
function takeProfit(state: SyntheticState, left: Shares, at: SyntheticInput): SyntheticAction {
  const wake = earliest(state.exitAt, state.order.expires);
  if (state.takeProfit === null) return waitUntil(wake);
  const open = openChild(state, 'take profit');
  if (open) return resized(open, left, at) ?? waitUntil(wake);
  const again = at.nextTry(childrenOf(state, 'take profit'));
  if (again > at.now) return waitUntil(earliest(wake, again));
  const quantity = sellable(left, at);
  if (at.blocked !== null || at.sellsOtherwise || quantity === 0n || at.isDust(quantity))
    return waitUntil(wake);
  const terms = limitSell(quantity, state.takeProfit);
  return { kind: 'create', leg: 'take profit', terms, reason: 'take profit' };
}

/** Cancels a take-profit of another size than is held now: it is placed again for that. */
function resized(open: Child, left: Shares, at: SyntheticInput): SyntheticAction | null {
  const terms = at.intentOf(open)?.terms;
  if (terms?.kind !== 'limit') return null;
  const wanted = at.tradable(left);
  const resting = terms.quantity - open.filled;
  const why = 'its position has another size now';
  return resting === wanted || at.isDust(wanted) ? null : { kind: 'cancel', id: open.id, why };
}

/** Sells what is left after a trigger: the take-profit has ended first. */
function sellOut(state: SyntheticState, left: Shares, at: SyntheticInput): SyntheticAction {
  const why = state.trigger?.cause === 'time' ? 'its time is over' : 'its stop was touched';
  const resting = openChild(state, 'take profit') ?? openChild(state, 'entry');
  const slow = epochMs((state.trigger?.at ?? at.now) + SLOW_MS);
  if (resting) {
    if (at.now >= slow) return waitUntil(null, `${why}, and its resting order has not ended yet`);
    return at.isCancelling(resting) ? waitUntil(slow) : { kind: 'cancel', id: resting.id, why };
  }
  if (openChild(state, 'exit')) return WAIT;
  if (at.blocked !== null) return waitUntil(null, `${why}, and it cannot be sold: ${at.blocked}`);
  const again = at.nextTry(childrenOf(state, 'exit'));
  if (again > at.now) return waitUntil(again);
  if (at.sellsOtherwise) return WAIT;
  const quantity = sellable(left, at);
  if (quantity === 0n) return WAIT;
  if (at.isDust(quantity))
    return { kind: 'end', how: 'done', why: `${formatDecimal(quantity)} is less than the venue takes` };
  const reason = state.trigger?.cause ?? 'stop';
  return { kind: 'create', leg: 'exit', terms: exitTerms(state, quantity), reason };
}

/** Part of what is left that the venue takes now. */
function sellable(left: Shares, at: SyntheticInput): Shares {
  const { freeShares } = at;
  return at.tradable(left < freeShares ? left : freeShares);
}

const limitSell = (quantity: Shares, price: Price) =>
  ({ kind: 'limit', side: 'sell', quantity, price, goodTill: 'cancelled' }) as const;

/** Market sell; a limit order where a stop was touched that names a worst price. */
function exitTerms({ order: { terms }, trigger }: SyntheticState, quantity: Shares) {
  const limit = 'limit' in terms && trigger?.cause === 'stop' ? terms.limit : null;
  return limit === null ? ({ kind: 'sell', quantity } as const) : limitSell(quantity, asPrice(limit));
}
