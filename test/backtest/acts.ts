import type { BacktestOptions } from '../../src/backtest/options.ts';
import { runBacktest } from '../../src/backtest/runBacktest.ts';
import type { HookContext } from '../../src/strategy/index.ts';
import { barsFrom, plainly, strategyOf, type Row } from './bars.ts';

export type Act = (context: HookContext) => void;

/** Calls one act after each bar of a given number, counted from 0. */
export function run(
  rows: readonly Row[],
  acts: Readonly<Record<number, Act>>,
  options: Partial<BacktestOptions> = {},
) {
  let bar = -1;
  const strategy = strategyOf({ onBar: (context) => acts[++bar]?.(context) });
  return runBacktest(plainly({ strategy, bars: [barsFrom('2026-06-15', rows)], ...options }));
}

export const buy: Act = ({ order }) => order.buy('X', { shares: 10 });
export const sell: Act = ({ order }) => order.sell('X', { all: true });
export const limitBuy =
  (price: number, shares = 10): Act =>
  ({ order }) =>
    order.limit('X', { side: 'buy', shares, price });
