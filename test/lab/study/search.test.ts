import { expect, test } from 'vitest';
import { objectivesOf } from '../../../src/lab/search/objective.ts';
import { samplerOf } from '../../../src/lab/search/sampler.ts';
import { search } from '../../../src/lab/study/search.ts';
import { WHOLE } from '../../../src/lab/study/studyFile.ts';
import type { TrialOutcome, TrialPool, TrialTask } from '../../../src/lab/trials/trial.ts';
import { hopelessScore } from '../../../src/lab/trials/trialResult.ts';
import { freshFile, samplingWith, setupWith, studyIn } from './stage.ts';

const TRIAL_MS = 10;
const none = { totalReturn: 0, cagr: 0, volatility: 0, sharpe: 0, sortino: 0, maxDrawdown: 0, calmar: 0 };

const outcomeOf = ({ params }: TrialTask): TrialOutcome => ({
  state: 'done',
  runId: JSON.stringify(params),
  objectives: [1],
  why: null,
  headline: none,
  trades: 1,
  fees: 0,
  returns: new Float64Array(1),
  elapsedMs: TRIAL_MS,
});

/** A pool that computes nothing; `workers` follows the number of finished slices. */
function poolOf(workersAfter: (ended: number) => number, sliceMs?: number) {
  const seen = { sizes: [] as number[], most: 0, running: 0 };
  const pool: TrialPool = {
    get workers() {
      return workersAfter(seen.sizes.length);
    },
    ...(sliceMs !== undefined && { sliceMs }),
    async run(tasks) {
      seen.most = Math.max(seen.most, ++seen.running);
      await Promise.resolve();
      seen.sizes.push(tasks.length);
      seen.running--;
      return tasks.map(outcomeOf);
    },
    close: () => Promise.resolve(),
  };
  return { pool, seen };
}

async function searched(pool: TrialPool, trials = 1_000): Promise<number> {
  const space = [{ name: 'x', kind: 'range', min: 0, max: 1, log: false }] as const;
  const found = await search(
    {
      window: WHOLE,
      span: { from: -Infinity, to: Infinity },
      sampler: samplerOf(samplingWith({ space, method: 'random', trials })),
      objectives: objectivesOf('sharpe'),
      stopEarly: false,
    },
    { study: studyIn(freshFile()), pool, onTrial: () => undefined, isStopped: () => false },
  );
  return new Set(found?.trials.map(({ params }) => JSON.stringify(params))).size;
}

test('the slices of a search have the work that a pool asks for, by the time of earlier trials', async () => {
  const { pool, seen } = poolOf(() => 1, 300);
  expect(await searched(pool)).toBe(1_000);
  expect(seen.sizes[0]).toBe(1);
  expect(Math.max(...seen.sizes)).toBe(300 / TRIAL_MS);
});

test('workers that join a search get a share, and workers that leave get none', async () => {
  const grown = poolOf((ended) => (ended < 3 ? 1 : 5), 100);
  expect(await searched(grown.pool)).toBe(1_000);
  expect(grown.seen.most).toBe(5);
  const shrunk = poolOf((ended) => (ended < 4 ? 4 : 1), 100);
  expect(await searched(shrunk.pool)).toBe(1_000);
  const { sizes } = shrunk.seen;
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(1_000);
});

test('trials that do not depend on each other run together in one generation', async () => {
  // Of 512 trials at a time, the last of each would be slices of one.
  const { pool, seen } = poolOf(() => 1, 500);
  expect(await searched(pool, 2_000)).toBe(2_000);
  expect(seen.sizes.filter((size) => size === 1).length).toBeLessThan(4);
});

test('the threshold for stopping a trial is measured like the trial, over the risk-free rate', async () => {
  const returns = Float64Array.from({ length: 80 }, (_, at) => (at % 2 === 0 ? 0.01 : -0.008));
  const bars: (number | undefined)[] = [];
  const pool: TrialPool = {
    workers: 1,
    run: (tasks) => {
      bars.push(...tasks.map(({ stop }) => stop?.below));
      return Promise.resolve(tasks.map((task) => ({ ...outcomeOf(task), returns }) as TrialOutcome));
    },
    close: () => Promise.resolve(),
  };
  const space = [{ name: 'x', kind: 'range', min: 0, max: 1, log: false }] as const;
  const riskFree = 0.04;
  const objectives = objectivesOf('sharpe');
  await search(
    {
      window: WHOLE,
      span: { from: -Infinity, to: Infinity },
      sampler: samplerOf(samplingWith({ space, method: 'random', trials: 20 })),
      objectives,
      stopEarly: true,
      riskFree,
    },
    { study: studyIn(freshFile()), pool, onTrial: () => undefined, isStopped: () => false },
  );
  const equities = [1, ...returns.subarray(0, 40)].reduce<number[]>(
    (list, value, at) => [...list, at === 0 ? value : (list.at(-1) ?? NaN) * (1 + value)],
    [],
  );
  const below = bars.at(-1) ?? NaN;
  expect(below).toBeGreaterThan(0);
  const score = hopelessScore(equities, { below: Infinity }, setupWith({ options: { bars: [], riskFree } }));
  expect(score).toBeCloseTo(below, 9);
});
