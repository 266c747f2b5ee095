import { shares, sharesFor, stepOf, wadFromNumber, type Price, type Shares } from '../../core/amount.ts';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import { moneyText, sharesText } from '../../domain/amountText.ts';
import { INTERVAL_MS, type Bar } from '../../domain/bar.ts';
import { MIN_NOTIONAL, SHARE_STEP } from '../../domain/fees.ts';
import {
  filledBy,
  openChild,
  type SyntheticEvent,
  type SyntheticState,
  type Child,
} from '../../domain/orders/syntheticOrder.ts';
import { barEnd } from '../../market/series.ts';
import { earliest, WAIT, waitUntil, type SyntheticAction } from './action.ts';
import type { SyntheticInput } from './syntheticInput.ts';
import {
  createSlice,
  isTooSmall,
  leftToWork,
  nextOpening,
  priceToWork,
  wasTried,
  wholeOf,
  type Work,
  followingPrice,
  restAt,
} from './workSlice.ts';
import { slotAt, type Slot } from './workSpan.ts';

/** Shortest life in ms of a slice that is sent late in its part of the time. */
const LIFE_MS = 60_000;
/** Maximum that a slice may be, in even parts: what a pause or a lost slice has left out is not caught up in one burst. */
const BURST_MAX = 2n;

/**
 * Next step of a working order. At most one slice of it is under way: it has ended, and its fills are known, before the next leaves.
 */
export function workNext(state: SyntheticState, at: SyntheticInput): SyntheticAction {
  const { terms, expires } = state.order;
  if (terms.kind !== 'work') return WAIT;
  const until = earliest(terms.until, expires) ?? terms.until;
  const work: Work = { state, terms, left: leftToWork(state, terms), until };
  const open = openChild(state, 'slice');
  const end = endOf(work, at);
  if (end && open) return at.isEnding(open) ? WAIT : { kind: 'cancel', id: open.id, why: end.why };
  if (end) return { kind: 'end', how: end.how, why: `${doneText(work)}: ${end.why}` };
  if (terms.style.kind === 'pov') return povNext(work, open, at);
  if (terms.style.kind === 'chase') return chaseNext(work, open, at);
  return open ? waitUntil(until) : twapNext(work, terms.style.parts, at);
}

type End = Readonly<{ how: 'done' | 'cancelled' | 'expired'; why: string }>;

/** End of a working order; null while it continues. */
function endOf({ state, terms, left, until }: Work, at: SyntheticInput): End | null {
  if (left === 0n) return { how: 'done', why: 'nothing is left' };
  if (state.ending) return state.ending;
  if (at.now >= until) return { how: 'expired', why: 'its time is over' };
  if (terms.side === 'sell' && at.heldShares === 0n)
    return { how: 'cancelled', why: 'nothing is held any more' };
  const { price } = at;
  if (price === null || openChild(state, 'slice') || !isTooSmall(terms, { amount: left, price }, at))
    return null;
  return { how: 'done', why: 'the rest is less than the venue takes' };
}

/** Text such as `bought 60 of 100, 40 missing`. A rest that is less than a step cannot be ordered, and is not missing. */
function doneText({ terms, left }: Work): string {
  const whole = wholeOf(terms);
  const [text, unit, step] =
    'quantity' in terms.total ? [sharesText, '', SHARE_STEP] : [moneyText, ' mUSD', stepOf(2)];
  const done = `${terms.side === 'buy' ? 'bought' : 'sold'} ${text(whole - left)} of ${text(whole)}${unit}`;
  return left < step ? done : `${done}, ${text(left)} missing`;
}

/** Equal parts over the time: what was missed is spread over the parts that are left. */
function twapNext(work: Work, parts: number, at: SyntheticInput): SyntheticAction {
  const { state, terms, until } = work;
  const opens = nextOpening(at);
  if (opens !== null) return waitUntil(earliest(opens, until));
  const slot = slotAt(at.now, { from: terms.from, until: terms.until, parts }, at.calendar);
  const wait = waitUntil(earliest(slot.end, until));
  const price = priceToWork(work, at);
  if (price === null || wasTried(state.children, slot.start)) return wait;
  const left = BigInt(parts - slot.index);
  const [share, most] = [work.left / left, (BURST_MAX * wholeOf(terms)) / BigInt(parts)];
  const amount = share < most ? share : most;
  const reason = `part ${slot.index + 1} of ${parts}`;
  return createSlice(terms, { amount, price, reason, expires: lifeIn(slot, at.now) }, at) ?? wait;
}

const lifeIn = ({ end, ms }: Slot, now: EpochMs): EpochMs =>
  epochMs(Math.max(end, now + Math.min(ms, LIFE_MS)));

/** Pause in ms after an order that was not sent, or that the venue has rejected. */
const PAUSE_MS = 60_000;

/** Next step of a limit order that follows the price: what is left of it is placed again once the old one has ended. */
function chaseNext(work: Work, open: Child | undefined, at: SyntheticInput): SyntheticAction {
  const { state, terms, left, until } = work;
  const opens = nextOpening(at);
  if (opens !== null) return waitUntil(earliest(opens, until));
  const { price, now } = at;
  const again = nextPrice(state, everyOf(work));
  const paused = at.pausedFor(terms.side);
  if (price === null || paused !== null) return waitUntil(earliest(until, epochMs(now + everyOf(work))));
  const wanted = followingPrice(terms, price);
  if (open) {
    const resting = at.intentOf(open)?.terms;
    if (resting?.kind !== 'limit' || resting.price === wanted || at.isEnding(open)) return waitUntil(until);
    if (now < again) return waitUntil(earliest(again, until));
    return { kind: 'cancel', id: open.id, why: 'the price has moved' };
  }
  if (now < again) return waitUntil(earliest(again, until));
  const order = restAt(terms, { amount: left, price: wanted }, at);
  if (!order) return waitUntil(until);
  return { kind: 'create', leg: 'slice', terms: order, reason: 'follows the price', expires: until };
}

const everyOf = ({ terms }: Work): number => (terms.style.kind === 'chase' ? terms.style.everyMs : PAUSE_MS);

/** Earliest time of the next price; later after an order that came to nothing. */
function nextPrice({ children, order }: SyntheticState, everyMs: number): EpochMs {
  const last = children.at(-1);
  if (!last) return order.at;
  const next = last.createdAt + everyMs;
  return epochMs(last.ended?.how === 'dropped' ? Math.max(next, last.ended.at + PAUSE_MS) : next);
}

/** Most of a bar's share that is traded on it, with what was missed before: it is not caught up in one burst. */
const BURST_BARS = 2n;

/** Next step of an order that is a share of the volume: one slice for each finished bar at most. */
function povNext(work: Work, open: Child | undefined, at: SyntheticInput): SyntheticAction {
  const { state, terms, left, until } = work;
  const event = volumeEvent(work, at);
  if (event) return { kind: 'move', event };
  const price = priceToWork(work, at);
  const { volume } = state;
  if (open || price === null || !volume || terms.style.kind !== 'pov' || !at.session) return waitUntil(until);
  if (wasTried(state.children, volume.until)) return waitUntil(until);
  const allowed = amountOf(work, shares(volume.allowed - filledBy(state, 'slice')), price);
  const { share, interval } = terms.style;
  const slice = {
    amount: allowed < left ? allowed : left,
    price,
    reason: `${Number((share * 100).toFixed(2))} % of the volume`,
    expires: epochMs(at.now + INTERVAL_MS[interval]),
  };
  return createSlice(terms, slice, at) ?? waitUntil(until);
}

/** A number of shares in the unit of the order: shares, or mUSD. */
function amountOf({ terms: { total } }: Work, quantity: Shares, price: Price): bigint {
  if (quantity <= 0n) return 0n;
  return 'notional' in total ? (quantity * price) / 10n ** 18n : quantity;
}

/** Shares that the bars finished since the last look allow; null for none. */
function volumeEvent({ state, terms }: Work, at: SyntheticInput): SyntheticEvent | null {
  if (terms.style.kind !== 'pov') return null;
  const { share, interval } = terms.style;
  const since = state.volume?.until ?? terms.from;
  const bars = at.barsSince(interval, since).filter(({ start }) => start >= terms.from);
  const last = bars.at(-1);
  if (!last) return null;
  const filled = filledBy(state, 'slice');
  let allowed = state.volume?.allowed ?? filled;
  // What was traded while nothing could be sent is not made up for.
  if (at.pausedFor(terms.side) === null)
    for (const bar of bars) allowed = withBar({ allowed, filled }, shareOf(bar, share), at.price);
  return { kind: 'volume', allowed, until: barEnd(last, at.calendar) };
}

const shareOf = ({ volume }: Bar, share: number): Shares => shares(wadFromNumber(volume * share));

/** Shares that are allowed once a bar counts: never more above what has filled than twice its share, or twice the venue's minimum. */
function withBar(
  { allowed, filled }: Readonly<{ allowed: Shares; filled: Shares }>,
  share: Shares,
  price: Price | null,
): Shares {
  const smallest = price === null ? 0n : sharesFor(MIN_NOTIONAL, price, 'up');
  const most = filled + BURST_BARS * (share > smallest ? share : smallest);
  const sum = allowed + share;
  return shares(sum < most ? sum : most);
}
