import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../src/core/seededRandom.ts';
import {
  bestBlockLength,
  blockLengthOf,
  bootstrapVariance,
  drawPlaces,
  placesOf,
  shuffle,
} from '../../../src/lab/significance/resampling.ts';
import { autoregression } from './series.ts';

describe('the block length of Politis and White', () => {
  // arch 8.0.0 (Python), optimal_block_length, column "stationary", of the same series.
  test.each([
    { seed: 2, count: 500, kept: 0.5, known: 5.533508515774739 },
    { seed: 3, count: 1_000, kept: 0.9, known: 45.38547585859265 },
    { seed: 4, count: 250, kept: -0.4, known: 4.257746275541165 },
    { seed: 5, count: 2_520, kept: 0.2, known: 6.435313465746159 },
  ])('of a series of $count that keeps $kept', ({ seed, count, kept, known }) =>
    expect(bestBlockLength(autoregression(seed, count, kept))).toBeCloseTo(known, 8),
  );

  test('is 1 without autocorrelation or any move', () => {
    // arch: 0.171.
    expect(bestBlockLength(autoregression(1, 500, 0))).toBe(1);
    expect(bestBlockLength(new Float64Array(500).fill(0.01))).toBe(1);
  });

  test('is at most a third of the series', () =>
    expect(bestBlockLength(Float64Array.from({ length: 60 }, (_, at) => at))).toBeLessThanOrEqual(20));

  test('of several columns is the mean of theirs', () =>
    expect(blockLengthOf([autoregression(2, 500, 0.5), autoregression(1, 500, 0)])).toBeCloseTo(
      (5.533508515774739 + 1) / 2,
      8,
    ));
});

describe('a block resample', () => {
  const draw = (count: number, blockLength: number) =>
    drawPlaces(new Int32Array(count), { random: seededRandom(5), blockLength });

  test('has blocks of the requested mean length, and every place equally often', () => {
    const places = draw(200_000, 8);
    const breaks = places.filter((place, at) => at > 0 && place !== ((places[at - 1] ?? NaN) + 1) % 200_000);
    expect(200_000 / breaks.length).toBeCloseTo(8, 0);
    const small = Array.from({ length: 2_000 }, (_, seed) =>
      drawPlaces(new Int32Array(10), { random: seededRandom(seed), blockLength: 3 }),
    );
    for (const place of placesOf(10)) {
      const count = small.flatMap((drawn) => [...drawn]).filter((drawn) => drawn === place).length;
      expect(Math.abs(count - 2_000)).toBeLessThan(300);
    }
  });

  test('of block length 1 draws with replacement', () => {
    const neighbours = [...draw(20_000, 1)].filter((place, at, all) => place === (all[at - 1] ?? NaN) + 1);
    expect(neighbours.length).toBeLessThan(10);
  });

  test('of infinite block length is the series itself from any start', () => {
    const places = draw(50, 1e12);
    expect([...places].every((place, at) => at === 0 || place === ((places[at - 1] ?? NaN) + 1) % 50)).toBe(
      true,
    );
  });
});

test('the variance of a resample agrees with the formula, with the arch package, and with resamples', () => {
  const column = autoregression(10, 400, 0.3).map((value) => 0.01 * value);
  const mean = column.reduce((sum, value) => sum + value, 0) / 400;
  const covariance = (lag: number) =>
    column.reduce(
      (sum, value, at) => (at < lag ? sum : sum + (value - mean) * ((column[at - lag] ?? 0) - mean)),
      0,
    ) / 400;
  for (const length of [1, 4, 12]) {
    const p = 1 / length;
    let written = covariance(0);
    for (let lag = 1; lag < 400; lag++)
      written +=
        2 * ((1 - lag / 400) * (1 - p) ** lag + (lag / 400) * (1 - p) ** (400 - lag)) * covariance(lag);
    expect(bootstrapVariance(column, length) / written).toBeCloseTo(1, 8);
  }
  // arch 8.0.0, SPA of this series with block_size 1, 4 and 12: root of its _loss_diff_var.
  const known = [0.00306746, 0.00387671, 0.00388563];
  expect([1, 4, 12].map((length) => Math.sqrt(bootstrapVariance(column, length)))).toEqual(
    known.map((value) => expect.closeTo(value, 8) as number),
  );
  const random = seededRandom(2);
  const places = new Int32Array(400);
  const means = Array.from({ length: 4_000 }, () =>
    drawPlaces(places, { random, blockLength: 4 }).reduce(
      (sum, place) => sum + (column[place] ?? NaN) / 400,
      0,
    ),
  );
  const drawn = (means.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 4_000) * 400;
  expect(drawn / bootstrapVariance(column, 4)).toBeCloseTo(1, 1);
});

test('a shuffle gives every order equally often', () => {
  const random = seededRandom(1);
  const counts = new Map<string, number>();
  for (let draw = 0; draw < 6_000; draw++) {
    const order = shuffle(placesOf(3), random).join('');
    counts.set(order, (counts.get(order) ?? 0) + 1);
  }
  expect([...counts.keys()].sort()).toEqual(['012', '021', '102', '120', '201', '210']);
  for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(150);
});
