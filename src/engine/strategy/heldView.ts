import { toNumber, type Price } from '../../core/amount.ts';
import type { EndCode } from '../../domain/orders/endCode.ts';
import type { SyntheticJournalEvent } from '../../domain/orders/syntheticBook.ts';
import {
  buyStopOf,
  filledBy,
  soldBy,
  type SyntheticEnd,
  type SyntheticState,
} from '../../domain/orders/syntheticOrder.ts';
import type { OrderStatus, OrderView } from '../../strategy/contract.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { leftToSell } from '../synthetic/exit.ts';
import { SyntheticInput } from '../synthetic/syntheticInput.ts';

/** Change of a synthetic order, as reported. */
type HeldChange = Readonly<{ status: OrderStatus; code: EndCode | null; why: string | null }>;

const STATUS: Readonly<Record<SyntheticEnd, OrderStatus>> = {
  done: 'filled',
  cancelled: 'cancelled',
  expired: 'expired',
  dropped: 'dropped',
};
const CODE: Readonly<Record<SyntheticEnd, EndCode>> = {
  done: 'FILLED',
  cancelled: 'CANCELLED',
  expired: 'EXPIRED',
  dropped: 'NOT_SENT',
};

/** Report of a step of a synthetic order: it was triggered, or has ended. */
export function heldUpdate(
  context: EngineContext,
  before: SyntheticState,
  fact: SyntheticJournalEvent,
): OrderView {
  const state = context.accountState.synthetics.live.get(before.order.id) ?? before;
  return heldView(context, state, fact.kind === 'syntheticEnded' ? heldEnd(fact.how, fact.why) : undefined);
}

const heldEnd = (how: SyntheticEnd, why: string): HeldChange => ({
  status: STATUS[how],
  code: CODE[how],
  why,
});

/** A synthetic order as its strategy sees it: once, with the id that its call returned, whatever its children do. */
export function heldView(context: EngineContext, state: SyntheticState, change?: HeldChange): OrderView {
  const { id, symbol, reason, tag, terms } = state.order;
  const limit = limitOf(state);
  return {
    id,
    leg: null,
    symbol,
    side: isBuying(state) ? 'buy' : 'sell',
    type: limit === null ? 'market' : 'limit',
    shares: sharesOf(context, state),
    notional: notionalOf(state),
    price: limit,
    stop: numberOf(buyStopOf(state) ?? state.stop ?? ('stop' in terms ? terms.stop : null)),
    status: change?.status ?? statusOf(state),
    filled: toNumber((isBuying(state) ? filledBy(state, 'entry') : soldBy(state)) + filledBy(state, 'slice')),
    reason,
    tag: tag ?? null,
    code: change?.code ?? null,
    why: change?.why ?? null,
  };
}

const numberOf = (price: Price | null): number | null => (price === null ? null : toNumber(price));

/** True until the entry of a bracket has filled, and for orders that only buy. */
function isBuying(state: SyntheticState): boolean {
  const { terms } = state.order;
  if (terms.kind === 'bracket') return filledBy(state, 'entry') === 0n;
  return terms.kind === 'stopBuy' || (terms.kind === 'work' && terms.side === 'buy');
}

/** `armed`: it waits for its price or time. A bracket that has bought nothing yet, and a working order, are `working`. */
function statusOf(state: SyntheticState): OrderStatus {
  if (state.ending) return 'cancelling';
  if (state.trigger) return 'triggered';
  const { kind } = state.order.terms;
  if (buyStopOf(state) !== null) return 'armed';
  return kind === 'work' || (kind === 'bracket' && isBuying(state)) ? 'working' : 'armed';
}

function limitOf({ order: { terms } }: SyntheticState): number | null {
  if (terms.kind === 'bracket') {
    if (terms.entry.kind === 'stopBuy') return numberOf(terms.entry.limit);
    return terms.entry.kind === 'limit' ? toNumber(terms.entry.price) : null;
  }
  return 'limit' in terms ? numberOf(terms.limit) : null;
}

/** Total shares of an order (of an exit: those sold plus those left); null for a buy by notional. */
function sharesOf(context: EngineContext, state: SyntheticState): number | null {
  const { terms } = state.order;
  if (terms.kind === 'work') return 'quantity' in terms.total ? toNumber(terms.total.quantity) : null;
  if (terms.kind === 'stopBuy') return toNumber(terms.quantity);
  if (terms.kind === 'bracket' && isBuying(state))
    return 'quantity' in terms.entry ? toNumber(terms.entry.quantity) : null;
  const left = leftToSell(state, new SyntheticInput(context, state));
  return toNumber(left + soldBy(state));
}

function notionalOf(state: SyntheticState): number | null {
  const { terms } = state.order;
  if (terms.kind === 'work') return 'notional' in terms.total ? toNumber(terms.total.notional) : null;
  return terms.kind === 'bracket' && isBuying(state) && 'notional' in terms.entry
    ? toNumber(terms.entry.notional)
    : null;
}
