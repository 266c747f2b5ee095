import { InvalidValueError } from '../../core/errors.ts';

/** Share of the equity by symbol, 0.25 for a quarter: what `order.rebalance` takes. */
export type Weights = Record<string, number>;

/** Numbers by symbol, such as scores of a ranking. */
export type Scores = Readonly<Record<string, number>>;

/** Returns by symbol, all over the same periods: 0.01 for 1 %. */
export type AssetReturns = Readonly<Record<string, ArrayLike<number>>>;

/** The same weight for each symbol; they sum to 1. No symbols give no weights. */
export const equalWeights = (symbols: readonly string[]): Weights =>
  Object.fromEntries(symbols.map((symbol) => [symbol, 1 / symbols.length]));

/**
 * Equal weights for the `count` highest scores, in all 1, or less where fewer are above `minimum`: each gets `1 / count`. NaN is
 * not a score. Of equal scores the symbol that comes first in the alphabet wins.
 */
export function topByRank(scores: Scores, count: number, minimum = -Infinity): Weights {
  if (!Number.isInteger(count) || count < 1)
    throw new InvalidValueError(`topByRank: ${count} symbols; write a whole number, 1 or more`);
  const ranked = Object.entries(scores)
    .filter(([, score]) => score > minimum)
    .sort(([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : 1));
  return Object.fromEntries(ranked.slice(0, count).map(([symbol]) => [symbol, 1 / count]));
}

/** Weights times a factor. */
export const scaledBy = (weights: Readonly<Weights>, factor: number): Weights =>
  Object.fromEntries(Object.entries(weights).map(([symbol, weight]) => [symbol, weight * factor]));
