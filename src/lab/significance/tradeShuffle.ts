import { deepestFall } from '../../statistics/drawdown.ts';
import { missing, NOTHING, type Missing, type RunFigures } from '../../statistics/figures.ts';
import { growthOf, quantileOf, quantilesBy, sorted, type Quantiles } from '../../statistics/moments.ts';
import { TRADES_MIN } from '../../statistics/trades.ts';
import { DRAWS, drawPlaces, placesOf, shuffle, valuesAt, type DrawOptions } from './resampling.ts';

export type TradeShuffle = Readonly<{
  trades: number;
  /** Deepest fall at the end of a trade, as a fraction of the peak (at most 0), and growth of 1 over all trades, as they came. */
  maxDrawdown: number;
  end: number;
  /** The same trades in other orders, and the share of these with a fall as deep or deeper. Their end is always the same. */
  shuffled: Readonly<{ maxDrawdown: Quantiles; deeper: number }>;
  /** As many trades drawn from these with replacement: other luck with the trades themselves. */
  redrawn: Readonly<{ maxDrawdown: Quantiles; end: Quantiles }>;
}>;

/**
 * Monte Carlo of the order of trades. Each trade is its profit over the equity at the last mark before its entry, and they
 * compound one after the other by their ends, as if they had not overlapped; falls within a trade are not seen.
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
