import { formatDecimal, price as asPrice, roundTo, shares, type Price } from '../../core/amount.ts';
import { tickOf } from '../../domain/fees.ts';
import type { IntentTerms } from '../../domain/orders/orderIntent.ts';
import { childrenOf, filledBy, openChild, type SyntheticState } from '../../domain/orders/syntheticOrder.ts';
import { above } from '../state/exposure.ts';
import { WAIT, waitUntil, type SyntheticAction } from './action.ts';
import type { SyntheticInput } from './syntheticInput.ts';

/**
 * Next step of a stop that buys. Its order is a limit at the stop's price plus the collar, or at its own limit: a price that has
 * jumped beyond that fills nothing, and the order rests for the rest of the session.
 */
export function stopBuyNext(state: SyntheticState, at: SyntheticInput): SyntheticAction {
  const { terms, expires } = state.order;
  if (terms.kind !== 'stopBuy') return WAIT;
  const open = openChild(state, 'entry');
  if (open) return state.ending && !at.isCancelling(open) ? cancelled(open.id, state.ending.why) : WAIT;
  const last = childrenOf(state, 'entry').at(-1)?.ended;
  const filled = filledBy(state, 'entry');
  if (last && filled > 0n) return { kind: 'end', how: 'done', why: `bought ${formatDecimal(filled)}` };
  if (last) return { kind: 'end', how: last.how === 'cancelled' ? 'cancelled' : 'dropped', why: last.why };
  if (state.ending) return { kind: 'end', how: state.ending.how, why: state.ending.why };
  const { price, now } = at;
  if (state.trigger) {
    if (at.blocked !== null) return waitUntil(null, `its stop was touched, and it cannot buy: ${at.blocked}`);
    return { kind: 'create', leg: 'entry', terms: buyTerms(terms, at), reason: 'stop' };
  }
  if (price !== null && price >= terms.stop)
    return { kind: 'move', event: { kind: 'triggered', cause: 'stop', price } };
  if (expires !== undefined && now >= expires)
    return { kind: 'move', event: { kind: 'ending', how: 'expired', why: 'it has expired' } };
  return waitUntil(expires);
}

const cancelled = (id: string, why: string): SyntheticAction => ({ kind: 'cancel', id, why });

type StopBuy = Extract<SyntheticState['order']['terms'], { kind: 'stopBuy' }>;

function buyTerms({ quantity, stop, limit }: StopBuy, { rules }: SyntheticInput): IntentTerms {
  if (limit === null && rules.plainExchange) return { kind: 'buyShares', quantity: shares(quantity) };
  return {
    kind: 'limit',
    side: 'buy',
    quantity,
    price: limit ?? ceilingOf(stop, rules.collarBps),
    goodTill: 'day',
  };
}

function ceilingOf(stop: Price, collarBps: number): Price {
  const dearest = above(stop, collarBps);
  return asPrice(roundTo(dearest, tickOf(dearest), 'down'));
}
