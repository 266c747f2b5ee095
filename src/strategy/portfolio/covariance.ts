import { InvalidValueError } from '../../core/errors.ts';
import type { AssetReturns } from './weights.ts';

/** Means and covariances of returns per period. `matrix[i]` is the row of `symbols[i]`. */
export type Moments = Readonly<{
  symbols: readonly string[];
  means: readonly number[];
  matrix: readonly (readonly number[])[];
}>;

/** Minimum number of periods for a covariance. */
const PERIODS_MIN = 2;

/**
 * Sample means and covariances over n, shrunk towards a multiple of the identity matrix as by Ledoit and Wolf ("A
 * well-conditioned estimator for large-dimensional covariance matrices", Journal of Multivariate Analysis 88, 2004):
 * the sample alone turns noise into extreme weights.
 *
 * With X the n × p returns less their means, S = X'X / n, m = tr(S) / p: d² = ‖S − m·I‖² / p, b² = min(Σ_k ‖x_k·x_k' −
 * S‖² / n² / p, d²), and the result is (b² / d²)·m·I + (1 − b² / d²)·S. `shrinkage`: b² / d².
 * @throws {InvalidValueError} for no symbol, under 2 periods, unequal lengths, or a value that is not a number
 */
export function momentsOf(returns: AssetReturns): Moments & Readonly<{ shrinkage: number }> {
  const data = centered(returns);
  const { symbols, means } = data;
  const sample = covarianceOf(data);
  const size = symbols.length;
  const mean = sample.reduce((sum, row, index) => sum + (row[index] ?? NaN), 0) / size;
  const apart = sum(sample, (value, row, column) => (value - (row === column ? mean : 0)) ** 2) / size;
  const noise = Math.min(noiseOf(data, sample), apart);
  const shrinkage = apart > 0 ? noise / apart : 0;
  const matrix = sample.map((row, index) =>
    row.map((value, at) => (1 - shrinkage) * value + (index === at ? shrinkage * mean : 0)),
  );
  return { symbols, means, matrix, shrinkage };
}

/** Variance of each symbol's returns, over n. @throws {InvalidValueError} as `momentsOf` */
export function variancesOf(
  returns: AssetReturns,
): Readonly<{ symbols: readonly string[]; variances: readonly number[] }> {
  const { symbols, columns, periods } = centered(returns);
  return { symbols, variances: columns.map((column) => dot(column, column) / periods) };
}

const covarianceOf = ({ columns, periods }: CenteredReturns): number[][] =>
  columns.map((first) => columns.map((second) => dot(first, second) / periods));

type CenteredReturns = Readonly<{
  symbols: readonly string[];
  columns: readonly Float64Array[];
  means: readonly number[];
  periods: number;
}>;

function centered(returns: AssetReturns): CenteredReturns {
  const symbols = Object.keys(returns);
  const given = symbols.map((symbol) => Float64Array.from(returns[symbol] ?? []));
  const periods = given[0]?.length ?? 0;
  if (periods < PERIODS_MIN)
    throw new InvalidValueError(`returns of ${periods} periods: a covariance takes ${PERIODS_MIN} or more`);
  for (const [index, column] of given.entries()) {
    const symbol = symbols[index] ?? '';
    if (column.length !== periods)
      throw new InvalidValueError(
        `${symbol} has ${column.length} returns, ${symbols[0] ?? ''} ${periods}: give the same periods`,
      );
    const odd = column.findIndex((value) => !Number.isFinite(value));
    if (odd >= 0)
      throw new InvalidValueError(`return ${odd + 1} of ${symbol} is ${column[odd] ?? NaN}, and no number`);
  }
  const means = given.map((column) => column.reduce((total, value) => total + value, 0) / periods);
  const columns = given.map((column, index) => column.map((value) => value - (means[index] ?? 0)));
  return { symbols, columns, means, periods };
}

const dot = (first: Float64Array, second: Float64Array): number =>
  first.reduce((total, value, index) => total + value * (second[index] ?? NaN), 0);

const sum = (
  matrix: readonly (readonly number[])[],
  of: (value: number, row: number, column: number) => number,
): number =>
  matrix.reduce(
    (total, values, row) => values.reduce((line, value, column) => line + of(value, row, column), total),
    0,
  );

/** Mean squared error of the sample covariance, per symbol. */
function noiseOf({ columns, periods }: CenteredReturns, sample: readonly (readonly number[])[]): number {
  let total = 0;
  for (let period = 0; period < periods; period++)
    total += sum(
      sample,
      (value, row, column) =>
        ((columns[row]?.[period] ?? NaN) * (columns[column]?.[period] ?? NaN) - value) ** 2,
    );
  return total / periods ** 2 / columns.length;
}
