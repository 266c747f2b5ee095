import { formatDecimal } from '../../core/amount.ts';
import { toIso, type EpochMs } from '../../core/brand.ts';
import { InvariantError } from '../../core/errors.ts';
import { describeTerms } from '../../domain/describe.ts';
import { exactShares, filledOf, hasEnded, txHashOf, type Order } from '../../domain/orders/order.ts';
import { transition } from '../../domain/orders/orderMachine.ts';
import { aboutOrder, stateText, statusOf } from '../model/orders.ts';
import type { Line } from '../../store/codec.ts';

/** Order as the journal has it now. Amounts: decimal strings in shares or mUSD. */
export type OrderRow = Readonly<{
  /** Number of its first entry. */
  seq: number;
  id: string;
  strategy: string;
  symbol: string;
  side: 'buy' | 'sell';
  type: 'market' | 'limit';
  status: string;
  plannedAt: string;
  /** Null while it is open. */
  endedAt: string | null;
  text: string;
  /** Shares that it asks for; null for a buy of an amount of money. */
  quantity: string | null;
  /** mUSD that it asks for; null for an order of shares. */
  notional: string | null;
  /** Limit per share, in mUSD; null for an order at the market. */
  limit: string | null;
  filled: string;
  /** Per share, in mUSD; null without a fill. */
  price: string | null;
  fees: string | null;
  reason: string;
  tag: string | null;
  /** Reason of an end without a fill, where there is one. */
  why: string | null;
  txHash: string | null;
}>;

/** Row of an order from its entries, oldest first. @throws {InvariantError} when they do not begin with its plan */
export function orderRow(history: readonly Line[]): OrderRow {
  const { seq, order, endedAt } = stateAfter(history);
  const { terms } = order;
  const settlement = order.state.kind === 'closed' ? order.state.settlement : null;
  const quantity = exactShares(terms);
  return {
    seq,
    ...aboutOrder(order),
    status: statusOf(order),
    plannedAt: toIso(order.plannedAt),
    endedAt: endedAt === null ? null : toIso(endedAt),
    text: `${describeTerms(terms)}, ${stateText(order)}`,
    quantity: quantity && formatDecimal(quantity),
    notional: quantity === null && 'notional' in terms ? formatDecimal(terms.notional) : null,
    limit: terms.type === 'limit' ? formatDecimal(terms.price) : null,
    filled: formatDecimal(filledOf(order)),
    price: settlement && formatDecimal(settlement.price),
    fees: settlement && formatDecimal(settlement.mintFee + settlement.protocolFee),
    why: 'reason' in order.state ? order.state.reason : null,
    txHash: txHashOf(order),
  };
}

type Present = Readonly<{ seq: number; order: Order; endedAt: EpochMs | null }>;

function stateAfter([first, ...later]: readonly Line[]): Present {
  if (first?.fact.kind !== 'planned') throw new InvariantError('entries of an order begin with its plan');
  let { order } = first.fact;
  let endedAt: EpochMs | null = null;
  for (const { at, fact } of later) {
    if (fact.kind !== 'order') continue;
    const result = transition(order, fact.event);
    if (result.kind !== 'moved') continue;
    endedAt = hasEnded(result.order) ? (hasEnded(order) ? endedAt : at) : null;
    ({ order } = result);
  }
  return { seq: first.seq, order, endedAt };
}
