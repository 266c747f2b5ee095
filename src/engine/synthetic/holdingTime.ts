import type { Session } from '../../calendar/index.ts';
import { MINUTE_MS, epochMs, type EpochMs } from '../../core/brand.ts';
import { INTERVAL_MS, isIntraday } from '../../domain/bar.ts';
import type { HoldingTime } from '../../domain/orders/syntheticOrder.ts';
import { instantOf } from '../../strategy/sessionTime.ts';
import type { EngineContext } from '../state/engineContext.ts';

/** Instant at which its fill is known, and the session of that fill, or the one after it: it may have become known later. */
type Purchase = Readonly<{ now: EpochMs; calendar: EngineContext['calendar']; entrySession: Session }>;

/**
 * Instant at which a position has been held long enough: counted from when its fill is known, or from the close of its session where that
 * comes first, because nobody says when it was. Days are sessions: `{ days: 1 }` is the open of the next.
 * Longer bars end with their sessions, so that the sale comes with the next open; shorter ones count in sessions alone.
 */
export function holdingEnd(time: HoldingTime | null, at: Purchase): EpochMs | null {
  if (time === null) return null;
  if ('until' in time) return time.until;
  if ('at' in time) return inSession(at.entrySession, time.at);
  const { calendar, entrySession } = at;
  const now = epochMs(Math.min(at.now, entrySession.close));
  if ('minutes' in time) return epochMs(now + time.minutes * MINUTE_MS);
  if ('days' in time) return sessionsLater(now, time.days, calendar);
  if (!isIntraday(time.interval))
    return sessionsLater(now, time.bars * (time.interval === '1w' ? 5 : 1), calendar);
  return inSessions(now, time.bars * INTERVAL_MS[time.interval], calendar);
}

/** Instant of a time of a session. A minute before its close at the latest: after that it would be sold at the next open. */
const inSession = (session: Session, time: string): EpochMs =>
  epochMs(Math.min(instantOf(time, session) ?? Infinity, session.close - MINUTE_MS));

/** Open of a later session. */
function sessionsLater(now: EpochMs, count: number, calendar: Purchase['calendar']): EpochMs {
  let at = now;
  for (let passed = 0; passed < count; passed++) at = epochMs(calendar.nextSession(at).open);
  return at;
}

/** Instant after a time in ms that counts only while sessions are open. */
function inSessions(now: EpochMs, ms: number, calendar: Purchase['calendar']): EpochMs {
  let session = calendar.sessionAt(now) ?? calendar.nextSession(now);
  let from = Math.max(now, session.open);
  for (let left = ms; ;) {
    if (from + left <= session.close) return epochMs(from + left);
    left -= session.close - from;
    session = calendar.nextSession(epochMs(session.close));
    from = session.open;
  }
}
