import type { Session, TradingCalendar } from '../../calendar/index.ts';
import { price as asPrice, WAD, type Price } from '../../core/amount.ts';
import { MINUTE_MS, epochMs, type EpochMs } from '../../core/brand.ts';
import { INTERVAL_MS, isIntraday } from '../../domain/bar.ts';
import {
  childrenOf,
  filledBy,
  openChild,
  type Child,
  type EntryTerms,
  type HoldingTime,
  type SyntheticState,
  type SyntheticTerms,
} from '../../domain/orders/syntheticOrder.ts';
import { EXPIRED, expiryStep, WAIT, waitUntil, type SyntheticAction } from './action.ts';
import { endLegs, exitNext, stopTouched } from './exit.ts';
import { aboveAverage, belowAverage, belowBy } from './levels.ts';
import { enter } from './stopBuy.ts';
import { instantOf } from '../../strategy/sessionTime.ts';
import type { SyntheticInput } from './syntheticInput.ts';
import { afterOpenTime } from './workSpan.ts';

export type BracketTerms = Extract<SyntheticTerms, { kind: 'bracket' }>;

/** Next step of a bracket: first its entry, then the exits of the filled quantity. */
export function bracketNext(state: SyntheticState, at: SyntheticInput): SyntheticAction {
  const { terms } = state.order;
  if (terms.kind !== 'bracket') return WAIT;
  const entries = childrenOf(state, 'entry');
  if (entries.length === 0)
    return state.ending || state.trigger ? over(state, at) : entryNext(state, terms.entry, at);
  const levels = levelsOf(state, terms, at);
  if (levels) return levels;
  const entry = openChild(state, 'entry');
  if (filledBy(state, 'entry') > 0n) return overdue(state, entry, at) ?? exitNext(state, at);
  if (!entry) return over(state, at);
  if (state.ending) return endLegs(state, state.ending.why, at) ?? WAIT;
  if (state.trigger) return endLegs(state, STOPPED_BEFORE, at) ?? WAIT;
  return stopTouched(state, at) ?? overdue(state, entry, at) ?? waitUntil(state.order.expires);
}

/** Next step before the entry is sent. A stop entry waits for its trigger; its exits apply from then on. */
function entryNext(state: SyntheticState, entry: EntryTerms, at: SyntheticInput): SyntheticAction {
  const expired = expiryStep(state.order, at.now);
  if (expired) return expired;
  if (entry.kind !== 'stopBuy') return { kind: 'create', leg: 'entry', terms: entry, reason: 'entry' };
  const { price } = at;
  if (state.entered) return stopTouched(state, at) ?? enter(entry, at);
  if (price !== null && price >= entry.stop) return { kind: 'move', event: { kind: 'entered', price } };
  return waitUntil(state.order.expires);
}

/** Cancels an expired entry; shares filled before it ends stay protected. Null if nothing is to be cancelled. */
function overdue(
  { order: { expires } }: SyntheticState,
  entry: Child | undefined,
  at: SyntheticInput,
): SyntheticAction | null {
  if (!entry || expires === undefined || at.now < expires || at.isEnding(entry)) return null;
  return { kind: 'cancel', id: entry.id, why: EXPIRED };
}

const STOPPED_BEFORE = 'its stop was touched before it had filled';

/** End of a bracket whose entry has filled nothing. */
function over(state: SyntheticState, { now }: SyntheticInput): SyntheticAction {
  const { ending, trigger, order } = state;
  if (ending) return { kind: 'end', how: ending.how, why: ending.why };
  if (trigger) return { kind: 'end', how: 'cancelled', why: STOPPED_BEFORE };
  const last = childrenOf(state, 'entry').at(-1)?.ended;
  const hasExpired = last?.how !== 'dropped' && order.expires !== undefined && now >= order.expires;
  if (hasExpired) return { kind: 'end', how: 'expired', why: `${EXPIRED}, and its entry has filled nothing` };
  const how = last?.how === 'cancelled' ? 'cancelled' : 'dropped';
  return { kind: 'end', how, why: `its entry has filled nothing: ${last?.why ?? 'it was not sent'}` };
}

/** Moves the exit prices to match the average fill price so far; null if they already do. */
function levelsOf(state: SyntheticState, terms: BracketTerms, at: SyntheticInput): SyntheticAction | null {
  const average = averageEntry(state);
  if (average === null) return null;
  const takeProfit = terms.takeProfit && aboveAverage(average, terms.takeProfit);
  const second = terms.second ? aboveAverage(average, terms.second.takeProfit) : null;
  const stop = stopOf(state, terms, average);
  const exitAt = state.exitAt ?? holdingEnd(terms.exitAfter, at);
  const areInForce = takeProfit === state.takeProfit && second === state.secondTakeProfit;
  if (areInForce && stop === state.stop && exitAt === state.exitAt) return null;
  const mark = state.mark ?? asPrice(average - (state.dividends?.amount ?? 0n));
  const event = { kind: 'levels', takeProfit, stop, mark, exitAt } as const;
  return { kind: 'move', event: { ...event, ...(second === null ? {} : { secondTakeProfit: second }) } };
}

/** Time at which the fill became known, and the session of that fill (or the next one: it may become known late). */
type Purchase = Readonly<{ now: EpochMs; calendar: TradingCalendar; entrySession: Session }>;

/**
 * Time at which a position reaches its holding time. The clock starts when the fill is known, or at the close of its session if
 * earlier, because the venue does not give the time of a fill. Days are sessions: `{ days: 1 }` is the next open. Bars longer than
 * that end with their session, so the sale comes at the next open; shorter bars count only during sessions.
 */
function holdingEnd(time: HoldingTime | null, at: Purchase): EpochMs | null {
  if (time === null) return null;
  if ('until' in time) return time.until;
  if ('at' in time) return inSession(at.entrySession, time.at);
  const { calendar, entrySession } = at;
  const now = epochMs(Math.min(at.now, entrySession.close));
  if ('minutes' in time) return epochMs(now + time.minutes * MINUTE_MS);
  if ('days' in time) return sessionsLater(now, time.days, calendar);
  if (!isIntraday(time.interval))
    return sessionsLater(now, time.bars * (time.interval === '1w' ? 5 : 1), calendar);
  // A holding time that ends at a close is that close, not the next open.
  return epochMs(afterOpenTime(now, time.bars * INTERVAL_MS[time.interval] - 1, calendar) + 1);
}

/** Time of day within a session, at the latest one minute before its close: later, the sale would wait for the next open. */
const inSession = (session: Session, time: string): EpochMs =>
  epochMs(Math.min(instantOf(time, session) ?? Infinity, session.close - MINUTE_MS));

/** Open of a later session. */
function sessionsLater(now: EpochMs, count: number, calendar: TradingCalendar): EpochMs {
  let at = now;
  for (let passed = 0; passed < count; passed++) at = epochMs(calendar.nextSession(at).open);
  return at;
}

/** Stop of a bracket whose entry has filled. A trailing stop only rises, starting at the fixed stop if that is higher. */
export function stopOf(
  { mark, stop, dividends }: Pick<SyntheticState, 'mark' | 'stop' | 'dividends'>,
  { stopLoss }: BracketTerms,
  average: Price,
): Price | null {
  if (!stopLoss) return null;
  if (!('trail' in stopLoss)) return belowAverage(average, stopLoss);
  const paid = asPrice(average - (dividends?.amount ?? 0n));
  const trailed = belowBy(mark === null || paid > mark ? paid : mark, stopLoss.trail);
  const fixed = stopLoss.percent === undefined ? trailed : belowBy(average, { percent: stopLoss.percent });
  const least = fixed > trailed ? fixed : trailed;
  return stop !== null && stop > least ? stop : least;
}

/** Average price of the entry's fills, without fees; null before the first. */
export function averageEntry(state: SyntheticState): Price | null {
  let [filled, notional] = [0n, 0n];
  for (const child of childrenOf(state, 'entry')) {
    filled += child.filled;
    notional += child.notional;
  }
  return filled === 0n ? null : asPrice((notional * WAD) / filled);
}
