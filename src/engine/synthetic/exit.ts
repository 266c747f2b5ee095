import { formatDecimal, shares, type Price, type Shares } from '../../core/amount.ts';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import {
  childrenOf,
  filledBy,
  isTakeProfit,
  openChild,
  soldBy,
  type Child,
  trailOf,
  type SyntheticState,
} from '../../domain/orders/syntheticOrder.ts';
import { belowBy } from './levels.ts';
import { earliest, expiryStep, WAIT, waitUntil, type SyntheticAction } from './action.ts';
import { partOf, type SyntheticInput } from './syntheticInput.ts';
import type { Leg } from '../../domain/orders/order.ts';

/** Longest wait in ms for a resting order to end before a triggered sale; after that an alarm is raised. */
const SLOW_MS = 10_000;
/** Pause in ms before conditions that raise no event are checked again: a hold, or another sale. */
const AGAIN_MS = 5_000;

/**
 * Next step of an exit: a stop, a trailing stop, one-cancels-other, or a bracket whose entry has filled. Two
 * take-profits may rest, each for its share; otherwise at most one order is under way: the previous one has ended, and
 * its filled amount is known, before the next is sent.
 */
export function exitNext(state: SyntheticState, at: SyntheticInput): SyntheticAction {
  const left = leftToSell(state, at);
  if (left === 0n) return nothingLeft(state, at);
  if (state.ending) return endEarly(state, left, at);
  if (state.trigger) return sellOut(state, left, at);
  return touched(state, at) ?? trailed(state, at) ?? takeProfits(state, left, at);
}

/** Shares still to be sold, never more than the strategy holds. */
export function leftToSell(state: SyntheticState, { heldShares }: SyntheticInput): Shares {
  const { terms } = state.order;
  if ('quantity' in terms && terms.quantity === 'all') return heldShares;
  const whole = 'quantity' in terms ? (terms.quantity as Shares) : filledBy(state, 'entry');
  const left = whole - soldBy(state);
  return shares(left < 0n ? 0n : left < heldShares ? left : heldShares);
}

/** Cancels every leg that has not ended; null once all have. A market order that was sent is awaited instead. */
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

/** Trigger by price; null while the price is above the stop. */
export function stopTouched({ stop }: SyntheticState, { price }: SyntheticInput): SyntheticAction | null {
  if (stop === null || price === null || price > stop) return null;
  return { kind: 'move', event: { kind: 'triggered', cause: 'stop', price } };
}

/** Trigger by price or time; null while neither applies. */
function touched(state: SyntheticState, at: SyntheticInput): SyntheticAction | null {
  const { exitAt } = state;
  const { price, now } = at;
  const byPrice = stopTouched(state, at);
  if (byPrice) return byPrice;
  if (exitAt !== null && now >= exitAt)
    return { kind: 'move', event: { kind: 'triggered', cause: 'time', price } };
  // The expiry of a bracket ends only its entry: shares already bought stay protected.
  return state.order.terms.kind === 'bracket' ? null : expiryStep(state.order, now);
}

/**
 * Price that a trailing stop follows now. It starts at the latest price known when the order was given, in any phase:
 * starting at the next open would miss the move up to it. A stop that starts later uses a price from its start on.
 */
const followed = ({ mark, order }: SyntheticState, { price, latestPrice }: SyntheticInput): Price | null =>
  price ?? (mark === null && order.notBefore <= order.at ? latestPrice : null);

/** Raises a trailing stop to its distance below a new highest price; null if there is none. */
function trailed(state: SyntheticState, at: SyntheticInput): SyntheticAction | null {
  const by = trailOf(state);
  const price = followed(state, at);
  if (by === null || price === null || (state.mark !== null && price <= state.mark)) return null;
  const stop = belowBy(price, by);
  const { takeProfit, secondTakeProfit: second, exitAt } = state;
  const raised = state.stop !== null && stop < state.stop ? state.stop : stop;
  const event = { kind: 'levels', takeProfit, stop: raised, mark: price, exitAt } as const;
  return { kind: 'move', event: { ...event, ...(second === null ? {} : { secondTakeProfit: second }) } };
}

/** Limit order that should rest at the venue: none for a quantity of 0, or while its price is unknown. */
type TakeProfit = Readonly<{ leg: Leg; quantity: Shares; price: Price | null }>;

/** Take-profits for the remaining shares. A part below the venue's minimum is sold together with the other. */
function takeProfitsOf(state: SyntheticState, left: Shares, at: SyntheticInput): readonly TakeProfit[] {
  const { order, takeProfit, secondTakeProfit } = state;
  const second = order.terms.kind === 'bracket' ? order.terms.second : undefined;
  if (!second) return [{ leg: 'take profit', quantity: left, price: takeProfit }];
  const part =
    partOf(filledBy(state, 'entry'), second.firstShare, at.instrument) - filledBy(state, 'take profit');
  const due = part < 0n ? 0n : part < left ? part : left;
  const isLessThanTaken = (quantity: bigint, price: Price | null) => at.isDust(shares(quantity), price);
  const first = isLessThanTaken(due, takeProfit)
    ? 0n
    : isLessThanTaken(left - due, secondTakeProfit)
      ? left
      : due;
  return [
    { leg: 'take profit', quantity: shares(first), price: takeProfit },
    { leg: 'second take profit', quantity: shares(left - first), price: secondTakeProfit },
  ];
}

/** Keeps the take-profits resting at the venue for the shares held. */
function takeProfits(state: SyntheticState, left: Shares, at: SyntheticInput): SyntheticAction {
  const isResting = state.children.some(({ leg, ended }) => ended === null && isTakeProfit(leg));
  if (!isResting && soldBy(state) > 0n && isTooLittle(state, left, at))
    return endLegs(state, restText(left), at) ?? leftOver(left);
  const { expires } = state.order;
  let wake = earliest(state.exitAt, expires !== undefined && at.now < expires ? expires : null);
  for (const each of takeProfitsOf(state, left, at)) {
    const next = rest(state, each, at);
    if (next.kind !== 'wait') return next;
    wake = earliest(wake, next.until);
  }
  return waitUntil(wake);
}

/** Keeps one take-profit resting at the venue. */
function rest(
  state: SyntheticState,
  { leg, quantity, price }: TakeProfit,
  at: SyntheticInput,
): SyntheticAction {
  const open = openChild(state, leg);
  if (price === null) return WAIT;
  if (open && quantity === 0n && !at.isEnding(open)) return { kind: 'cancel', id: open.id, why: RESIZED };
  const wanted = at.sellable(quantity, open);
  if (open) return renewed(open, { wanted, price }, at) ?? WAIT;
  const again = at.nextTry(childrenOf(state, leg));
  if (again > at.now) return waitUntil(again);
  if (at.blocked !== null || at.awaitsSell || at.isSelling || at.awaitsExit) return soon(at);
  if (wanted === 0n || at.isDust(wanted)) return WAIT;
  return { kind: 'create', leg, terms: limitSell(wanted, price), reason: leg };
}

const RESIZED = 'its position has another size now';

/** Cancels a take-profit whose size or price is out of date, so that it is placed again. */
function renewed(
  open: Child,
  { wanted, price }: Readonly<{ wanted: Shares; price: Price }>,
  at: SyntheticInput,
): SyntheticAction | null {
  const terms = at.intentOf(open)?.terms;
  if (terms?.kind !== 'limit' || at.isEnding(open)) return null;
  if (terms.price !== price) return { kind: 'cancel', id: open.id, why: 'its strategy has moved it' };
  const resting = terms.quantity - open.filled;
  if (at.isDust(wanted) || (resting <= wanted && at.isSpeck(shares(wanted - resting)))) return null;
  return { kind: 'cancel', id: open.id, why: RESIZED };
}

/** Sells the rest after a trigger, once every other order of the exit has ended. */
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
  if (isTooLittle(state, left, at)) return leftOver(left);
  const since = state.trigger?.at ?? at.now;
  const isFresh = at.now < since + SLOW_MS;
  const quantity = at.sellable(left);
  const locked = shares(at.tradable(left) - quantity);
  const locking = at.isSpeck(locked) && !at.isDust(quantity) ? undefined : at.ownSell;
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

/** True for less than the venue's minimum, at the stop price too: a price near 0 may be false and must not end an exit. */
const isTooLittle = ({ stop }: SyntheticState, left: Shares, at: SyntheticInput): boolean =>
  at.isDust(left) && (stop === null || at.isDust(left, stop));

const restText = (left: Shares): string => `the rest of ${formatDecimal(left)} is less than the venue takes`;

const leftOver = (left: Shares): SyntheticAction => ({ kind: 'end', how: 'done', why: restText(left) });

/** Time from which the account must show the results of all orders: that of the latest end, or the given one. */
function lastEnd({ children }: SyntheticState, since: EpochMs): EpochMs {
  let last = since;
  for (const { ended } of children) if (ended && ended.at > last) last = ended.at;
  return last;
}

/** Waits while sending is blocked. The alarm is raised at once unless the block may clear with the next account read. */
const heldBack = (at: SyntheticInput, alarm: string, since: EpochMs): SyntheticAction =>
  at.isBlockPassing ? late(at, alarm, since) : soon(at, alarm);

/** Waits a moment; `alarm` is the reason. */
const soon = ({ now }: SyntheticInput, alarm?: string): SyntheticAction =>
  waitUntil(epochMs(now + AGAIN_MS), alarm);

/** Waits, and raises an alarm once 10 s have passed since the given time. */
function late(at: SyntheticInput, alarm: string, since: EpochMs): SyntheticAction {
  const slow = since + SLOW_MS;
  if (at.now >= slow) return soon(at, alarm);
  return waitUntil(epochMs(at.now < since ? slow : Math.min(at.now + AGAIN_MS, slow)));
}

const limitSell = (quantity: Shares, price: Price) =>
  ({ kind: 'limit', side: 'sell', quantity, price, goodTill: 'cancelled' }) as const;

/** Market sell; or, for a triggered stop with a worst price, a limit order for the session. */
function exitTerms({ order: { terms }, trigger }: SyntheticState, quantity: Shares) {
  const limit = 'limit' in terms && trigger?.cause === 'stop' ? terms.limit : null;
  return limit === null
    ? ({ kind: 'sell', quantity } as const)
    : ({ ...limitSell(quantity, limit), goodTill: 'day' } as const);
}
