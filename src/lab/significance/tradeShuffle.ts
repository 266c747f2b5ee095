import { drawdownSeries } from '../../statistics/drawdown.ts';
import { missing, NOTHING, type Missing, type RunFigures } from '../../statistics/figures.ts';
import { growthOf, quantileOf, sorted } from '../../statistics/moments.ts';
import { TRADES_MIN } from '../../statistics/trades.ts';
import { DRAWS, drawPlaces, placesOf, shuffle, valuesAt, type DrawOptions } from './resampling.ts';

/** Quantiles of what was drawn: 5, 25, 50, 75 and 95 %. */
export type Distribution = Readonly<Record<'p5' | 'p25' | 'p50' | 'p75' | 'p95', number>>;

export type TradeShuffle = Readonly<{
  trades: number;
  /** Deepest fall at the end of a trade, as a fraction of the peak (at most 0), and growth of 1 over all trades, as they came. */
  maxDrawdown: number;
  end: number;
  /** The same trades in other orders, and the share of these with a fall as deep or deeper. Their end is always the same. */
  shuffled: Readonly<{ maxDrawdown: Distribution; deeper: number }>;
  /** As many trades drawn from these with replacement: other luck with the trades themselves. */
  redrawn: Readonly<{ maxDrawdown: Distribution; end: Distribution }>;
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
    drawn.shuffled.push(deepest(valuesAt(returns, shuffle(order, random))));
    const others = valuesAt(returns, drawPlaces(places, { random, blockLength: 1 }));
    drawn.redrawn.push(deepest(others));
    drawn.ends.push(growthOf(others));
  }
  const maxDrawdown = deepest(returns);
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

const deepest = (returns: readonly number[]): number =>
  drawdownSeries(returns).reduce((least, depth) => Math.min(least, depth), 0);

function distributionOf(values: readonly number[]): Distribution {
  const ascending = sorted(values);
  const at = (share: number) => quantileOf(ascending, share);
  return { p5: at(0.05), p25: at(0.25), p50: at(0.5), p75: at(0.75), p95: at(0.95) };
}
