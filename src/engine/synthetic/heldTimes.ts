import { epochMs, type EpochMs } from '../../core/brand.ts';
import { InvalidValueError } from '../../core/errors.ts';
import { QUOTE_PHASES } from '../../domain/instrument.ts';
import type { SyntheticOrder } from '../../domain/orders/syntheticOrder.ts';
import type { HeldTiming } from '../../strategy/contract.ts';
import { instantOf } from '../../strategy/sessionTime.ts';
import { AT, GOOD_TILL, oneOf } from '../intents/terms.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { nextOpen } from '../state/market.ts';

const MINUTE_MS = 60_000;
const TAG_MAX = 100;

type Times = Pick<SyntheticOrder, 'notBefore' | 'expires' | 'phases' | 'tag'>;

/** Instants, phases and tag of an order that the runner holds. @throws {InvalidValueError} for a form that is none of theirs */
export function heldTimes(timing: HeldTiming, context: EngineContext): Times {
  const { at = 'now', goodTill = 'cancelled', expires, phases, tag } = timing;
  const notBefore = oneOf(AT, at, 'at') === 'open' ? nextOpen(context) : context.now;
  const isForDay = oneOf(GOOD_TILL, goodTill, 'goodTill') === 'day';
  if (isForDay && expires !== undefined)
    throw new InvalidValueError('expires of an order: give it, or goodTill "day", not both');
  const end = isForDay ? 'close' : expires;
  return {
    notBefore,
    ...(end === undefined ? {} : { expires: expiryOf(end, context) }),
    ...(phases === undefined ? {} : { phases: phases.map((phase) => oneOf(QUOTE_PHASES, phase, 'phases')) }),
    ...(tag === undefined ? {} : { tag: tagOf(tag) }),
  };
}

/** Instant of a time of the present session, or of the next when that has passed or none is open; or minutes from now. */
export function expiryOf(
  expires: NonNullable<HeldTiming['expires']>,
  { now, session, calendar }: EngineContext,
): EpochMs {
  if (typeof expires === 'object') {
    if (expires.minutes > 0) return epochMs(now + expires.minutes * MINUTE_MS);
    throw new InvalidValueError(
      `expires of an order: ${JSON.stringify(expires.minutes)} minutes are not above 0`,
    );
  }
  const today = session && instantOf(expires, session);
  if (today && today > now) return today;
  for (let next = calendar.nextSession(now); ; next = calendar.nextSession(epochMs(next.close))) {
    const at = instantOf(expires, next);
    if (at !== null) return at;
  }
}

/** @throws {InvalidValueError} for anything but a short text */
export function tagOf(tag: unknown): string {
  if (typeof tag === 'string' && tag.length > 0 && tag.length <= TAG_MAX) return tag;
  throw new InvalidValueError(
    `tag of an order: ${JSON.stringify(tag)} is not a text of 1 to ${TAG_MAX} characters`,
  );
}
