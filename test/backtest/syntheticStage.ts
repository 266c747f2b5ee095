import type { BacktestOptions } from '../../src/backtest/options.ts';
import type { BacktestResult } from '../../src/backtest/result.ts';
import { runBacktest } from '../../src/backtest/runBacktest.ts';
import type { Interval } from '../../src/domain/bar.ts';
import type { HookContext } from '../../src/strategy/index.ts';
import { barsFrom, plainly, strategyOf, type Row } from './bars.ts';

export const DAY = '2026-06-15';
type Order = HookContext['order'];

/** `interval`: length of the bars. `date`: day of the first. */
type Played = Partial<BacktestOptions> & Readonly<{ interval?: Interval; date?: string }>;

/** Plays rows to a strategy that calls `act` after the first of them. */
export function playFirst(rows: readonly Row[], act: (order: Order) => void, played: Played = {}) {
  const { interval = '1m', date = DAY, ...options } = played;
  let count = 0;
  const strategy = strategyOf(
    {
      onBar({ order }) {
        if (++count === 1) act(order);
      },
    },
    { bars: [{ symbol: 'X', interval }] },
  );
  const bars = options.bars ?? [barsFrom(date, rows, interval)];
  return runBacktest(plainly({ strategy, slippage: 'none', ...options, bars }));
}

/** The same with ten shares: bought at the open of the second bar, and protected by `protect` as soon as they arrive. */
export function playHeld(rows: readonly Row[], protect: (order: Order) => void, played: Played = {}) {
  const { interval = '1m', date = DAY, ...options } = played;
  let count = 0;
  let isHeld = false;
  const strategy = strategyOf(
    {
      onBar({ order }) {
        if (++count === 1) order.buy('X', { shares: 10 });
      },
      onFill: ({ order, fill }) => {
        if (fill.side === 'buy' && !isHeld) protect(order);
        isHeld = true;
      },
    },
    { bars: [{ symbol: 'X', interval }] },
  );
  const bars = options.bars ?? [barsFrom(date, rows, interval)];
  return runBacktest(plainly({ strategy, slippage: 'none', ...options, bars }));
}

/** `sell 10 at 95, 13:34:15`: every fill after the first purchase, with its time in UTC. */
export const fillsOf = ({ fills }: BacktestResult): string[] =>
  fills.map(
    ({ side, shares, price, at }) =>
      `${side} ${shares} at ${price}, ${new Date(at).toISOString().slice(11, 19)}`,
  );

export const sellsOf = (result: BacktestResult): string[] =>
  fillsOf(result).filter((fill) => fill.startsWith('sell'));
