import type { Random } from '../../../src/core/random.ts';
import { seededRandom } from '../../../src/core/seededRandom.ts';

/** Standard normal number (Box and Muller). */
export const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());

export const normals = (count: number, random: Random): Float64Array =>
  Float64Array.from({ length: count }, () => normal(random));

/** Series in which each value keeps a part of the one before; uniform shocks from −½ to ½. */
export function autoregression(seed: number, count: number, kept: number): Float64Array {
  const random = seededRandom(seed);
  let value = 0;
  return Float64Array.from({ length: count }, () => (value = kept * value + random.next() - 0.5));
}

export const YEAR = 252;
