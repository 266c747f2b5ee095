import type { AccountState } from '../../domain/account/accountState.ts';
import type { Ticker } from '../../domain/instrument.ts';
import type { Rest } from '../../domain/orders/orderIntent.ts';
import type { LatestReads } from './latestReads.ts';

/** Loss of a strategy's code with its thread: the reason, and who has a thread of its own from then on. */
export type RuntimeLoss = Readonly<{ message: string; alone: string }>;

/** Decisions that a run makes by the present rules, and a replay as its journal has them. */
export interface Precedents {
  /** True when a frozen symbol keeps a further cause: 0.7.0 and before kept the first alone. */
  keepsCause: () => boolean;
  /**
   * Fate of stocks that the weights of a rebalance omit; null if nobody has said it in a state folder whose strategies began with
   * 0.8.0 or before. Runs of those versions, which knew no `rest`, kept them.
   */
  restOf: (said: Rest | undefined) => Rest | null;
  /** True when a rebalance counts buys under way: 0.8.0 and before counted what was held alone. */
  countsBuys: boolean;
  /** False where what strategies log and plot is not recorded: it is no decision. */
  keepsRemarks: boolean;
  /** The restart of a strategy that comes next in the journal; null in a run. */
  restartOf: ((strategyId: string) => RuntimeLoss | null) | null;
  /** True when the latest read of the account found none of a stock missing. */
  lacksNone: (symbol: Ticker) => boolean;
}

/** Decisions of a run, by the present rules. */
export const precedentsOf = (
  of: Readonly<{ accountState: AccountState; reads: LatestReads }>,
): Precedents => ({
  keepsCause: () => true,
  restOf: (said) => said ?? (of.accountState.keptRest === true ? null : 'sell'),
  countsBuys: true,
  keepsRemarks: true,
  restartOf: null,
  lacksNone: (symbol) => of.reads.account !== null && !of.reads.account.shortfalls.get(symbol),
});
