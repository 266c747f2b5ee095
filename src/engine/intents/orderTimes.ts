import { GOOD_TILL, oneOf, tagOf } from './terms.ts';
import type { SyntheticOrder } from '../../domain/orders/syntheticOrder.ts';
import { QUOTE_PHASES } from '../../domain/instrument.ts';
import type { Session } from '../../calendar/index.ts';
import { MINUTE_MS, epochMs, type EpochMs } from '../../core/brand.ts';
import { InvalidValueError } from '../../core/errors.ts';
import type { HeldTiming, SessionTime } from '../../strategy/orderTerms.ts';
import { instantOf, readSessionTime, SESSION_TIME_FORMS } from '../../strategy/sessionTime.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { refuse } from './refusal.ts';

/** Maximum number of minutes in a span: a year. */
export const MINUTES_MAX = 525_600;

/** Number of sessions after which a session time counts as never reached. */
const SESSIONS_MAX = 300;

/** The current time, and the sessions around it. */
type Now = Pick<EngineContext, 'now' | 'calendar'>;

const EXPIRES = 'expires of an order';

/** Earliest send time of an order, as an author writes it. */
type At = Exclude<HeldTiming['at'], undefined>;
/** Expiry of an order, as an author writes it. */
export type Expiry = Exclude<HeldTiming['expires'], undefined>;

/**
 * Earliest time of an order: now, or the next occurrence of a session time.
 * @throws {InvalidValueError} if malformed. @throws {OrderRefusal} for the close itself, when nothing is sent any more
 */
export function startOf(at: At, context: Now): EpochMs {
  if (at === 'now') return context.now;
  if (at === 'open') return epochMs(context.calendar.nextSession(context.now).open);
  const { instant, session } = timeAfter({ time: at, what: 'at of an order' }, context.now, context);
  if (instant < session.close) return instant;
  return refuse(
    'OUT_OF_RANGE',
    `at of an order: nothing is sent at the close itself. Write a time before it, such as "close-5m", not ${JSON.stringify(at)}`,
  );
}

/**
 * Time from which an order is no longer sent, and its resting order is cancelled: minutes after its start, or the next
 * occurrence of a session time after that. @throws {InvalidValueError} for a malformed value
 */
export function expiryOf(expires: Expiry, from: EpochMs, context: Now): EpochMs {
  return typeof expires === 'string'
    ? timeAfter({ time: expires, what: EXPIRES }, from, context).instant
    : minutesAfter(expires, from, EXPIRES);
}

/** Time a number of minutes after another. @throws {OrderRefusal} if not above 0. @throws {InvalidValueError} if malformed */
export function minutesAfter(span: unknown, from: EpochMs, what: string): EpochMs {
  const minutes: unknown =
    typeof span === 'object' && span !== null && 'minutes' in span ? span.minutes : undefined;
  if (typeof minutes !== 'number')
    throw new InvalidValueError(
      `${what}: ${JSON.stringify(span)} is neither { minutes } above 0 nor a time of a session`,
    );
  if (minutes > 0 && minutes <= MINUTES_MAX) return epochMs(from + Math.ceil(minutes * MINUTE_MS));
  return refuse('OUT_OF_RANGE', `${what}: { minutes: ${minutes} } is not above 0 and up to ${MINUTES_MAX}`);
}

/** @throws {OrderRefusal} for a text that is not a session time. @throws {InvalidValueError} for any other value, naming `what` it is of */
export function requireTime(time: unknown, what: string): asserts time is SessionTime {
  const text = `${what}: ${JSON.stringify(time)} is not a time of a session: write ${SESSION_TIME_FORMS}`;
  if (typeof time !== 'string') throw new InvalidValueError(text);
  if (readSessionTime(time) === null) refuse('OUT_OF_RANGE', text);
}

/**
 * Next occurrence of a session time. Sessions that do not reach it, such as ones that close early, are skipped.
 * @throws {OrderRefusal} if no session ahead reaches it, and as `requireTime` does
 */
function timeAfter(
  { time, what }: Readonly<{ time: SessionTime; what: string }>,
  from: EpochMs,
  { calendar }: Now,
): Readonly<{ instant: EpochMs; session: Session }> {
  requireTime(time, what);
  let session = calendar.sessionAt(from) ?? calendar.nextSession(from);
  for (let passed = 0; passed < SESSIONS_MAX; passed++) {
    const instant = instantOf(time, session);
    if (instant !== null && instant > from) return { instant, session };
    session = calendar.nextSession(epochMs(session.close));
  }
  return refuse('OUT_OF_RANGE', `${what}: ${JSON.stringify(time)} is no time that the sessions ahead reach`);
}

type Times = Pick<SyntheticOrder, 'notBefore' | 'expires' | 'phases' | 'tag'>;

/** Times, phases and tag of a synthetic order. @throws {InvalidValueError} for a malformed value */
export function heldTimes(timing: HeldTiming, context: EngineContext): Times {
  const { at = 'now', goodTill = 'cancelled', expires, phases, tag } = timing;
  const notBefore = startOf(at, context);
  const isForDay = oneOf(GOOD_TILL, goodTill, 'goodTill') === 'day';
  if (isForDay && expires !== undefined)
    throw new InvalidValueError('expires of an order: give it, or goodTill "day", not both');
  const end = isForDay ? 'close' : expires;
  return {
    notBefore,
    ...(end === undefined ? {} : { expires: expiryOf(end, notBefore, context) }),
    ...(phases === undefined ? {} : { phases: phases.map((phase) => oneOf(QUOTE_PHASES, phase, 'phases')) }),
    ...tagOf(tag),
  };
}
