import { toNumber } from '../../core/amount.ts';
import { ownerName } from '../../domain/account/ledger.ts';
import { filledOf, hasEnded, type Order } from '../../domain/orders/order.ts';
import type { RunRecord } from '../runRecord.ts';
import type { LiveHistory } from './liveHistory.ts';
import { isOf, type RecordOwner } from './owner.ts';

type LimitOrder = NonNullable<RunRecord['limitOrders']>[number];

/** Limit orders of an owner that have rested at the venue: it has shown them open. One that rests lasts to the end of the journal. */
export const limitOrdersOf = (
  { rested, valuation: { accountState }, now }: LiveHistory,
  owner: RecordOwner,
): LimitOrder[] =>
  [...rested].flatMap(([id, from]) => {
    const order = accountState.orders.get(id);
    if (!order || !isOf(owner, order.strategyId)) return [];
    const until = accountState.ended.get(id)?.at ?? now?.at ?? from;
    return limitOrder(order, { from, until });
  });

function limitOrder(order: Order, times: Pick<LimitOrder, 'from' | 'until'>): LimitOrder[] {
  const { id, strategyId, terms, state } = order;
  if (terms.type !== 'limit') return [];
  return [
    {
      ...times,
      strategy: ownerName(strategyId),
      symbol: terms.symbol,
      side: terms.side,
      order: id,
      shares: toNumber(terms.quantity),
      limit: toNumber(terms.price),
      filled: toNumber(filledOf(order)),
      how: state.kind === 'closed' ? state.how : hasEnded(order) ? state.kind : 'open',
    },
  ];
}
