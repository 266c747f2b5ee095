import { ownerName } from '../../domain/account/ledger.ts';
import { counted } from '../../core/counted.ts';
import { describeSynthetic, describeTerms } from '../../domain/describe.ts';
import type { OperatorAnswer } from '../../domain/operator/command.ts';
import { isInDoubt, type Order } from '../../domain/orders/order.ts';
import type { OrderIntent } from '../../domain/orders/orderIntent.ts';
import type { SyntheticState } from '../../domain/orders/syntheticOrder.ts';
import type { OpenIntents } from '../intents/intents.ts';
import type { EngineContext } from '../state/engineContext.ts';

type Cancellation = Readonly<{ orders: readonly Order[]; waiting?: readonly OrderIntent[] }>;

/** Cancels orders and ends waiting intents. Returns their number, including orders already being cancelled. */
export function cancelAll(intents: OpenIntents, { orders, waiting = [] }: Cancellation, why: string): number {
  const asked = orders.filter((order) => intents.cancelOrder(order, why) || order.cancel.kind !== 'none');
  for (const { id } of waiting) intents.end(id, 'cancelled', { code: 'CANCELLED', why });
  return asked.length + waiting.length;
}

/** Text of an order that has not ended yet, with what it waits for. */
export function openText(order: Order): string {
  const text = `${describeTerms(order.terms)} of ${ownerName(order.strategyId)} (order ${order.id})`;
  if (isInDoubt(order)) return `${text}: what became of it is not known yet`;
  if (order.cancel.kind !== 'none') return `${text}: its cancel is under way`;
  return order.terms.type === 'market' && order.state.kind !== 'planned'
    ? `${text}: a market order that has left cannot be cancelled`
    : `${text}: open`;
}

/** Text saying how many orders were cancelled. */
export const cancelledText = (count: number): string =>
  `${counted(count, 'order')} ${count === 1 ? 'is' : 'are'} cancelled`;

/** Synthetic orders that are not ending. */
export const notEnding = ({ accountState: { synthetics } }: EngineContext): readonly SyntheticState[] =>
  synthetics.live.size === 0 ? [] : [...synthetics.live.values()].filter(({ ending }) => ending === null);

/** Names the synthetic orders that a command has ended, among those not ending before it; empty if there are none. */
export function endedText({ accountState }: EngineContext, before: readonly SyntheticState[]): string {
  const { live } = accountState.synthetics;
  const ended = before.filter(({ order }) => live.get(order.id)?.ending !== null);
  const names = ended.map(
    ({ order }) => `${describeSynthetic(order)} of ${ownerName(order.strategyId)} (${order.id})`,
  );
  return names.length === 0 ? '' : `; this bot holds no more: ${names.join(', ')}`;
}

/** Number of orders that a command has cancelled, according to its answer. */
export function cancelledOf(answer: OperatorAnswer | null): number {
  const cancelled = answer?.kind === 'done' ? answer.result['cancelled'] : 0;
  return typeof cancelled === 'number' ? cancelled : 0;
}
