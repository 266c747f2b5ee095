import { toNumber } from '../../core/amount.ts';
import type { AccountChange, TradeTerms } from '../../domain/account/accountChange.ts';
import type { RunRecord } from '../runRecord.ts';
import type { Decision, LiveHistory } from './liveHistory.ts';
import { isOf, ownerName, type RecordOwner } from './owner.ts';

type Fill = RunRecord['fills'][number];
type Trade = AccountChange & TradeTerms;

/**
 * Fills of an owner, with the price at the decision. `at`: when the journal has it. A deferred sell is a fill, too: it turns stock of
 * the wallet into cash.
 */
export const fillsOf = ({ changes, decisions }: LiveHistory, owner: RecordOwner): Fill[] =>
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
