import { toNumber } from '../../core/amount.ts';
import { toIso } from '../../core/brand.ts';
import { describeIntent } from '../../domain/describe.ts';
import { failureOf, hasEnded, type Order } from '../../domain/orders/order.ts';
import type { Side } from '../../domain/venue.ts';
import type { RunRecord } from '../runRecord.ts';
import type { LiveHistory } from './liveHistory.ts';
import { decisionRecord, type DecisionRecord } from '../decisionRecord.ts';
import { ownerName } from '../../domain/account/ledger.ts';
import { isOf, type RecordOwner } from './owner.ts';

type OrderRecord = NonNullable<RunRecord['orderList']>[number];

/** Intents of an owner, oldest first. */
export function decisionRecords({ decisions, valuation }: LiveHistory, owner: RecordOwner): DecisionRecord[] {
  const sides = new Map<string, Side>();
  for (const { intentId, terms } of valuation.accountState.orders.values()) sides.set(intentId, terms.side);
  return [...decisions.values()]
    .filter(({ intent }) => isOf(owner, intent.strategyId))
    .map(({ intent, price, end }) => ({
      ...decisionRecord(intent, end, sides.get(intent.id) ?? null),
      price: price === null ? null : toNumber(price),
    }));
}

/** Orders of an owner, oldest first, each with its outcome and the reason for it. */
export function orderRecords(
  { valuation: { accountState } }: LiveHistory,
  owner: RecordOwner,
): OrderRecord[] {
  const { orders, ended } = accountState;
  return [...orders.values()]
    .filter(({ strategyId }) => isOf(owner, strategyId))
    .map((order) => orderRecord(order, hasEnded(order) ? (ended.get(order.id)?.at ?? null) : null));
}

function orderRecord(order: Order, endedAt: number | null): OrderRecord {
  const { id, intentId, strategyId, terms, plannedAt, state } = order;
  return {
    id,
    decision: intentId,
    strategy: ownerName(strategyId),
    symbol: terms.symbol,
    side: terms.side,
    type: terms.type,
    plannedAt,
    endedAt,
    state: state.kind === 'closed' ? state.how : state.kind,
    why: state.kind === 'abandoned' ? state.reason : (failureOf(order) ?? ''),
  };
}

/** Intents of an owner that are still waiting. */
export const pendingRecords = (
  { valuation: { accountState } }: LiveHistory,
  owner: RecordOwner,
): NonNullable<RunRecord['pending']> =>
  [...accountState.intents.values()]
    .filter(({ strategyId }) => isOf(owner, strategyId))
    .map((intent) => ({
      strategy: ownerName(intent.strategyId),
      symbol: intent.symbol,
      order: describeIntent({ ...intent, reason: '' }),
      decidedAt: toIso(intent.at),
      reason: intent.reason,
    }));
