import type { Random } from '../../core/random.ts';

/**
 * Primitive polynomials and initial direction numbers of all dimensions but the first (Joe and Kuo 2008, table
 * new-joe-kuo-6.21201): degree, coefficients, and one odd number for each degree.
 */
const DIRECTIONS: readonly (readonly [degree: number, coefficients: number, first: readonly number[]])[] = [
  [1, 0, [1]],
  [2, 1, [1, 3]],
  [3, 1, [1, 3, 1]],
  [3, 2, [1, 1, 1]],
  [4, 1, [1, 1, 3, 3]],
  [4, 4, [1, 3, 5, 13]],
  [5, 2, [1, 1, 5, 5, 17]],
  [5, 4, [1, 1, 5, 5, 5]],
  [5, 7, [1, 1, 7, 11, 19]],
  [5, 11, [1, 1, 5, 1, 1]],
  [5, 13, [1, 1, 1, 3, 11]],
  [5, 14, [1, 3, 5, 5, 31]],
  [6, 1, [1, 3, 3, 9, 7, 49]],
  [6, 13, [1, 1, 1, 15, 21, 21]],
  [6, 16, [1, 3, 1, 13, 27, 49]],
  [6, 19, [1, 1, 1, 15, 7, 5]],
  [6, 22, [1, 3, 1, 15, 13, 25]],
  [6, 25, [1, 1, 5, 5, 19, 61]],
  [7, 1, [1, 3, 7, 11, 23, 15, 103]],
  [7, 4, [1, 3, 7, 13, 13, 15, 69]],
];

const BITS = 32;

/** Maximum number of dimensions of a sequence. */
export const SOBOL_DIMENSIONS = DIRECTIONS.length + 1;

/** Direction numbers of a dimension, as 32-bit fractions. */
function directionsOf(dimension: number): Uint32Array {
  const numbers = new Uint32Array(BITS);
  const row = DIRECTIONS[dimension - 1];
  if (!row) return numbers.map((_, bit) => 2 ** (BITS - 1 - bit));
  const [degree, coefficients, first] = row;
  for (let bit = 0; bit < BITS; bit++) {
    if (bit < degree) {
      numbers[bit] = (first[bit] ?? 1) << (BITS - 1 - bit);
      continue;
    }
    const back = numbers[bit - degree] ?? 0;
    let value = back ^ (back >>> degree);
    for (let term = 1; term < degree; term++)
      if ((coefficients >> (degree - 1 - term)) & 1) value ^= numbers[bit - term] ?? 0;
    numbers[bit] = value;
  }
  return numbers;
}

/**
 * Sobol sequence in Gray-code order with a random digital shift in each dimension, which preserves its evenness.
 * @param dimensions at most `SOBOL_DIMENSIONS`
 */
export function* sobolPoints(dimensions: number, random: Random): Generator<readonly number[]> {
  const directions = Array.from({ length: dimensions }, (_, dimension) => directionsOf(dimension));
  const state = Uint32Array.from({ length: dimensions }, () => Math.floor(random.next() * 2 ** BITS));
  for (let index = 1; ; index++) {
    yield Array.from(state, (value) => value / 2 ** BITS);
    const bit = Math.min(31 - Math.clz32(index & -index), BITS - 1);
    directions.forEach((numbers, dimension) => {
      state[dimension] = (state[dimension] ?? 0) ^ (numbers[bit] ?? 0);
    });
  }
}
