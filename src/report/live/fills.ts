import { toNumber, type Cash } from '../../core/amount.ts';
import type { AccountChange, TradeTerms } from '../../domain/account/accountChange.ts';
import { sharesPer } from '../../domain/corporateAction.ts';
import type { LotAction, LotFill, LotMove } from '../../statistics/lotTrades.ts';
import type { RunRecord } from '../runRecord.ts';
import type { Decision, LiveHistory } from './liveHistory.ts';
import { ownerName, UNALLOCATED } from '../../domain/account/ledger.ts';
import { isOf, type RecordOwner } from './owner.ts';

type Fill = RunRecord['fills'][number];
type Trade = AccountChange & TradeTerms;

/**
 * Fills of an owner, with the price at the decision. `at`: time of the journal entry. A deferred sell is also a fill:
 * it turns stock in the wallet into cash.
 */
export const fillsOf = (
  { changes, decisions }: Pick<LiveHistory, 'changes' | 'decisions'>,
  owner: RecordOwner,
): Fill[] =>
  changes.flatMap((change) =>
    change.kind === 'traded' && isOf(owner, change.strategyId)
      ? [fillOf(change, decisions.get(change.intentId))]
      : [],
  );

function fillOf(trade: Trade, decision: Decision | undefined): Fill {
  const { at, strategyId, symbol, side, orderId, quantity, price, mintFee, protocolFee, reason, tag } = trade;
  const decided = decision?.price ?? null;
  return {
    at,
    strategy: ownerName(strategyId),
    symbol: symbol ?? '',
    side,
    order: orderId,
    shares: toNumber(quantity),
    price: toNumber(price),
    fees: toNumber(mintFee + protocolFee),
    mintFee: toNumber(mintFee),
    decisionPrice: decided === null ? null : toNumber(decided),
    ...(decision && { decidedAt: decision.intent.at }),
    reason,
    ...(tag !== undefined && { tag }),
  };
}

/**
 * Moves of positions: fills, except deferred sells; stock that a strategy received otherwise, at its value; and stock
 * that left without a fill. Failed transfers are left out.
 */
export function lotFillsOf({ changes, decisions }: LiveHistory, owner: RecordOwner): (LotFill | LotMove)[] {
  const returned = new Set(changes.map((change) => (change.kind === 'flowReturned' ? change.id : null)));
  const held = new Map<string, bigint>();
  return changes.flatMap((change): (LotFill | LotMove)[] => {
    const { symbol, strategyId } = change;
    if (symbol === null || !isOf(owner, strategyId)) return [];
    const left = (held.get(`${symbol} ${strategyId}`) ?? 0n) + change.shares;
    held.set(`${symbol} ${strategyId}`, left);
    if (change.kind === 'traded')
      return change.deferred ? [] : [fillOf(change, decisions.get(change.intentId))];
    if (change.kind === 'paid') return broughtBy(change, change.amount);
    if (change.kind !== 'flow') return [];
    if (change.shares > 0n) return broughtBy(change, change.value);
    const isBack = change.id !== null && returned.has(change.id);
    return isBack ? [] : [{ at: change.at, symbol, strategy: ownerName(strategyId), left: toNumber(left) }];
  });
}

function broughtBy({ at, strategyId, symbol, shares: count, kind }: AccountChange, cost: Cash): LotFill[] {
  if (strategyId === UNALLOCATED || symbol === null || count === 0n) return [];
  const [strategy, shares] = [ownerName(strategyId), toNumber(count)];
  const reason = kind === 'paid' ? 'dividend' : 'moved in';
  return [{ at, strategy, symbol, side: 'buy', shares, price: toNumber(cost) / shares, fees: 0, reason }];
}

/** Splits and write-offs with their times, in journal order. */
export function lotActionsOf({ steps, changes }: LiveHistory, owner: RecordOwner): LotAction[] {
  const at = new Map(
    changes.flatMap((change) => (change.kind === 'split' ? [[change.action, change.at] as const] : [])),
  );
  return steps.flatMap((step): LotAction[] => {
    if (step.kind === 'change') return writeOffOf(step.change, owner);
    const when = step.kind === 'split' ? at.get(step.action) : undefined;
    return step.kind === 'split' && when !== undefined
      ? [{ kind: 'split', at: when, symbol: step.action.symbol, per: sharesPer(step.action) }]
      : [];
  });
}

const writeOffOf = ({ kind, at, symbol, strategyId }: AccountChange, owner: RecordOwner): LotAction[] =>
  kind === 'writtenOff' && symbol !== null && isOf(owner, strategyId)
    ? [{ kind, at, symbol, reason: 'written off' }]
    : [];
