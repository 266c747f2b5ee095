import { describeTerms } from '../../domain/describe.ts';
import type { OperatorAnswer } from '../../domain/operator/command.ts';
import { isInDoubt, type Order } from '../../domain/orders/order.ts';
import type { OrderIntent } from '../../domain/orders/orderIntent.ts';
import type { OpenIntents } from '../intents/intents.ts';
import { nameOf } from './scopes.ts';

type Cancelled = Readonly<{ orders: readonly Order[]; waiting?: readonly OrderIntent[] }>;

/** Cancels orders and ends waiting intents. Gives how many were asked for, an order that has been asked before included. */
export function cancelAll(intents: OpenIntents, { orders, waiting = [] }: Cancelled, why: string): number {
  const asked = orders.filter((order) => intents.cancelOrder(order, why) || order.cancel.kind !== 'none');
  for (const { id } of waiting) intents.end(id, 'cancelled', { code: 'CANCELLED', why });
  return asked.length + waiting.length;
}

/** Text of an order that has not ended yet, and what it waits for. */
export function openText(order: Order): string {
  const text = `${describeTerms(order.terms)} of ${nameOf(order.strategyId)} (order ${order.id})`;
  if (isInDoubt(order)) return `${text}: what became of it is not known yet`;
  if (order.cancel.kind !== 'none') return `${text}: its cancel is under way`;
  return order.terms.type === 'market' && order.state.kind !== 'planned'
    ? `${text}: a market order that has left cannot be cancelled`
    : `${text}: open`;
}

/** Words for how many orders were cancelled. */
export const cancelledText = (count: number): string =>
  count === 1 ? '1 order is cancelled' : `${count} orders are cancelled`;

/** Number of orders that a command has cancelled, by its answer. */
export function cancelledOf(answer: OperatorAnswer | null): number {
  const cancelled = answer?.kind === 'done' ? answer.result['cancelled'] : 0;
  return typeof cancelled === 'number' ? cancelled : 0;
}
