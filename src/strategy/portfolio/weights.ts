import { InvalidValueError } from '../../core/errors.ts';

/** Fraction of the equity by symbol, 0.25 for a quarter, as `order.rebalance` takes it. */
export type Weights = Record<string, number>;

/** Numbers by symbol, such as scores of a ranking. */
export type Scores = Readonly<Record<string, number>>;

/** Returns by symbol, all over the same periods: 0.01 for 1 %. */
export type AssetReturns = Readonly<Record<string, ArrayLike<number>>>;

/** Equal weight for each symbol, summing to 1. No symbols give no weights. */
export const equalWeights = (symbols: readonly string[]): Weights =>
  Object.fromEntries(symbols.map((symbol) => [symbol, 1 / symbols.length]));

/**
 * Weight of `1 / count` for each of the `count` highest scores; they sum to less than 1 if fewer are above `minimum`.
 * NaN is not a score. Ties go to the symbol that comes first alphabetically.
 */
export function topByRank(scores: Scores, count: number, minimum = -Infinity): Weights {
  if (!Number.isInteger(count) || count < 1)
    throw new InvalidValueError(`topByRank: ${count} symbols; write a whole number, 1 or more`);
  const ranked = Object.entries(scores)
    .filter(([, score]) => score > minimum)
    .sort(([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : 1));
  return Object.fromEntries(ranked.slice(0, count).map(([symbol]) => [symbol, 1 / count]));
}

/** Weights multiplied by a factor. */
export const scaledBy = (weights: Readonly<Weights>, factor: number): Weights =>
  Object.fromEntries(Object.entries(weights).map(([symbol, weight]) => [symbol, weight * factor]));
