import type { Interval } from '../../domain/bar.ts';
import type { StrategySetup } from './strategyInstance.ts';

/** Series of which fewer bars come before the start than a strategy declares as its warm-up. */
export type WarmUpGap = Readonly<{
  strategy: string;
  symbol: string;
  interval: Interval;
  /** Bars that its `data` asks for. */
  needed: number;
  had: number;
  missing: number;
}>;

/** Incomplete warm-ups, in the order of strategies and of their needs. `hadOf`: bars of a series before the start. */
export const warmUpGaps = (
  setups: readonly Pick<StrategySetup, 'id' | 'needs'>[],
  hadOf: (symbol: string, interval: Interval) => number,
): WarmUpGap[] =>
  setups.flatMap(({ id, needs }) =>
    (needs.bars ?? []).flatMap(({ symbol, interval, warmUp = 0 }) => {
      const had = Math.min(hadOf(symbol, interval), warmUp);
      const missing = warmUp - had;
      return missing > 0 ? [{ strategy: id, symbol, interval, needed: warmUp, had, missing }] : [];
    }),
  );
