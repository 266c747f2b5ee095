import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../src/core/seededRandom.ts';
import { superiorAbilityOf, type SuperiorAbility } from '../../../src/lab/significance/superiorAbility.ts';
import { autoregression, normals } from './series.ts';

const found = (columns: readonly Float64Array[], draws = 1_000): SuperiorAbility => {
  const result = superiorAbilityOf(columns, { random: seededRandom(1), draws });
  if ('reason' in result) throw new Error(result.reason);
  return result;
};

const COLUMNS = Array.from({ length: 6 }, (_, k) =>
  autoregression(10 + k, 400, 0.3).map((value) => 0.01 * value + 0.00008 * k),
);

test('reality check and superior ability agree with the arch package and with numpy', () => {
  const { realityCheck, superiorAbility, blockLength } = found(COLUMNS, 8_000);
  // arch 8.0.0: mean of optimal_block_length.
  expect(blockLength).toBeCloseTo(4.775573276989957, 8);
  // arch 8.0.0: SPA with this block_size and 40,000 reps, "upper" (it does not studentise the maximum: White's).
  expect(realityCheck).toBeCloseTo(0.0619, 1.9);
  // numpy 2.4: Hansen's studentised maximum over 40,000 resamples of its own.
  expect(superiorAbility).toBeCloseTo(0.0645, 1.9);
});

/** Hansen's and White's tests by definition: resampled columns, their means, the maximum. */
function naive(columns: readonly Float64Array[], blockLength: number, draws: number) {
  const random = seededRandom('naive');
  const count = columns[0]?.length ?? 0;
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const covariance = (values: readonly number[], lag: number) =>
    values.reduce(
      (sum, value, at) =>
        at < lag ? sum : sum + (value - mean(values)) * ((values[at - lag] ?? 0) - mean(values)),
      0,
    ) / count;
  const trials = columns.map((column) => {
    const values = [...column];
    const average = mean(values);
    const going = 1 - 1 / blockLength;
    let variance = covariance(values, 0);
    // Later lags weigh less than a millionth.
    for (let lag = 1; lag < 100; lag++)
      variance += 2 * (1 - lag / count) * going ** lag * covariance(values, lag);
    const scale = Math.sqrt(count / variance);
    const isHopeless = scale * average < -Math.sqrt(2 * Math.log(Math.log(count)));
    return { values, average, scale, centre: isHopeless ? 0 : average };
  });
  const white = Math.max(...trials.map(({ average }) => average));
  const hansen = Math.max(0, ...trials.map(({ average, scale }) => average * scale));
  let [whites, hansens] = [0, 0];
  for (let draw = 0; draw < draws; draw++) {
    const places: number[] = [];
    while (places.length < count) {
      let place = Math.floor(random.next() * count);
      do places.push(place++ % count);
      while (random.next() >= 1 / blockLength);
    }
    const means = trials.map(({ values }) =>
      mean(places.slice(0, count).map((place) => values[place] ?? NaN)),
    );
    if (Math.max(...means.map((value, k) => value - (trials[k]?.average ?? NaN))) >= white) whites++;
    const scaled = means.map((value, k) => (value - (trials[k]?.centre ?? NaN)) * (trials[k]?.scale ?? NaN));
    if (Math.max(0, ...scaled) >= hansen) hansens++;
  }
  return { white: whites / draws, hansen: hansens / draws };
}

test.each([
  ['an ordinary set of trials', 0.0001, 0],
  ['with hopeless trials', 0.0004, -0.004],
])('a second implementation agrees on %s', (_name, good, bad) => {
  const columns = Array.from({ length: 8 }, (_, k) =>
    autoregression(30 + k, 250, 0.2).map((value) => (k < 4 ? 0.01 : 0.04) * value + (k < 4 ? good * k : bad)),
  );
  const quick = found(columns, 3_000);
  const slow = naive(columns, quick.blockLength, 1_500);
  expect(Math.abs(quick.realityCheck - slow.white)).toBeLessThan(0.04);
  expect(Math.abs(quick.superiorAbility - slow.hansen)).toBeLessThan(0.04);
});

test('bad trials of high variance weaken the reality check, and not the test of superior ability', () => {
  const random = seededRandom(4);
  const good = normals(500, random).map((value) => 0.01 * (value + 0.12));
  const hopeless = Array.from({ length: 30 }, () =>
    normals(500, random).map((value) => 0.05 * (value - 0.3)),
  );
  const alone = found([good]);
  const among = found([good, ...hopeless]);
  expect(alone.superiorAbility).toBeLessThan(0.05);
  expect(among.superiorAbility).toBeLessThan(0.05);
  expect(among.realityCheck).toBeGreaterThan(0.4);
});

describe('superior ability where no trial is better', () => {
  test('is below 10 % in about one study of ten', () => {
    const below = Array.from({ length: 200 }, (_, seed) => {
      const random = seededRandom(seed);
      return found(
        Array.from({ length: 8 }, () => normals(200, random)),
        150,
      ).superiorAbility;
    }).filter((probability) => probability <= 0.1).length;
    expect(below).toBeGreaterThan(8);
    expect(below).toBeLessThan(34);
  });

  test('is 1 where all trials lose', () => {
    const losers = COLUMNS.map((column) => column.map((value) => value - 0.002));
    expect(found(losers).superiorAbility).toBe(1);
  });
});

test('a clear winner has the lowest probability that the draws allow', () =>
  expect(
    found(
      COLUMNS.map((column) => column.map((value) => value + 0.002)),
      199,
    ),
  ).toMatchObject({
    realityCheck: 1 / 200,
    superiorAbility: 1 / 200,
  }));

test('trials that never moved are left out, and give no test without others', () => {
  const idle = new Float64Array(400);
  expect(found([idle, ...COLUMNS, idle])).toEqual(found(COLUMNS));
  expect(superiorAbilityOf([idle], { random: seededRandom(1) })).toEqual({ reason: 'no trial has traded' });
});
