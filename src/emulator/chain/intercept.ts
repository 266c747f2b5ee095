import { epochMs, type EpochMs } from '../../core/brand.ts';
import { raceCancel } from '../trading/matchingEngine.ts';
import { triggeredRule, type Target } from '../faults/trigger.ts';
import type { ChainRule, OrderRule } from '../state/faultRules.ts';
import type { Order, Transaction } from '../state/state.ts';
import { schedule, type VenueState } from '../state/venueState.ts';
import { requestOf } from '../state/calls.ts';
import { drop } from './mempool.ts';
import { walletOf } from './wallets.ts';

/** A transaction that a request has added to the mempool. */
export type Interception = Readonly<{ transaction: Transaction; target: Target }>;

/** Applies the chain and order rules that the request of a transaction triggers. */
export function intercept(venue: VenueState, { transaction, target }: Interception, now: EpochMs): void {
  const onOrder = triggeredRule(venue.state, target, 'order');
  const order = onOrder && orderBehind(venue, transaction);
  if (onOrder && order && !isPointless(onOrder, { order, transaction })) {
    order.fate = onOrder;
    if (onOrder.kind === 'cancel-race') raceCancel(venue, { order, share: onOrder.filled }, now);
  }
  const onChain = triggeredRule(venue.state, target, 'chain');
  if (onChain) applyChainRule(venue, { transaction, rule: onChain }, now);
}

/** The order that a transaction places or cancels. */
function orderBehind(venue: VenueState, transaction: Transaction): Order | null {
  const asked = requestOf(venue, transaction);
  const cancelled = asked?.kind === 'cancelLimitOrder' ? venue.orders.get(asked.orderId) : undefined;
  return cancelled ?? venue.ordersByTx.get(transaction.hash) ?? null;
}

/** True for a race before the order is in the market: there is nothing to race against yet. */
const isPointless = ({ kind }: OrderRule, { order, transaction }: OrderTransaction): boolean =>
  kind === 'cancel-race' && order.txHash === transaction.hash;

type OrderTransaction = Readonly<{ order: Order; transaction: Transaction }>;

type ChainFault = Readonly<{ transaction: Transaction; rule: ChainRule }>;

function applyChainRule(venue: VenueState, { transaction, rule }: ChainFault, now: EpochMs): void {
  switch (rule.kind) {
    case 'unmined':
      return drop(venue, transaction);
    case 'mined-late':
      if (rule.pastDeadline) transaction.pastDeadline = true;
      if (rule.hidden) transaction.hidden = true;
      return delayMining(venue, transaction, rule.ms);
    case 'revert':
      transaction.doom = rule.cause;
      return;
    case 'false-receipt': {
      const until = rule.forMs === undefined ? null : epochMs(now + rule.forMs);
      transaction.lie = { how: rule.how, depth: rule.depth, until };
    }
  }
}

/** Delays the mining of a transaction, and of the wallet's later ones. */
function delayMining(venue: VenueState, { from, nonce }: Transaction, ms: number): void {
  const { tasks } = venue.state;
  const index = tasks.findIndex((task) => task.kind === 'mine' && task.from === from && task.nonce === nonce);
  const [task] = index < 0 ? [] : tasks.splice(index, 1);
  if (!task) return;
  const due = epochMs(task.due + ms);
  walletOf(venue, from).lastBlock = due;
  schedule(venue.state, { ...task, due });
}
