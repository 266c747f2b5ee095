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

/** Minimum lifetime in ms of a slice sent late in its interval. */
const LIFE_MS = 60_000;
/** Largest slice, as a multiple of an even part: what a pause or a lost slice left out is not caught up in one burst. */
const BURST_MAX = 2n;

/**
 * Next step of a working order. At most one slice is under way: it has ended, with known fills, before the next is sent.
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

/** Text such as `bought 60 of 100, 40 missing`. A remainder below one step cannot be ordered, and is not missing. */
function doneText({ terms, left }: Work): string {
  const whole = wholeOf(terms);
  const [text, unit, step] =
    'quantity' in terms.total ? [sharesText, '', SHARE_STEP] : [moneyText, ' mUSD', stepOf(2)];
  const done = `${terms.side === 'buy' ? 'bought' : 'sold'} ${text(whole - left)} of ${text(whole)}${unit}`;
  return left < step ? done : `${done}, ${text(left)} missing`;
}

/** Next step of a TWAP order: equal slices over the time; missed quantity is spread over the remaining slices. */
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

/** Next step of a limit order that follows the price: the remainder is placed again once the previous order has ended. */
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

/** Earliest time of the next reprice; later after an order that filled nothing. */
function nextPrice({ children, order }: SyntheticState, everyMs: number): EpochMs {
  const last = children.at(-1);
  if (!last) return order.at;
  const next = last.createdAt + everyMs;
  return epochMs(last.ended?.how === 'dropped' ? Math.max(next, last.ended.at + PAUSE_MS) : next);
}

/** Cap on the catch-up after one bar, as a multiple of its allowed share: missed volume is not traded in one burst. */
const BURST_BARS = 2n;

/** Next step of an order that takes a share of the volume: at most one slice per finished bar. */
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

/** Converts shares to the unit of the order: shares, or mUSD. */
function amountOf({ terms: { total } }: Work, quantity: Shares, price: Price): bigint {
  if (quantity <= 0n) return 0n;
  return 'notional' in total ? (quantity * price) / 10n ** 18n : quantity;
}

/** Updates the allowed shares with the bars finished since the last check; null if there are none. */
function volumeEvent({ state, terms }: Work, at: SyntheticInput): SyntheticEvent | null {
  if (terms.style.kind !== 'pov') return null;
  const { share, interval } = terms.style;
  const since = state.volume?.until ?? terms.from;
  const bars = at.barsSince(interval, since).filter(({ start }) => start >= terms.from);
  const last = bars.at(-1);
  if (!last) return null;
  const filled = filledBy(state, 'slice');
  let allowed = state.volume?.allowed ?? filled;
  // Volume that traded while sending was blocked is not made up for.
  if (at.pausedFor(terms.side) === null)
    for (const bar of bars) allowed = withBar({ allowed, filled }, shareOf(bar, share), at.price);
  return { kind: 'volume', allowed, until: barEnd(last, at.calendar) };
}

const shareOf = ({ volume }: Bar, share: number): Shares => shares(wadFromNumber(volume * share));

/** Allowed shares with one more bar: at most twice its share (or the venue's minimum, if larger) above the filled ones. */
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
