import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../src/core/seededRandom.ts';
import { entryTestOf, type EntryTest, type Holding } from '../../../src/lab/significance/entryTest.ts';
import { normals } from './series.ts';

function found(holding: Holding, draws = 1_000, seed: number | string = 1): EntryTest {
  const result = entryTestOf(holding, { random: seededRandom(seed), draws });
  if ('reason' in result) throw new Error(result.reason);
  return result;
}

/** All orders of a list. */
const orders = <T>(list: readonly T[]): T[][] =>
  list.length === 0
    ? [[]]
    : list.flatMap((first, at) => orders(list.toSpliced(at, 1)).map((rest) => [first, ...rest]));

test('the entry test gives the share of all orders of holdings and gaps that gain as much', () => {
  const returns = Float64Array.of(0.02, -0.01, 0.005, 0.03, 0.01, -0.02, 0.004);
  const pieces = [[1], [0], [0.5, 1], [0], [-1, -2], [0].slice(1)].filter((piece) => piece.length > 0);
  const gain = (positions: readonly number[]) =>
    positions.reduce((sum, position, at) => sum + position * (returns[at] ?? NaN), 0);
  const positions = pieces.flat();
  const all = orders(pieces).map((order) => gain(order.flat()));
  const share = all.filter((one) => one >= gain(positions) - 1e-12).length / all.length;
  const result = found({ returns, positions: Float64Array.from(positions) }, 20_000);
  expect(result.entries).toBe(3);
  expect(result.gain).toBeCloseTo(gain(positions), 12);
  expect(result.randomGain).toBeCloseTo(all.reduce((sum, one) => sum + one, 0) / all.length, 3);
  expect(Math.abs(result.probability - share)).toBeLessThan(0.012);
});

/** Holdings of 10 bars, begun at random while none is held. */
function randomHoldings(bars: number, seed: number): Float64Array {
  const random = seededRandom(`holdings ${seed}`);
  const positions = new Float64Array(bars);
  for (let at = 0; at < bars; at++) if (random.next() < 0.05) positions.fill(1, at, (at += 10));
  return positions;
}

describe('random entries', () => {
  test('in a rising market are not significant, though they gain', () => {
    const results = Array.from({ length: 100 }, (_, seed) => {
      const returns = normals(750, seededRandom(seed)).map((value) => 0.01 * (value + 0.15));
      return found({ returns, positions: randomHoldings(750, seed) }, 200);
    });
    expect(results.filter(({ gain }) => gain > 0).length).toBeGreaterThan(85);
    const low = results.filter(({ probability }) => probability <= 0.1).length;
    expect(low).toBeGreaterThan(2);
    expect(low).toBeLessThan(20);
  });
});

test('entries before rises get the lowest probability, and entries before falls the highest', () => {
  const returns = normals(1_000, seededRandom(1)).map((value) => 0.01 * value);
  const positions = returns.map((value, at) => (value + (returns[at + 1] ?? 0) > 0.015 ? 1 : 0));
  expect(found({ returns, positions }).probability).toBe(1 / 1_001);
  expect(found({ returns: returns.map((value) => -value), positions }).probability).toBe(1);
});

test('a reversal counts as an entry', () =>
  expect(
    found({ returns: normals(6, seededRandom(1)), positions: Float64Array.of(1, 1, -1, -1, 1, 0) }).entries,
  ).toBe(3));

describe('the entry test', () => {
  const returns = new Float64Array(30).fill(0.01);
  test.each([
    ['without an entry', new Float64Array(30), 'there was no entry'],
    [
      'where one position was held all the time',
      new Float64Array(30).fill(1),
      'a single position over all bars cannot be placed elsewhere',
    ],
  ])('gives a reason %s', (_name, positions, reason) =>
    expect(entryTestOf({ returns, positions }, { random: seededRandom(1) })).toEqual({ reason }),
  );

  test('refuses columns of different lengths', () =>
    expect(() =>
      entryTestOf({ returns, positions: new Float64Array(29) }, { random: seededRandom(1) }),
    ).toThrow('30 returns and 29 positions: give one of each for every bar'));
});
