import { epochMs } from '../../core/brand.ts';
import { formatDecimal, price as asPrice, roundTo, type Price } from '../../core/amount.ts';
import {
  childrenOf,
  filledBy,
  type Child,
  type StopBuyTerms,
  type SyntheticState,
} from '../../domain/orders/syntheticOrder.ts';
import { above } from '../state/exposure.ts';
import { endLegs } from './exit.ts';
import { expiryStep, WAIT, waitUntil, type SyntheticAction } from './action.ts';
import type { SyntheticInput } from './syntheticInput.ts';
import { tickOf } from '../../domain/instrument.ts';

/** Pause in ms before a blocked order is tried again. */
const AGAIN_MS = 5_000;

/**
 * Next step of a stop buy. Its order is a limit at the stop price plus the collar, or at the limit given: if the price
 * has jumped beyond that, nothing fills, and the order rests for the remainder of the session.
 */
export function stopBuyNext(state: SyntheticState, at: SyntheticInput): SyntheticAction {
  const { terms, expires } = state.order;
  if (terms.kind !== 'stopBuy') return WAIT;
  const last = childrenOf(state, 'entry').at(-1);
  if (last?.ended) return over(state, last);
  const expired = state.ending ? null : expiryStep(state.order, at.now);
  if (expired) return expired;
  if (last) return (state.ending && endLegs(state, state.ending.why, at)) ?? waitUntil(expires);
  if (state.ending) return { kind: 'end', how: state.ending.how, why: state.ending.why };
  if (state.trigger) return enter(terms, at);
  const { price } = at;
  if (price !== null && price >= terms.stop)
    return { kind: 'move', event: { kind: 'triggered', cause: 'stop', price } };
  return waitUntil(expires);
}

/** Order of a triggered stop, or a wait while sending is blocked. */
export function enter(terms: StopBuyTerms, at: SyntheticInput): SyntheticAction {
  if (at.blocked === null) return entryOf(terms, at);
  return waitUntil(epochMs(at.now + AGAIN_MS), `its stop was touched, and it cannot buy: ${at.blocked}`);
}

/** End of a stop buy whose order has ended. */
function over(state: SyntheticState, { ended }: Child): SyntheticAction {
  const filled = filledBy(state, 'entry');
  if (filled > 0n) return { kind: 'end', how: 'done', why: `bought ${formatDecimal(filled)}` };
  const why = state.ending?.why ?? ended?.why ?? '';
  const how = state.ending?.how ?? (ended?.how === 'done' ? 'expired' : (ended?.how ?? 'cancelled'));
  return { kind: 'end', how, why: `its order has bought nothing: ${why}` };
}

function entryOf({ quantity, stop, limit }: StopBuyTerms, { rules, price }: SyntheticInput): SyntheticAction {
  const reason = 'stop';
  if (limit === null && rules.plainExchange)
    return { kind: 'create', leg: 'entry', terms: { kind: 'buyShares', quantity }, reason };
  const most = limit ?? ceilingOf(stop, rules.collarBps);
  const text =
    price !== null && price > most
      ? `${reason}: the price of ${formatDecimal(price)} has jumped beyond its ${limit === null ? 'collar' : 'limit'} of ` +
        `${formatDecimal(most)}: it rests there for this session, and may stay unfilled`
      : reason;
  const terms = { kind: 'limit', side: 'buy', quantity, price: most, goodTill: 'day' } as const;
  return { kind: 'create', leg: 'entry', terms, reason: text };
}

function ceilingOf(stop: Price, collarBps: number): Price {
  const dearest = above(stop, collarBps);
  return asPrice(roundTo(dearest, tickOf(dearest), 'down'));
}
