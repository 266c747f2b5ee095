import { toNumber } from '../../core/amount.ts';
import type { BookedAction, EngineContext } from '../state/engineContext.ts';
import type { StrategyInstance } from './strategyInstance.ts';
import type { HookCall } from './strategyRuntime.ts';

/** Call of a hook for a split or a payment; null for one that does not concern the strategy. */
export function actionCall(
  { accountState: { ledger } }: EngineContext,
  strategy: Pick<StrategyInstance, 'id' | 'knows'>,
  action: BookedAction,
): HookCall | null {
  if ('split' in action) {
    const { symbol, exDate } = action.split;
    if (!strategy.knows(symbol) && ledger.held(strategy.id, symbol) === 0n) return null;
    const [oldRate, newRate] = [toNumber(action.split.oldRate), toNumber(action.split.newRate)];
    const split = { symbol, oldRate, newRate, ratio: newRate / oldRate, exDate };
    return { hook: 'onSplit', split: Object.freeze(split) };
  }
  const { action: announced, parts } = action.payment;
  const amount = parts.find(([id]) => id === strategy.id)?.[1];
  if (amount === undefined) return null;
  const { symbol, exDate, perShare } = announced;
  const dividend = { symbol, amount: toNumber(amount), perShare: toNumber(perShare), exDate };
  return { hook: 'onDividend', dividend: Object.freeze(dividend) };
}
