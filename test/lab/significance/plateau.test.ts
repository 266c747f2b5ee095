import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../src/core/seededRandom.ts';
import { plateauOf, type Plateau, type TrialValue } from '../../../src/lab/significance/plateau.ts';

const found = (trials: readonly TrialValue[], best = bestOf(trials)): Plateau => {
  const result = plateauOf(trials, best);
  if ('reason' in result) throw new Error(result.reason);
  return result;
};

const bestOf = (trials: readonly TrialValue[]): number => {
  const values = trials.map(({ value }) => (Number.isFinite(value) ? value : -Infinity));
  return values.indexOf(Math.max(...values));
};

/** Trials on a grid, row by row. */
const grid = (rows: readonly (readonly number[])[]): TrialValue[] =>
  rows.flatMap((row, slow) =>
    row.map((value, fast) => ({ params: { fast: fast * 5, slow: slow * 20 }, value })),
  );

describe('a plateau on a grid', () => {
  const hill = grid([
    [0.1, 0.2, 0.1, 0.0, 0.1],
    [0.2, 0.8, 0.9, 0.7, 0.1],
    [0.1, 0.9, 1.0, 0.8, 0.2],
    [0.0, 0.7, 0.9, 0.8, 0.1],
    [0.1, 0.1, 0.2, 0.1, 0.0],
  ]);

  test('has neighbours one step away in any or all parameters', () => {
    const { neighbours, score, edges, text } = found(hill);
    expect([...neighbours].sort((a, b) => a - b)).toEqual([6, 7, 8, 11, 13, 16, 17, 18]);
    expect(score).toBeCloseTo(0.8, 12);
    expect(edges).toEqual([]);
    expect(text).toBe(
      'the best set is on a plateau: the median of its 8 neighbours reaches 80 % of its result',
    );
  });

  test('does not exist around a lonely peak', () => {
    const peak = hill.map((trial, place) => (place === 24 ? { ...trial, value: 2 } : trial));
    const { score, edges, text } = found(peak);
    expect(score).toBeCloseTo(0.05, 12);
    expect(edges).toEqual(['fast', 'slow']);
    expect(text).toBe(
      'the best set is a lonely peak: the median of its 3 neighbours reaches 5 % of its result; it lies at the edge of fast and slow: try values beyond',
    );
  });

  test('does not exist around the best set of a slope', () =>
    expect(found(grid([[0.1, 0.45, 1]])).text).toMatch(
      /^the best set is on a slope: its one neighbour reaches 45 % of its result/,
    ));

  test('has steps of the values tried, however far apart', () => {
    const wide = [1, 10, 100, 1_000].map((length, at) => ({ params: { length }, value: at === 1 ? 1 : 0.9 }));
    expect(found(wide).neighbours).toEqual([0, 2]);
  });

  test('has the same names and switches for all neighbours', () => {
    const trials = [true, false].flatMap((short) =>
      [1, 2, 3].map((fast) => ({ params: { fast, short, kind: 'sma' }, value: fast + (short ? 0 : 1) })),
    );
    expect(found(trials).neighbours).toEqual([4]);
  });

  test('leaves out failed trials', () => {
    const holes = hill.map((trial, place) => ([6, 7, 8].includes(place) ? { ...trial, value: NaN } : trial));
    expect(found(holes).neighbours).toHaveLength(5);
    expect(plateauOf(holes, 6)).toEqual({ reason: 'the best trial has no value' });
  });

  test('still counts as a grid if a constraint leaves sets out', () => {
    const kept = hill.filter(({ params }) => Number(params['fast']) < Number(params['slow']));
    const best = bestOf(kept);
    for (const place of found(kept, best).neighbours) {
      const [one, other] = [kept[best]?.params ?? {}, kept[place]?.params ?? {}];
      expect(Math.abs(Number(one['fast']) - Number(other['fast']))).toBeLessThanOrEqual(5);
      expect(Math.abs(Number(one['slow']) - Number(other['slow']))).toBeLessThanOrEqual(20);
    }
  });
});

describe('a plateau without a grid', () => {
  const random = seededRandom(1);
  const trials = Array.from({ length: 200 }, () => {
    const params = { length: 10 + 190 * random.next(), stop: 0.01 + 0.09 * random.next() };
    const away = Math.hypot((params.length - 80) / 190, (params.stop - 0.05) / 0.09);
    return { params, value: 1.5 * Math.exp(-8 * away ** 2) };
  });

  test('has the nearest sets as neighbours, two for each parameter', () => {
    const best = bestOf(trials);
    const own = trials[best]?.params ?? { length: NaN, stop: NaN };
    const spans = (['length', 'stop'] as const).map((name) => {
      const values = trials.map(({ params }) => params[name]);
      return Math.max(...values) - Math.min(...values);
    });
    const nearest = trials
      .map(({ params }, place) => ({
        place,
        away: Math.hypot(
          (params.length - own.length) / (spans[0] ?? NaN),
          (params.stop - own.stop) / (spans[1] ?? NaN),
        ),
      }))
      .sort((a, b) => a.away - b.away)
      .slice(1, 5)
      .map(({ place }) => place);
    expect(found(trials).neighbours).toEqual(nearest);
    expect(found(trials).score).toBeGreaterThan(0.8);
  });

  test('uses logarithmic distance if the search was logarithmic', () => {
    const params = [1, 2, 40, 100, 500, 900, 1_000, 3].map((length, at) => ({ length, other: at * 1e-9 }));
    const values = params.map((own, at) => ({ params: own, value: at === 3 ? 1 : 0.5 }));
    const nearest = (logarithmic?: ReadonlySet<string>) => {
      const plateau = plateauOf(values, 3, logarithmic);
      return 'reason' in plateau ? [] : plateau.neighbours.slice(0, 2);
    };
    const own = (places: readonly number[]) => places.map((place) => params[place]?.length);
    expect(own(nearest())[0]).toBe(40);
    expect(own(nearest())).not.toContain(500);
    expect(own(nearest(new Set(['length'])))).toEqual([40, 500]);
  });

  test('does not exist around a lucky trial far from all others', () => {
    const lucky = [...trials, { params: { length: 199, stop: 0.099 }, value: 3 }];
    expect(found(lucky).score).toBeLessThan(0.2);
  });
});
