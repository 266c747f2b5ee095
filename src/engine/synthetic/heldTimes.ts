import { InvalidValueError } from '../../core/errors.ts';
import { QUOTE_PHASES } from '../../domain/instrument.ts';
import type { SyntheticOrder } from '../../domain/orders/syntheticOrder.ts';
import type { HeldTiming } from '../../strategy/orderTerms.ts';
import { expiryOf, startOf } from '../intents/orderTimes.ts';
import { GOOD_TILL, oneOf, tagOf } from '../intents/terms.ts';
import type { EngineContext } from '../state/engineContext.ts';

type Times = Pick<SyntheticOrder, 'notBefore' | 'expires' | 'phases' | 'tag'>;

/** Instants, phases and tag of an order that the runner holds. @throws {InvalidValueError} for a form that is none of theirs */
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
