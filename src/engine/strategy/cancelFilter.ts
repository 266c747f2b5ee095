import type { OrderIntent } from '../../domain/orders/orderIntent.ts';
import { filledBy, type SyntheticState } from '../../domain/orders/syntheticOrder.ts';
import type { Orders } from '../../strategy/contract.ts';
import { sideOf } from '../intents/sizing.ts';
import type { EngineContext } from '../state/engineContext.ts';

/** Orders that a call of `order.cancel` names. */
export type Filter = Parameters<Orders['cancel']>[0];

/** True for an intent that a filter names; an id also names what is to take the place of its order. */
export function isNamed(context: EngineContext, intent: OrderIntent, which: Filter): boolean {
  if (typeof which === 'string')
    return intent.id === which || context.accountState.filledByIntent.openSuccessorOf(which) === intent.id;
  return (
    (which.symbol === undefined || intent.symbol === which.symbol) &&
    (which.side === undefined || sideOf(context, intent) === which.side)
  );
}

/** True for an order that a filter names. A bracket is a buy while its entry may buy, and a sell once that has bought. */
export function isMeant(state: SyntheticState, which: Filter): boolean {
  const { id, symbol, terms } = state.order;
  if (typeof which === 'string') return id === which;
  if (which.symbol !== undefined && symbol !== which.symbol) return false;
  if (which.side === undefined) return true;
  if (terms.kind === 'work') return terms.side === which.side;
  if (which.side === 'buy') return terms.kind === 'bracket' || terms.kind === 'stopBuy';
  return terms.kind !== 'stopBuy' && (terms.kind !== 'bracket' || filledBy(state, 'entry') > 0n);
}
