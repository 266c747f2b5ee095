import { toNumber } from '../../core/amount.ts';
import { toIso } from '../../core/brand.ts';
import { describeIntent } from '../../domain/describe.ts';
import { failureOf, hasEnded, type Order } from '../../domain/orders/order.ts';
import type { OrderIntent } from '../../domain/orders/orderIntent.ts';
import type { Side } from '../../domain/venue.ts';
import type { RunRecord } from '../runRecord.ts';
import type { Decision, LiveHistory } from './liveHistory.ts';
import { isOf, ownerName, type RecordOwner } from './owner.ts';

type DecisionRecord = NonNullable<RunRecord['decisions']>[number];
type OrderRecord = NonNullable<RunRecord['orderList']>[number];

/** Record of an intent. `side`: that of its orders, for a target. */
function decisionRecord({ intent, price, end }: Decision, side: Side | null): DecisionRecord {
  const { id, at, strategyId, symbol, reason } = intent;
  return {
    id,
    at,
    strategy: ownerName(strategyId),
    symbol,
    side: sideOf(intent) ?? side,
    terms: describeIntent({ ...intent, reason: '' }),
    price: price === null ? null : toNumber(price),
    end: end?.how ?? null,
    why: end?.why ?? '',
    reason,
  };
}

/** Side that an intent itself names; null for a target. */
function sideOf({ terms }: OrderIntent): Side | null {
  switch (terms.kind) {
    case 'buy':
    case 'buyShares':
      return 'buy';
    case 'sell':
    case 'sellDeferred':
      return 'sell';
    case 'limit':
      return terms.side;
    case 'target':
      return null;
  }
}

/** Intents of an owner, oldest first. */
export function decisionRecords({ decisions, valuation }: LiveHistory, owner: RecordOwner): DecisionRecord[] {
  const sides = new Map<string, Side>();
  for (const { intentId, terms } of valuation.accountState.orders.values()) sides.set(intentId, terms.side);
  return [...decisions.values()]
    .filter(({ intent }) => isOf(owner, intent.strategyId))
    .map((decision) => decisionRecord(decision, sides.get(decision.intent.id) ?? null));
}

/** Orders of an owner, oldest first, each with its end and the reason for it. */
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

/** Intents of an owner that still wait. */
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
