import { formatDecimal, shares, type Price, type Shares } from '../../core/amount.ts';
import { epochMs, type EpochMs } from '../../core/brand.ts';
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
/** Pause in ms after which something that no event of its own announces is looked at again: a hold, or another sale. */
const AGAIN_MS = 5_000;

/**
 * Next step of an exit: of a stop, a trailing stop, one-cancels-other, or a bracket whose entry has filled. At most one order of it
 * is under way: the old one has ended, and its filled amount is known, before the next leaves.
 */
export function exitNext(state: SyntheticState, at: SyntheticInput): SyntheticAction {
  const left = leftToSell(state, at);
  if (left === 0n) return nothingLeft(state, at);
  if (state.ending) return endEarly(state, left, at);
  if (state.trigger) return sellOut(state, left, at);
  return touched(state, at) ?? trailed(state, at) ?? takeProfit(state, left, at);
}

/** Shares that are still to be sold: never more than its strategy holds. */
export function leftToSell(state: SyntheticState, { heldShares }: SyntheticInput): Shares {
  const { terms } = state.order;
  if ('quantity' in terms && terms.quantity === 'all') return heldShares;
  const whole = 'quantity' in terms ? (terms.quantity as Shares) : filledBy(state, 'entry');
  const left = whole - soldBy(state);
  return shares(left < 0n ? 0n : left < heldShares ? left : heldShares);
}

const soldBy = (state: SyntheticState): Shares => filledBy(state, 'take profit', 'exit');

/** Cancels every leg that has not ended; null once all have. A market order that has left is waited for. */
export function endLegs(
  { children }: SyntheticState,
  why: string,
  at: SyntheticInput,
): SyntheticAction | null {
  const open = children.filter(({ ended }) => ended === null);
  const next = open.find((child) => !at.isEnding(child));
  if (next) return { kind: 'cancel', id: next.id, why };
  return open.length > 0 ? WAIT : null;
}

function nothingLeft(state: SyntheticState, at: SyntheticInput): SyntheticAction {
  const sold = soldBy(state);
  const why = sold > 0n ? `sold ${formatDecimal(sold)}` : 'nothing is left to sell';
  return endLegs(state, why, at) ?? { kind: 'end', how: sold > 0n ? 'done' : 'cancelled', why };
}

function endEarly(state: SyntheticState, left: Shares, at: SyntheticInput): SyntheticAction {
  const { how = 'cancelled', why = '' } = state.ending ?? {};
  const { symbol } = state.order;
  const open = `${formatDecimal(left)} ${symbol} are not protected any more`;
  return endLegs(state, why, at) ?? { kind: 'end', how, why: `${why}: ${open}` };
}

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
  const expires = expiryOf(state);
  return expires !== undefined && now >= expires
    ? { kind: 'move', event: { kind: 'ending', how: 'expired', why: 'it has expired' } }
    : null;
}

/** Instant at which an exit expires. That of a bracket ends its entry: what was bought stays protected. */
const expiryOf = ({ order: { terms, expires } }: SyntheticState): EpochMs | undefined =>
  terms.kind === 'bracket' ? undefined : expires;

/** Distance of a trailing stop; null for any other exit. */
function trailOf({ order: { terms } }: SyntheticState): Distance | null {
  if (terms.kind === 'trail') return terms.by;
  return terms.kind === 'bracket' && terms.stopLoss && 'trail' in terms.stopLoss
    ? terms.stopLoss.trail
    : null;
}

/**
 * Price that a trailing stop follows now. Its first is the latest that was known when it was given, of whatever phase: counted from the
 * next open, it would miss the way there. One that begins later begins with a price of then.
 */
const followed = ({ mark, order }: SyntheticState, { price, latestPrice }: SyntheticInput): Price | null =>
  price ?? (mark === null && order.notBefore <= order.at ? latestPrice : null);

/** Raises a trailing stop to its distance from a new highest price; null while there is none. */
function trailed(state: SyntheticState, at: SyntheticInput): SyntheticAction | null {
  const by = trailOf(state);
  const price = followed(state, at);
  if (by === null || price === null || (state.mark !== null && price <= state.mark)) return null;
  const stop = belowBy(price, by);
  const { takeProfit, exitAt } = state;
  const raised = state.stop !== null && stop < state.stop ? state.stop : stop;
  return { kind: 'move', event: { kind: 'levels', takeProfit, stop: raised, mark: price, exitAt } };
}

/** Keeps the take-profit at the venue, for what is held. */
function takeProfit(state: SyntheticState, left: Shares, at: SyntheticInput): SyntheticAction {
  const wake = earliest(state.exitAt, expiryOf(state));
  const open = openChild(state, 'take profit');
  if (!open && soldBy(state) > 0n && at.isDust(left)) return leftOver(left);
  if (state.takeProfit === null) return waitUntil(wake);
  const wanted = at.sellable(left, open);
  if (open) return renewed(open, { wanted, price: state.takeProfit }, at) ?? waitUntil(wake);
  const again = at.nextTry(childrenOf(state, 'take profit'));
  if (again > at.now) return waitUntil(earliest(wake, again));
  if (at.blocked !== null || at.awaitsSell || at.isSelling)
    return waitUntil(earliest(wake, epochMs(at.now + AGAIN_MS)));
  if (wanted === 0n || at.isDust(wanted)) return waitUntil(wake);
  const terms = limitSell(wanted, state.takeProfit);
  return { kind: 'create', leg: 'take profit', terms, reason: 'take profit' };
}

/** Cancels a take-profit whose size or price is no longer the right one: it is placed again. */
function renewed(
  open: Child,
  { wanted, price }: Readonly<{ wanted: Shares; price: Price }>,
  at: SyntheticInput,
): SyntheticAction | null {
  const terms = at.intentOf(open)?.terms;
  if (terms?.kind !== 'limit' || at.isEnding(open)) return null;
  if (terms.price !== price) return { kind: 'cancel', id: open.id, why: 'its strategy has moved it' };
  if (at.isDust(wanted) || terms.quantity - open.filled === wanted) return null;
  return { kind: 'cancel', id: open.id, why: 'its position has another size now' };
}

/** Sells what is left after a trigger: every other order of it has ended first. */
function sellOut(state: SyntheticState, left: Shares, at: SyntheticInput): SyntheticAction {
  const why = state.trigger?.cause === 'time' ? 'its time is over' : 'its stop was touched';
  const since = state.trigger?.at ?? at.now;
  const open = state.children.filter(({ ended }) => ended === null);
  const resting = open.filter(({ leg }) => leg !== 'exit');
  const next = resting.find((child) => !at.isEnding(child));
  if (next) return { kind: 'cancel', id: next.id, why };
  const exit = open.find(({ leg }) => leg === 'exit');
  if (exit && !at.isUnsent(exit)) return WAIT;
  const settled = lastEnd(state, since);
  if (at.blocked !== null) return heldBack(at, `${why}, and it cannot be sold: ${at.blocked}`, settled);
  if (resting.length > 0) return late(at, `${why}: it is sold once its resting order has ended`, since);
  if (exit) return late(at, `${why}, and its sale has not been sent yet`, at.dueAt(exit));
  const exits = childrenOf(state, 'exit');
  const again = at.nextTry(exits);
  if (again <= at.now) return sellNow(state, at, { left, why });
  return waitUntil(again, `${why}, and its sale has failed: ${exits.at(-1)?.ended?.why ?? ''}`);
}

function sellNow(
  state: SyntheticState,
  at: SyntheticInput,
  { left, why }: Readonly<{ left: Shares; why: string }>,
): SyntheticAction {
  if (at.isDust(left)) return leftOver(left);
  const since = state.trigger?.at ?? at.now;
  const isFresh = at.now < since + SLOW_MS;
  const quantity = at.sellable(left);
  const locking = quantity < at.tradable(left) ? at.ownSell : undefined;
  if (locking !== undefined) return { kind: 'cancel', id: locking, why };
  if ((isFresh && at.awaitsSell) || quantity === 0n || at.isDust(quantity))
    return late(at, `${why}, and what is held is not free to be sold`, since);
  return {
    kind: 'create',
    leg: 'exit',
    terms: exitTerms(state, quantity),
    reason: state.trigger?.cause ?? 'stop',
  };
}

const leftOver = (left: Shares): SyntheticAction => ({
  kind: 'end',
  how: 'done',
  why: `the rest of ${formatDecimal(left)} is less than the venue takes`,
});

/** Instant since which the account has had to show what became of its orders: that of the latest end, or an earlier one without any. */
function lastEnd({ children }: SyntheticState, since: EpochMs): EpochMs {
  let last = since;
  for (const { ended } of children) if (ended && ended.at > last) last = ended.at;
  return last;
}

/** Waits while nothing may be sent, with an alarm at once unless the account may end that by itself. */
const heldBack = (at: SyntheticInput, alarm: string, since: EpochMs): SyntheticAction =>
  at.isBlockPassing ? late(at, alarm, since) : soon(at, alarm);

/** Waits a moment; `alarm` says why. */
const soon = ({ now }: SyntheticInput, alarm?: string): SyntheticAction =>
  waitUntil(epochMs(now + AGAIN_MS), alarm);

/** Waits, with an alarm from 10 s after an instant on. */
function late(at: SyntheticInput, alarm: string, since: EpochMs): SyntheticAction {
  const slow = since + SLOW_MS;
  if (at.now >= slow) return soon(at, alarm);
  return waitUntil(epochMs(at.now < since ? slow : Math.min(at.now + AGAIN_MS, slow)));
}

const limitSell = (quantity: Shares, price: Price) =>
  ({ kind: 'limit', side: 'sell', quantity, price, goodTill: 'cancelled' }) as const;

/** Market sell; a limit order for the session where a stop was touched that names a worst price. */
function exitTerms({ order: { terms }, trigger }: SyntheticState, quantity: Shares) {
  const limit = 'limit' in terms && trigger?.cause === 'stop' ? terms.limit : null;
  return limit === null
    ? ({ kind: 'sell', quantity } as const)
    : ({ ...limitSell(quantity, limit), goodTill: 'day' } as const);
}
