import { shares, sharesFor, wadFromNumber, type Price, type Shares } from '../../core/amount.ts';
import { epochMs } from '../../core/brand.ts';
import { INTERVAL_MS, type Bar } from '../../domain/bar.ts';
import { MIN_NOTIONAL } from '../../domain/fees.ts';
import { filledBy, type Child, type SyntheticEvent } from '../../domain/orders/syntheticOrder.ts';
import { barEnd } from '../../market/series.ts';
import { waitUntil, type SyntheticAction } from './action.ts';
import type { SyntheticInput } from './syntheticInput.ts';
import { createSlice, priceToWork, wasTried, type Work } from './workSlice.ts';

/** Maximum part of a bar's share that is traded on it, with what was missed before: it is not caught up in one burst. */
const BURST_MAX = 2n;

/** Next step of an order that is a share of the volume: one slice for each finished bar at most. */
export function povNext(work: Work, open: Child | undefined, at: SyntheticInput): SyntheticAction {
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
  const most = filled + BURST_MAX * (share > smallest ? share : smallest);
  const sum = allowed + share;
  return shares(sum < most ? sum : most);
}
