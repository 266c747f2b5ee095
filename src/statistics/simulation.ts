import { seededRandom } from '../core/random.ts';
import type { Measure } from './measure.ts';
import { quantileOf, sorted } from './moments.ts';
import { ofReturns, type Sample } from './sample.ts';

/** Paths of a year, of blocks of returns drawn with repetition, so that what follows what is kept in them. */
const PATHS = 1_000;
const BLOCK = 20;
/** Ruin: half of what there was. */
const BARRIER = 0.5;

/** Calls `each` with every path: what 1 has become at each mark. The array is used again for the next. */
function forEachPath(
  { returns, marksPerYear }: Sample,
  seed: number,
  each: (path: Float64Array) => void,
): void {
  const random = seededRandom(seed);
  const path = new Float64Array(marksPerYear);
  for (let drawn = 0; drawn < PATHS; drawn++) {
    let value = 1;
    let place = 0;
    for (let step = 0; step < path.length; step++) {
      place = step % BLOCK === 0 ? Math.floor(random.next() * returns.length) : (place + 1) % returns.length;
      value *= 1 + (returns[place] ?? 0);
      path[step] = value;
    }
    each(path);
  }
}

/** Share of the simulated years in which at some mark half of the account or more is gone. */
export const riskOfRuin = (sample: Sample, seed: number): Measure =>
  ofReturns(sample, () => {
    let ruined = 0;
    forEachPath(sample, seed, (path) => {
      if (path.some((value) => value <= BARRIER)) ruined++;
    });
    return ruined / PATHS;
  });

/** Of the simulated years, at each mark: the value of 1 that 5, 25, 50, 75 and 95 % of them are below; null for too few returns. */
export type Fan = Readonly<Record<'p5' | 'p25' | 'p50' | 'p75' | 'p95', readonly number[]>>;

export function simulatedFan(sample: Sample, seed: number): Fan | null {
  if (sample.returns.length < BLOCK) return null;
  const columns = Array.from({ length: sample.marksPerYear }, (): number[] => []);
  forEachPath(sample, seed, (path) => {
    for (const [step, column] of columns.entries()) column.push(path[step] ?? NaN);
  });
  const ordered = columns.map(sorted);
  const at = (share: number) => ordered.map((column) => quantileOf(column, share));
  return { p5: at(0.05), p25: at(0.25), p50: at(0.5), p75: at(0.75), p95: at(0.95) };
}
