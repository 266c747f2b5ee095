import { expect, test } from 'vitest';
import { seededRandom } from '../../../src/core/seededRandom.ts';
import { parameterEffects } from '../../../src/lab/significance/parameterEffects.ts';
import { normals } from './series.ts';

const grid = (valueOf: (a: number, b: number) => number, size = 6) =>
  Array.from({ length: size * size }, (_, place) => {
    const [a, b] = [place % size, Math.floor(place / size)];
    return { params: { a, b, kind: 'sma' }, value: valueOf(a, b) };
  });

test('the parameter effects of a small table equal an analysis of variance on paper', () => {
  const table = [
    [1, 2, 4],
    [3, 5, 9],
  ];
  const trials = table.flatMap((row, a) => row.map((value, b) => ({ params: { a, b }, value })));
  // SST 40; a: SSB 50/3, MSW 35/6; b: SSB 21, MSW 19/3.
  expect(parameterEffects(trials)).toEqual({
    a: expect.closeTo((50 / 3 - 35 / 6) / 40, 12) as number,
    b: expect.closeTo((21 - (2 * 19) / 3) / 40, 12) as number,
  });
});

test('the larger part of a sum explains most, and a constant parameter nothing', () => {
  const random = seededRandom(1);
  const noise = normals(36, random);
  const effects = parameterEffects(grid((a, b) => 3 * a + b + 0.01 * (noise[a * 6 + b] ?? 0)));
  // Nine tenths and one, each less the share that 5 degrees of freedom explain by chance of what the 30 others leave.
  expect(effects).toMatchObject({
    a: expect.closeTo(0.9 - (5 / 30) * 0.1, 2) as number,
    b: 0,
    kind: 0,
  });
});

test('an interaction counts for neither parameter', () =>
  expect(parameterEffects(grid((a, b) => (a - 2.5) * (b - 2.5)))).toMatchObject({ a: 0, b: 0 }));

test('noise explains next to nothing, with many values or few', () => {
  const random = seededRandom(2);
  const values = normals(400, random);
  const trials = [...values].map((value) => ({
    params: { length: random.next(), on: random.next() < 0.5 },
    value,
  }));
  for (const share of Object.values(parameterEffects(trials))) expect(share).toBeLessThan(0.03);
});

test('a parameter of many values is grouped by rank', () => {
  const random = seededRandom(3);
  const trials = Array.from({ length: 400 }, () => {
    const length = random.next() ** 4 * 1_000;
    return { params: { length, stop: random.next() }, value: Math.log(length) };
  });
  const effects = parameterEffects(trials);
  if ('reason' in effects) throw new Error(String(effects['reason']));
  expect(effects['length']).toBeGreaterThan(0.8);
  expect(effects['stop']).toBeLessThan(0.03);
});

test('failed trials do not count, and equal results have no variance', () => {
  const trials = grid((a) => a);
  expect(parameterEffects([...trials, { params: { a: 9, b: 9, kind: 'ema' }, value: NaN }])).toEqual(
    parameterEffects(trials),
  );
  expect(parameterEffects(grid(() => 1))).toEqual({ reason: 'the trials do not differ in their result' });
  expect(parameterEffects([])).toEqual({ reason: 'the trials do not differ in their result' });
});
