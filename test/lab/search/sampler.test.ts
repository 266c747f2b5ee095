import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../src/core/seededRandom.ts';
import { paretoFront, rankOf, type ParamScore } from '../../../src/lab/search/pareto.ts';
import { samplerOf, trialsOf, type Method, type SamplerOptions } from '../../../src/lab/search/sampler.ts';
import { sobolPoints } from '../../../src/lab/search/sobol.ts';
import type { ParamSet, Space } from '../../../src/lab/search/space.ts';

const space: Space = [
  { name: 'fast', kind: 'steps', min: 1, step: 1, count: 20 },
  { name: 'slow', kind: 'steps', min: 1, step: 1, count: 20 },
];
const optionsOf = (method: Method, given: Partial<SamplerOptions> = {}): SamplerOptions => ({
  space,
  method,
  trials: 64,
  seed: 7,
  accepts: ({ fast, slow }) => Number(fast) < Number(slow),
  ...given,
});

/** Runs a search whose objective is a function of the parameters. */
function searched(options: SamplerOptions, objective: (params: ParamSet) => number | null): ParamScore[] {
  const sampler = samplerOf(options);
  const history: ParamScore[] = [];
  for (let sets = sampler.next(history); sets.length > 0; sets = sampler.next(history))
    for (const params of sets) history.push({ params, objectives: [objective(params)] });
  return history;
}

const hill = ({ fast, slow }: ParamSet) => -((Number(fast) - 4) ** 2) - (Number(slow) - 17) ** 2;

describe.each(['grid', 'random', 'sobol', 'tpe'] as const)('the search method %s', (method) => {
  const found = searched(optionsOf(method), hill);
  test('tries each allowed set once', () => {
    expect(new Set(found.map(({ params }) => JSON.stringify(params))).size).toBe(found.length);
    expect(found.every(({ params }) => Number(params['fast']) < Number(params['slow']))).toBe(true);
    expect(found).toHaveLength(trialsOf(optionsOf(method)));
    expect(found).toHaveLength(method === 'grid' ? 190 : 64);
  });
  test('proposes the same sets again, and the same first ones with more trials', () => {
    expect(searched(optionsOf(method), hill)).toEqual(found);
    if (method !== 'grid')
      expect(searched(optionsOf(method, { trials: 100 }), hill).slice(0, 64)).toEqual(found);
  });
  test('ends when no set is left', () => {
    const few = optionsOf(method, { accepts: ({ fast, slow }) => fast === 1 && Number(slow) < 4 });
    expect(
      searched(few, hill)
        .map(({ params }) => params['slow'])
        .sort(),
    ).toEqual([1, 2, 3]);
  });
});

describe.each(['grid', 'random', 'sobol', 'tpe'] as const)(
  'the search method %s under a hard constraint',
  (method) => {
    const rare: Space = [
      { name: 'on', kind: 'choice', values: [0, 1] },
      { name: 'b', kind: 'steps', min: 1, step: 1, count: 500 },
      { name: 'c', kind: 'steps', min: 1, step: 1, count: 500 },
    ];
    const small = ({ b, c }: ParamSet) => Number(b) <= 2 && Number(c) <= 2;
    test.each([
      ['all 8 sets that fit', 8, small],
      ['the 4 that come after half of the space', 4, (set: ParamSet) => set['on'] === 1 && small(set)],
    ])('finds %s', (_, count, accepts) => {
      const options = optionsOf(method, { space: rare, accepts, trials: 100 });
      const found = searched(options, ({ b }) => Number(b));
      expect(new Set(found.map(({ params }) => JSON.stringify(params))).size).toBe(count);
      expect(found).toHaveLength(count);
      expect(trialsOf(options)).toBe(count);
    });
  },
);

test.each([
  ['random', 0, 'no set of the space found'],
  ['sobol', 0, 'no set of the space found'],
  ['tpe', 0, 'no set of the space found'],
  ['random', 2, 'ask for --trials 2'],
  ['tpe', 20, 'ask for --trials 20'],
] as const)('%s says that a constraint leaves only %d sets that draws find', (method, count, why) => {
  const weight: Space = [{ name: 'w', kind: 'range', min: 0, max: 1, log: false }];
  const known = new Set<unknown>();
  const accepts = ({ w }: ParamSet) => known.has(w) || (known.size < count && known.add(w).has(w));
  expect(() => searched(optionsOf(method, { space: weight, accepts }), () => 1)).toThrow(why);
});

test('tpe gets closer than random search with the same number of trials, also with undefined objectives', () => {
  const wide: Space = ['a', 'b', 'c', 'd'].map((name) => ({
    name,
    kind: 'range',
    min: 0,
    max: 1,
    log: false,
  }));
  const far = (params: ParamSet): number | null =>
    Number(params['d']) > 0.95
      ? null
      : -wide.reduce((sum, { name }) => sum + (Number(params[name]) - 0.3) ** 2, 0);
  const bestOf = (method: Method, seed: number) =>
    Math.max(
      ...searched(optionsOf(method, { space: wide, accepts: () => true, trials: 160, seed }), far).map(
        ({ objectives: [value] }) => value ?? -Infinity,
      ),
    );
  const medianOf = (method: Method) =>
    Array.from({ length: 15 }, (_, seed) => bestOf(method, seed)).sort((a, b) => a - b)[7] ?? NaN;
  expect(medianOf('tpe')).toBeGreaterThan(0.6 * medianOf('random'));
});

test.each([
  ['grid', { space: [{ name: 'w', kind: 'range', min: 0, max: 1, log: false }] }, 'give w a step'],
  [
    'grid',
    {
      space: Array.from({ length: 3 }, (_, i) => ({
        name: `p${i}`,
        kind: 'steps',
        min: 0,
        step: 1,
        count: 200,
      })),
    },
    '8000000 sets',
  ],
  [
    'sobol',
    {
      space: Array.from({ length: 22 }, (_, i) => ({
        name: `p${i}`,
        kind: 'range',
        min: 0,
        max: 1,
        log: false,
      })),
    },
    'at most 21 parameters',
  ],
] as const)('%s refuses a space that it cannot search', (method, given, why) => {
  expect(() => samplerOf(optionsOf(method, given as Partial<SamplerOptions>))).toThrow(why);
});

test('Sobol points without a shift are the published ones (Joe and Kuo 2008)', () => {
  const still = { next: () => 0, uuid: () => '' };
  const points = sobolPoints(10, still);
  const first = Array.from({ length: 4 }, () => points.next().value as readonly number[]);
  expect(first[0]).toEqual(Array.from({ length: 10 }, () => 0));
  expect(first[1]).toEqual(Array.from({ length: 10 }, () => 0.5));
  expect(first[2]).toEqual([0.75, 0.25, 0.25, 0.25, 0.75, 0.75, 0.25, 0.75, 0.75, 0.75]);
  expect(first[3]).toEqual([0.25, 0.75, 0.75, 0.75, 0.25, 0.25, 0.75, 0.25, 0.25, 0.25]);
});

test('Sobol points fill every elementary interval of each dimension once', () => {
  const points = sobolPoints(21, seededRandom(3));
  const all = Array.from({ length: 64 }, () => points.next().value as readonly number[]);
  for (let dimension = 0; dimension < 21; dimension++)
    expect(new Set(all.map((point) => Math.floor((point[dimension] ?? 0) * 64))).size).toBe(64);
});

test('the Pareto front has the trials that no other trial beats in every objective', () => {
  const trials = [
    [1, 5],
    [2, 4],
    [1, 4],
    [3, null],
    [2, 4],
  ].map((objectives, fast) => ({ params: { fast }, objectives }));
  expect(paretoFront(trials).map(({ params }) => params.fast)).toEqual([0, 1, 4]);
  expect(rankOf(trials).map(({ fast }) => fast)).toEqual([3, 1, 4, 0, 2]);
});
