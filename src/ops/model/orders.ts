import { decimalsOf, formatDecimal } from '../../core/amount.ts';
import { toIso, type EpochMs } from '../../core/brand.ts';
import { describeIntent, describeTerms } from '../../domain/describe.ts';
import { filledOf, txHashOf, type Order, type OrderId } from '../../domain/orders/order.ts';
import type { OrderIntent } from '../../domain/orders/orderIntent.ts';
import type { EngineContext } from '../../engine/state/engineContext.ts';
import type { EndedOrderView, FillView, OpenOrderView, WaitingIntentView } from './status.ts';

/** Open orders, oldest first. */
export function openOrdersOf({ accountState }: EngineContext, now: EpochMs): OpenOrderView[] {
  return [...accountState.live.values()].map((order) => ({
    ...orderView(order),
    ageMs: Math.max(0, now - order.plannedAt),
  }));
}

/** Intents without an open order, oldest first: they wait for a time, a price or other orders. */
export function waitingOf({ accountState }: EngineContext): WaitingIntentView[] {
  return [...accountState.intents.values()].flatMap((intent) =>
    accountState.open.has(intent.id) ? [] : [waitingView(intent)],
  );
}

const waitingView = (intent: OrderIntent): WaitingIntentView => ({
  id: intent.id,
  strategy: intent.strategyId,
  symbol: intent.symbol,
  notBefore: toIso(intent.notBefore),
  text: describeIntent(intent),
});

/** True for an order to include. */
type IsWanted = (order: Order) => boolean;

/** The most recently ended orders, newest first, at most `count`. */
export const endedOrdersOf = (context: EngineContext, count: number, isWanted: IsWanted): EndedOrderView[] =>
  latestEnds(context, count, isWanted).map(({ order, at }) => ({
    ...endedOrderView(order),
    endedAt: toIso(at),
  }));

/** Latest fills, newest first, at most `count`. */
export const fillsOf = (context: EngineContext, count: number, isWanted: IsWanted = () => true): FillView[] =>
  latestEnds(context, count, (order) => filledOf(order) > 0n && isWanted(order)).flatMap((end) =>
    fillView(end),
  );

type End = Readonly<{ order: Order; at: EpochMs; realised: bigint | null }>;

function latestEnds({ accountState }: EngineContext, count: number, isWanted: IsWanted): End[] {
  const found: End[] = [];
  const ids: OrderId[] = [...accountState.ended.keys()];
  for (let index = ids.length - 1; index >= 0 && found.length < count; index--) {
    const id = ids[index];
    const end = id === undefined ? undefined : accountState.ended.get(id);
    const order = id === undefined ? undefined : accountState.orders.get(id);
    if (!end || !order || !isWanted(order)) continue;
    const { at, change } = end;
    found.push({ order, at, realised: change && change.after.realised - change.before.realised });
  }
  return found;
}

function fillView({ order, at, realised }: End): FillView[] {
  const { state, terms, id, strategyId, tag } = order;
  if (state.kind !== 'closed' || !state.settlement) return [];
  const { price, pay, receive, mintFee, protocolFee } = state.settlement;
  return decimalsOf([
    {
      id,
      strategy: strategyId,
      symbol: terms.symbol,
      side: terms.side,
      shares: filledOf(order),
      price,
      pay,
      receive,
      fees: mintFee + protocolFee,
      realised,
      tag: tag ?? null,
      at: toIso(at),
      txHash: txHashOf(order),
    },
  ]);
}

/** An order as shown in every list. `status`: its state; for a closed one, how it ended. */
function orderView(order: Order) {
  const { id, strategyId, terms, state, reason, tag = null } = order;
  const { symbol, side, type } = terms;
  const status: string = state.kind === 'closed' ? state.how : state.kind;
  const text = `${describeTerms(terms)}, ${stateText(order)}`;
  return { id, strategy: strategyId, symbol, side, type, reason, tag, status, text };
}

/** The same with its fill, or the reason of an end without one. */
export const endedOrderView = (order: Order) => ({
  ...orderView(order),
  filled: formatDecimal(filledOf(order)),
  why: 'reason' in order.state ? order.state.reason : null,
});

const STATES: Readonly<Record<Order['state']['kind'], string>> = {
  planned: 'about to be sent',
  sent: 'sent, no answer yet',
  unknown: 'without an answer: the venue may or may not have it',
  acknowledged: 'accepted, not yet shown by the venue',
  working: 'rests at the venue',
  closed: 'ended',
  refused: 'refused',
  reverted: 'reverted on chain',
  neverExisted: 'never placed',
  abandoned: 'not sent',
};

const CANCELS: Readonly<Record<Order['cancel']['kind'], string>> = {
  none: '',
  wanted: ', about to be cancelled',
  sent: ', cancel sent',
  unknown: ', cancel without an answer',
  accepted: ', cancel accepted',
  refused: ', cancel refused',
};

/** State of an order in words. */
export function stateText({ state, cancel, claim }: Order): string {
  if (state.kind === 'closed') return state.how;
  const claimed = claim ? ', its end is claimed and not yet shown by the account' : '';
  return `${STATES[state.kind]}${CANCELS[cancel.kind]}${claimed}`;
}
