import { InvalidValueError } from '../../core/errors.ts';
import { momentsOf, variancesOf, type Moments } from './covariance.ts';
import { portfolioMinimum } from './quadratic.ts';
import { scaledBy, type AssetReturns, type Weights } from './weights.ts';

const weightsOf = (symbols: readonly string[], values: readonly number[]): Weights =>
  Object.fromEntries(symbols.map((symbol, index) => [symbol, values[index] ?? 0]));

/** Values divided by their sum. */
function normalised(values: readonly number[]): number[] {
  const total = values.reduce((all, value) => all + value, 0);
  return values.map((value) => value / total);
}

/**
 * Weights by inverse standard deviation, ignoring correlations and summing to 1: 1/σᵢ over Σ 1/σ.
 * @throws {InvalidValueError} as `momentsOf`, and for a symbol that never moves
 */
export function inverseVolatility(returns: AssetReturns): Weights {
  const { symbols, variances } = variancesOf(returns);
  requireMoving(symbols, variances);
  return weightsOf(symbols, normalised(variances.map((variance) => 1 / Math.sqrt(variance))));
}

function requireMoving(symbols: readonly string[], variances: readonly number[]): void {
  const still = variances.findIndex((variance) => !(variance > 0));
  if (still >= 0) throw new InvalidValueError(`${symbols[still] ?? ''} never moves: leave it out`);
}

/** Moments of symbols, all of which must move. @throws {InvalidValueError} */
function movingMoments(returns: AssetReturns): Moments {
  const { symbols, variances } = variancesOf(returns);
  requireMoving(symbols, variances);
  return momentsOf(returns);
}

/** Maximum number of steps of the descent of `riskParity`, and its precision. */
const STEPS_MAX = 10_000;
const CLOSE = 1e-14;

/**
 * Weights at which each symbol contributes the same risk, wᵢ·(Σw)ᵢ, summing to 1. By cyclical coordinate descent on
 * ½·x'Σx − Σ ln xᵢ / p (Griveau-Billion, Richard and Roncalli, "A fast algorithm for computing high-dimensional risk
 * parity portfolios", 2013), with the covariance of `momentsOf`.
 * @throws {InvalidValueError} as `momentsOf`, and where nothing moves
 */
export function riskParity(returns: AssetReturns): Weights {
  const { matrix, symbols } = movingMoments(returns);
  const [size, budget] = [symbols.length, 1 / symbols.length];
  const x = matrix.map((row, index) => 1 / Math.sqrt(row[index] ?? NaN) / size);
  for (let step = 0; step < STEPS_MAX; step++) {
    let moved = 0;
    for (let index = 0; index < size; index++) {
      const row = matrix[index] ?? [];
      const variance = row[index] ?? NaN;
      const others = row.reduce((sum, value, at) => (at === index ? sum : sum + value * (x[at] ?? NaN)), 0);
      const next = (Math.sqrt(others * others + 4 * variance * budget) - others) / (2 * variance);
      moved = Math.max(moved, Math.abs(next / (x[index] ?? NaN) - 1));
      x[index] = next;
    }
    if (moved < CLOSE) break;
  }
  return weightsOf(symbols, normalised(x));
}

/**
 * Minimum-variance weights, none below 0, summing to 1 (Markowitz, "Portfolio selection", Journal of Finance 7(1),
 * 1952), with the covariance of `momentsOf`. @throws {InvalidValueError} as `momentsOf`
 */
export function minimumVariance(returns: AssetReturns): Weights {
  const { symbols, matrix } = movingMoments(returns);
  return weightsOf(
    symbols,
    portfolioMinimum(
      matrix,
      symbols.map(() => 0),
    ),
  );
}

/**
 * Weights that maximise w'μ − (riskAversion / 2)·w'Σw, none below 0, summing to 1, with means and covariance per period
 * from `momentsOf`. Sample means are mostly noise: 1 follows them, 10 or more stays near `minimumVariance`.
 * @throws {InvalidValueError} as `momentsOf`, and for a risk aversion that is not above 0
 */
export function meanVariance(returns: AssetReturns, riskAversion: number): Weights {
  if (!(riskAversion > 0) || !Number.isFinite(riskAversion))
    throw new InvalidValueError(`meanVariance: a risk aversion of ${riskAversion}; write a number above 0`);
  const { symbols, matrix, means } = movingMoments(returns);
  return weightsOf(
    symbols,
    portfolioMinimum(
      matrix,
      means.map((mean) => mean / riskAversion),
    ),
  );
}

const PERIODS_A_YEAR = 252;

/** Target for annual volatility, 0.1 for 10 %. `periodsPerYear`: of the returns; default 252. */
export type VolatilityTarget = Readonly<{ volatility: number; periodsPerYear?: number }>;

/**
 * Weights scaled so that their annual volatility would have met the target, but never scaled up: the venue lends
 * nothing. √(w'Σw · periods a year), with the covariance of `momentsOf`.
 * @throws {InvalidValueError} as `momentsOf`, and for a target that is not above 0
 */
export function volatilityTarget(
  weights: Readonly<Weights>,
  returns: AssetReturns,
  { volatility: target, periodsPerYear = PERIODS_A_YEAR }: VolatilityTarget,
): Weights {
  if (!(target > 0)) throw new InvalidValueError(`volatilityTarget: ${target}; write 0.1 for 10 % a year`);
  const held = Object.keys(weights).filter((symbol) => weights[symbol] !== 0);
  if (held.length === 0) return { ...weights };
  const lost = held.find((symbol) => !(symbol in returns));
  if (lost !== undefined) throw new InvalidValueError(`volatilityTarget: no returns of ${lost} are given`);
  const { symbols, matrix } = momentsOf(
    Object.fromEntries(held.map((symbol) => [symbol, returns[symbol] ?? []])),
  );
  const values = symbols.map((symbol) => weights[symbol] ?? 0);
  const variance = matrix.reduce(
    (sum, row, index) =>
      sum + (values[index] ?? 0) * row.reduce((line, value, at) => line + value * (values[at] ?? 0), 0),
    0,
  );
  const volatility = Math.sqrt(variance * periodsPerYear);
  return scaledBy(weights, Math.min(1, volatility > 0 ? target / volatility : 1));
}
