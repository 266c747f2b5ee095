import { seededRandom } from '../core/seededRandom.ts';
import { NOTHING, type Measure } from './figures.ts';
import { quantileOf, quantilesBy, sorted, type Quantiles } from './moments.ts';
import { ofReturns, type Sample } from './sample.ts';

/** Number of one-year paths, from blocks of returns drawn with replacement, which keeps the order within them. */
const PATHS = 1_000;
const BLOCK = 20;
/** Ruin threshold: loss of half the account. */
const BARRIER = 0.5;

/** Calls `each` with every path: the value of 1 at each mark, and its minimum. The array is reused each time. */
function forEachPath(
  { returns, marksPerYear }: Sample,
  seed: number,
  each: (path: Float64Array, lowest: number) => void,
): void {
  const random = seededRandom(seed);
  const growths = Float64Array.from(returns, (value) => 1 + value);
  const path = new Float64Array(marksPerYear);
  for (let drawn = 0; drawn < PATHS; drawn++) {
    let [value, lowest, place] = [1, 1, 0];
    for (let step = 0; step < marksPerYear; step++) {
      place = step % BLOCK === 0 ? Math.floor(random.next() * growths.length) : place + 1;
      if (place === growths.length) place = 0;
      value *= growths[place] ?? NaN;
      if (value < lowest) lowest = value;
      path[step] = value;
    }
    each(path, lowest);
  }
}

/** Fraction of the simulated years in which half of the account or more is lost at some mark. */
export const riskOfRuin = (sample: Sample, seed: number): Measure =>
  ofReturns(sample, () => {
    const worst = sample.returns.reduce((least, value) => Math.min(least, value), 0);
    // Even the worst return, repeated all year, does not reach the barrier.
    if ((1 + worst) ** sample.marksPerYear > BARRIER + NOTHING) return 0;
    let ruined = 0;
    forEachPath(sample, seed, (_path, lowest) => {
      if (lowest <= BARRIER) ruined++;
    });
    return ruined / PATHS;
  });

/** Quantiles (5, 25, 50, 75 and 95 %) of the value of 1 at each mark of the simulated years. */
export type Fan = Quantiles<readonly number[]>;

export function simulatedFan(sample: Sample, seed: number): Fan | null {
  if (sample.returns.length < BLOCK) return null;
  const columns = Array.from({ length: sample.marksPerYear }, (): number[] => []);
  forEachPath(sample, seed, (path) => {
    for (const [step, column] of columns.entries()) column.push(path[step] ?? NaN);
  });
  const ordered = columns.map(sorted);
  return quantilesBy((share) => ordered.map((column) => quantileOf(column, share)));
}
