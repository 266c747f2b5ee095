import type { AccountState } from '../../domain/account/accountState.ts';
import type { Ticker } from '../../domain/instrument.ts';
import type { Rest } from '../../domain/orders/orderIntent.ts';
import type { LatestReads } from './latestReads.ts';

/** Loss of a strategy because its thread failed: the reason, and which strategy gets a thread of its own. */
export type RuntimeLoss = Readonly<{ message: string; alone: string }>;

/** Decisions that a run makes by the current rules, and a replay takes from its journal. */
export interface Precedents {
  /** True when a frozen symbol keeps additional causes: 0.7.0 and earlier kept only the first. */
  keepsCause: () => boolean;
  /**
   * Rule for stocks that a rebalance's weights omit; null if unspecified in a state folder whose strategies
   * began with 0.8.0 or earlier. Those versions had no `rest` and kept the stocks.
   */
  restOf: (rest: Rest | undefined) => Rest | null;
  /** True when a rebalance counts buys under way: 0.8.0 and earlier counted only holdings. */
  countsBuys: boolean;
  /** False if logs and plots of strategies are not recorded: they are no decisions. */
  keepsRemarks: boolean;
  /** The strategy restart that comes next in the journal; null in a run. */
  restartOf: ((strategyId: string) => RuntimeLoss | null) | null;
  /** True when the latest account read showed no shares of a stock missing. */
  lacksNone: (symbol: Ticker) => boolean;
}

/** Decisions of a run by the current rules. */
export const precedentsOf = (
  of: Readonly<{ accountState: AccountState; reads: LatestReads }>,
): Precedents => ({
  keepsCause: () => true,
  restOf: (rest) => rest ?? (of.accountState.keptRest === true ? null : 'sell'),
  countsBuys: true,
  keepsRemarks: true,
  restartOf: null,
  lacksNone: (symbol) => of.reads.account !== null && !of.reads.account.shortfalls.get(symbol),
});
