import { invariant } from '../../core/errors.ts';

type Matrix = readonly (readonly number[])[];

/** Size from which a multiplier counts as negative, relative to the largest variance. */
const NEGATIVE = 1e-12;

/**
 * Weights w that minimise ½·w'Σw − g'w, with w ≥ 0 and Σw = 1, for a positive definite Σ: by the primal active-set
 * method (Nocedal and Wright, "Numerical optimization", 2006, algorithm 16.3), exact up to rounding.
 */
export function portfolioMinimum(matrix: Matrix, gains: readonly number[]): number[] {
  const size = matrix.length;
  let weights = Array.from({ length: size }, () => 1 / size);
  const free = new Set(weights.keys());
  const scale = Math.max(...matrix.map((row, index) => row[index] ?? 0));
  for (let step = 0; step < STEPS_PER_SYMBOL * size; step++) {
    const { target, multiplier } = equalityMinimum(matrix, gains, [...free]);
    const blocking = firstBlock(weights, target, free);
    if (blocking) {
      const { share, index } = blocking;
      weights = weights.map((value, at) => value + share * ((target[at] ?? 0) - value));
      weights[index] = 0;
      free.delete(index);
      continue;
    }
    weights = target;
    const entering = mostWanted({ matrix, gains, weights, multiplier }, free, scale);
    if (entering === null) return weights;
    free.add(entering);
  }
  return weights;
}

const STEPS_PER_SYMBOL = 50;

/** Minimum over the free weights, with the multiplier of their sum. */
function equalityMinimum(matrix: Matrix, gains: readonly number[], free: readonly number[]) {
  const rows = free.map((index) => [...free.map((at) => matrix[index]?.[at] ?? 0), -1, gains[index] ?? 0]);
  rows.push([...free.map(() => 1), 0, 1]);
  const solved = solve(rows);
  const target = matrix.map(() => 0);
  free.forEach((index, place) => (target[index] = solved[place] ?? 0));
  return { target, multiplier: solved[free.length] ?? 0 };
}

/** First weight that becomes negative on the way to the target, and the fraction of the way until then. */
function firstBlock(weights: readonly number[], target: readonly number[], free: ReadonlySet<number>) {
  let found: { share: number; index: number } | null = null;
  for (const index of free) {
    const [now, then] = [weights[index] ?? 0, target[index] ?? 0];
    if (then >= 0) continue;
    const share = now / (now - then);
    if (!found || share < found.share) found = { share, index };
  }
  return found;
}

type At = Readonly<{
  matrix: Matrix;
  gains: readonly number[];
  weights: readonly number[];
  multiplier: number;
}>;

/** Zero weight whose increase gains most; null if none does. */
function mostWanted(
  { matrix, gains, weights, multiplier }: At,
  free: ReadonlySet<number>,
  scale: number,
): number | null {
  let [wanted, least]: [number | null, number] = [null, -NEGATIVE * scale];
  for (const [index, row] of matrix.entries()) {
    if (free.has(index)) continue;
    const slope =
      row.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0) - (gains[index] ?? 0) - multiplier;
    if (slope < least) [wanted, least] = [index, slope];
  }
  return wanted;
}

/** Solves linear equations, right-hand side last, by Gaussian elimination with row exchanges. Modifies the rows. */
function solve(rows: number[][]): number[] {
  const size = rows.length;
  for (let column = 0; column < size; column++) {
    let pivot = column;
    for (let row = column + 1; row < size; row++)
      if (Math.abs(rows[row]?.[column] ?? 0) > Math.abs(rows[pivot]?.[column] ?? 0)) pivot = row;
    const [first, second] = [rows[column] ?? [], rows[pivot] ?? []];
    [rows[column], rows[pivot]] = [second, first];
    invariant(second[column] !== 0, 'a positive definite matrix has a solution');
    for (let row = 0; row < size; row++) if (row !== column) eliminate(rows[row] ?? [], second, column);
  }
  return rows.map((row, index) => (row[size] ?? 0) / (row[index] ?? NaN));
}

function eliminate(row: number[], pivot: readonly number[], column: number): void {
  const factor = (row[column] ?? 0) / (pivot[column] ?? NaN);
  if (factor === 0) return;
  for (let at = column; at < row.length; at++) row[at] = (row[at] ?? 0) - factor * (pivot[at] ?? 0);
}
