import type { BacktestOptions, BacktestStrategy } from '../src/backtest/options.ts';
import { runBacktest } from '../src/backtest/runBacktest.ts';
import benchRsi from './strategies/bench-rsi.ts';
import benchSma from './strategies/bench-sma.ts';
import type { BarSet } from './bars.ts';

const definitions = { sma: benchSma, rsi: benchRsi } as unknown as Record<
  'sma' | 'rsi',
  BacktestStrategy['definition']
>;

/** The rules of the benchmark: a plain exchange that fills at the next open, 0.1 % on each side. */
const RULES = { cash: '1000000', fees: 'bps:10', fill: 'next-open', slippage: 'none' } as const;

export const backtestOf = (name: 'sma' | 'rsi', { interval, columns }: BarSet) =>
  runBacktest({
    ...RULES,
    strategy: definitions[name],
    params: { symbol: 'X', interval },
    bars: [{ symbol: 'X', interval, ...columns }],
  });

/** One strategy on each of many symbols, merged by time. */
export const backtestOfMany = (sets: readonly BarSet[]) => {
  const options: BacktestOptions = {
    ...RULES,
    strategies: sets.map(({ interval }, index) => ({
      definition: definitions.sma,
      id: `S${index}`,
      params: { symbol: `S${index}`, interval },
    })),
    bars: sets.map(({ interval, columns }, index) => ({ symbol: `S${index}`, interval, ...columns })),
  };
  return runBacktest(options);
};
