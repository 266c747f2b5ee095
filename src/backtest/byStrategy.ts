import { cash, formatDecimal, type Cash } from '../core/amount.ts';
import type { Desk } from '../engine/desk.ts';
import { earningsOf } from '../engine/earnings.ts';
import type { BacktestOrders } from './orderTally.ts';
import type { Recorder } from './recorder.ts';
import type { Trades } from './trades.ts';

/** Orders and earnings of one strategy. Amounts in mUSD as exact decimals; fees are contained in the pnls. */
export type StrategyOutcome = Readonly<{
  id: string;
  orders: BacktestOrders;
  /** Intents that became no order, by reason. */
  dropped: Readonly<Record<string, number>>;
  /** Closed trades and payments to holders. */
  realisedPnl: string;
  /** Worth of what it holds at the end beyond its cost. */
  unrealisedPnl: string;
  /** Both together. */
  pnl: string;
  fees: string;
}>;

export type Outcomes = Readonly<{
  strategies: readonly StrategyOutcome[];
  /** Earnings of no strategy, such as the rest of a rounded split. With them the parts add up to the `pnl` of the run. */
  unallocated: Readonly<{ pnl: string }>;
}>;

type Sources = Readonly<{ desk: Desk; recorder: Recorder; trades: Trades }>;

/** Splits a run's pnl by strategy. @param pnl of the whole run */
export function outcomesOf(ids: readonly string[], pnl: Cash, { desk, recorder, trades }: Sources): Outcomes {
  const earned = ids.map((id) => ({ id, ...earningsOf(desk, id) }));
  const rest = earned.reduce<bigint>((left, own) => left - own.pnl, pnl);
  return {
    strategies: earned.map(({ id, realised, unrealised, pnl: own }) => ({
      id,
      orders: recorder.of(id).orders,
      dropped: recorder.of(id).dropped,
      realisedPnl: formatDecimal(realised),
      unrealisedPnl: formatDecimal(unrealised),
      pnl: formatDecimal(own),
      fees: formatDecimal(trades.feesOf.get(id) ?? 0n),
    })),
    unallocated: { pnl: formatDecimal(cash(rest)) },
  };
}
