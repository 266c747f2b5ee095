import { epochMs, type EpochMs } from '../../core/brand.ts';
import type { Child, SyntheticState } from '../../domain/orders/syntheticOrder.ts';
import { earliest, waitUntil, type SyntheticAction } from './action.ts';
import type { SyntheticInput } from './syntheticInput.ts';
import { followingPrice, nextOpening, restAt, type Work } from './workSlice.ts';

/** Pause in ms after an order that was not sent, or that the venue has rejected. */
const PAUSE_MS = 60_000;

/** Next step of a limit order that follows the price: what is left of it is placed again once the old one has ended. */
export function chaseNext(work: Work, open: Child | undefined, at: SyntheticInput): SyntheticAction {
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
