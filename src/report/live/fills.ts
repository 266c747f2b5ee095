import { toNumber } from '../../core/amount.ts';
import type { AccountChange, TradeTerms } from '../../domain/account/accountChange.ts';
import { sharesPer } from '../../domain/corporateAction.ts';
import type { LotAction } from '../../statistics/lotTrades.ts';
import type { RunRecord } from '../runRecord.ts';
import type { Decision, LiveHistory } from './liveHistory.ts';
import { ownerName } from '../../domain/account/ledger.ts';
import { isOf, type RecordOwner } from './owner.ts';

type Fill = RunRecord['fills'][number];
type Trade = AccountChange & TradeTerms;

/**
 * Fills of an owner, with the price at the decision. `at`: when the journal has it. A deferred sell is a fill, too: it turns stock of
 * the wallet into cash.
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

/** Fills that move a position: all but deferred sells. */
export const lotFillsOf = (history: LiveHistory, owner: RecordOwner): Fill[] =>
  fillsOf({ changes: history.changes.filter(isMoving), decisions: history.decisions }, owner);

const isMoving = (change: AccountChange): boolean => !(change.kind === 'traded' && change.deferred);

/** Splits and write-offs, each at its time in the order of the journal. */
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
