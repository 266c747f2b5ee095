import { deepestFall } from '../../statistics/drawdown.ts';
import { missing, NOTHING, type Missing, type RunFigures } from '../../statistics/figures.ts';
import { growthOf, quantileOf, quantilesBy, sorted, type Quantiles } from '../../statistics/moments.ts';
import { TRADES_MIN } from '../../statistics/trades.ts';
import { DRAWS, drawPlaces, placesOf, shuffle, valuesAt, type DrawOptions } from './resampling.ts';

export type TradeShuffle = Readonly<{
  trades: number;
  /** Deepest fall at a trade's end, as a fraction of the peak (at most 0), and growth of 1 over all trades in order. */
  maxDrawdown: number;
  end: number;
  /** Same trades in other orders, and the share of these with an equal or deeper fall. Their end is always the same. */
  shuffled: Readonly<{ maxDrawdown: Quantiles; deeper: number }>;
  /** As many trades drawn from these with replacement, as if the trades themselves had varied. */
  redrawn: Readonly<{ maxDrawdown: Quantiles; end: Quantiles }>;
}>;

/**
 * Monte Carlo of the order of trades. Each trade is its profit over the equity at the last mark before its entry; they
 * compound one after another by end time, as if they did not overlap. Falls within a trade are ignored.
 * Source of the draws with replacement: Davey, "Building winning algorithmic trading systems", 2014.
 */
export function shuffleTrades(
  figures: Pick<RunFigures, 'startEquity' | 'marks' | 'trades'>,
  { random, draws = DRAWS }: DrawOptions,
): TradeShuffle | Missing {
  const count = figures.trades.length;
  if (count < TRADES_MIN) return missing(`${count} trades, but it needs ${TRADES_MIN}`);
  const returns = tradeReturns(figures);
  const order = placesOf(count);
  const places = new Int32Array(count);
  const drawn = { shuffled: [] as number[], redrawn: [] as number[], ends: [] as number[] };
  for (let draw = 0; draw < draws; draw++) {
    drawn.shuffled.push(deepestFall(valuesAt(returns, shuffle(order, random))));
    const others = valuesAt(returns, drawPlaces(places, { random, blockLength: 1 }));
    drawn.redrawn.push(deepestFall(others));
    drawn.ends.push(growthOf(others));
  }
  const maxDrawdown = deepestFall(returns);
  return {
    trades: count,
    maxDrawdown,
    end: growthOf(returns),
    shuffled: {
      maxDrawdown: distributionOf(drawn.shuffled),
      deeper: drawn.shuffled.filter((depth) => depth <= maxDrawdown + NOTHING).length / draws,
    },
    redrawn: { maxDrawdown: distributionOf(drawn.redrawn), end: distributionOf(drawn.ends) },
  };
}

/** Profit of each trade over the equity before its entry. */
function tradeReturns({ startEquity, marks, trades }: Pick<RunFigures, 'startEquity' | 'marks' | 'trades'>) {
  return trades.map(({ pnl, entryAt }) => {
    const after = marks.findIndex(({ at }) => at > entryAt);
    const before = after < 0 ? marks.at(-1) : marks[after - 1];
    return pnl / (before?.equity ?? startEquity);
  });
}

function distributionOf(values: readonly number[]): Quantiles {
  const ascending = sorted(values);
  return quantilesBy((share) => quantileOf(ascending, share));
}
