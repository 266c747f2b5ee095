/** @module-tag heavy */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { beliefOf } from '../../../src/lab/belief/belief.ts';
import { optimise, type OptimiseOptions } from '../../../src/lab/optimise.ts';
import { optimiseBars } from '../../../src/lab/optimiseBars.ts';
import { objectivesOf } from '../../../src/lab/search/objective.ts';
import { studyResultOf } from '../../../src/lab/studyResult.ts';
import { KernelTrials } from '../../../src/lab/trials/kernelTrials.ts';
import { localPool } from '../../../src/lab/trials/localPool.ts';
import { StudyTrials, trialEngineOf } from '../../../src/lab/trials/studyTrials.ts';
import type { TrialRunner, TrialSetup } from '../../../src/lab/trials/trial.ts';
import { defineSignals } from '../../../src/strategy/index.ts';
import smaSignals from '../../../strategies/sma-signals.ts';
import {
  averages,
  environmentWith,
  freshFile,
  samplingWith,
  setupWith,
  studyIn,
  walk,
} from '../study/stage.ts';

const all = { from: -Infinity, to: Infinity };
const strategy = { definition: smaSignals, params: { symbol: 'X', interval: '1d' } };
const signals = setupWith({ strategy });

const optionsWith = (setup: TrialSetup, given: Partial<OptimiseOptions> = {}): OptimiseOptions => ({
  setup,
  span: all,
  sampling: samplingWith(),
  walkForward: null,
  stopEarly: false,
  ...given,
});

async function studied(options: OptimiseOptions, runner: TrialRunner) {
  const environment = environmentWith(options.setup, {
    study: studyIn(freshFile()),
    pool: localPool(runner),
  });
  const optimised = await optimise(options, environment);
  if (!optimised) throw new Error('it was not stopped');
  const searches = [optimised.whole, ...(optimised.walkForward?.searches ?? [])];
  const trials = searches.flatMap((search) =>
    search.trials.map(({ params, outcome }) => ({ params, outcome })),
  );
  return { optimised, trials };
}

/** Expects equality except for times. */
function expectSame(one: unknown, other: unknown): void {
  const timeless = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value, (key, each: unknown) => {
        if (key === 'elapsedMs') return 0;
        return ArrayBuffer.isView(each) ? Array.from(each as Float64Array) : each;
      }),
    );
  expect(timeless(one)).toEqual(timeless(other));
}

/** The trials of a study on both engines. */
async function onBoth(options: OptimiseOptions) {
  const columnar = await studied(options, new StudyTrials(options.setup));
  const kernel = await studied(options, new KernelTrials(options.setup));
  return { columnar, kernel };
}

afterEach(() => vi.restoreAllMocks());

describe('columnar trials of signals', () => {
  test.each([
    ['fills at the next open', signals],
    ['the default fills', setupWith({ strategy, options: { bars: signals.options.bars } })],
  ])('give the study of the full engine with %s without running it', async (_, setup) => {
    const options = optionsWith(setup, {
      walkForward: { text: '100d/50d', isAnchored: false, embargo: 0 },
    });
    const kernelRuns = vi.spyOn(KernelTrials.prototype, 'run');
    const columnar = await studied(options, new StudyTrials(setup));
    expect(kernelRuns).not.toHaveBeenCalled();
    const kernel = await studied(options, new KernelTrials(setup));
    expectSame(columnar.trials, kernel.trials);
    const [one, other] = await Promise.all(
      [columnar, kernel].map(async ({ optimised }) => {
        const belief = await beliefOf(optimised, options);
        if (!belief) throw new Error('nobody stopped it');
        const engine = trialEngineOf(setup, all);
        return studyResultOf({ optimised, belief, engine, options, file: '', elapsedMs: 0 });
      }),
    );
    expect(one?.best?.runId).toMatch(/^[0-9a-f]{32}$/);
    expectSame(one, other);
  });

  test.each(['profitFactor', 'sharpe,fees'])('have the objective %s of the full engine', async (names) => {
    const { columnar, kernel } = await onBoth(optionsWith({ ...signals, objectives: objectivesOf(names) }));
    expectSame(columnar.trials, kernel.trials);
  });

  test("pass the same values to a user's objective as the full engine", async () => {
    const own = { name: './own.ts', isLessBetter: false, metric: null };
    const functions = {
      './own.ts': ({ metrics, returns, trades }) => (metrics.winRate ?? 0) + returns.length + trades,
    } satisfies TrialSetup['functions'];
    const { columnar, kernel } = await onBoth(optionsWith({ ...signals, objectives: [own], functions }));
    expectSame(columnar.trials, kernel.trials);
  });

  test.each([
    ['from the first bar on', -Infinity],
    ['after bars that only warm up', walk(400).start[90] ?? NaN],
  ])('stop where the full engine stops a hopeless trial, %s', async (_, from) => {
    const space = [
      { name: 'fast', kind: 'steps', min: 1, step: 3, count: 6 },
      { name: 'slow', kind: 'steps', min: 21, step: 9, count: 5 },
    ] as const;
    const sampling = samplingWith({ method: 'tpe', trials: 40, space });
    const { columnar, kernel } = await onBoth(
      optionsWith(signals, { stopEarly: true, sampling, span: { from, to: Infinity } }),
    );
    expect(kernel.trials.filter(({ outcome }) => outcome.state === 'stopped').length).toBeGreaterThan(3);
    expectSame(columnar.trials, kernel.trials);
  });

  test('fail with the messages of the full engine', async () => {
    const definition = defineSignals({
      name: 'wrong',
      description: 'of a test',
      params: z.strictObject({ fast: z.int().max(5), slow: z.int() }),
      data: () => ({ bars: ['X', 'Y'].map((symbol) => ({ symbol, interval: '1d' as const })) }),
      signals: ({ start }, { fast, slow }) => {
        if (slow === 40) throw new Error('on purpose');
        const weights = Array.from(start, () => (fast === 5 ? 0.75 : 0.5));
        return { X: weights, Y: weights };
      },
    });
    const bars = [walk(30), { ...walk(30, 2), symbol: 'Y' }];
    const setup = setupWith({
      options: { bars, fill: 'next-open', fees: 'venue' },
      strategy: { definition, params: {} },
    });
    const { columnar, kernel } = await onBoth(optionsWith(setup, { span: all }));
    expect(new Set(kernel.trials.map(({ outcome }) => outcome.state))).toEqual(new Set(['done', 'failed']));
    expectSame(columnar.trials, kernel.trials);
  });

  test('that the columnar engine cannot play run on the full engine, and the study says why', async () => {
    const setup = { ...signals, options: { ...signals.options, fill: 'venue', volumeCap: 0.1 } } as const;
    expect(trialEngineOf(setup, all)).toEqual({
      name: 'kernel',
      why: ['a volume cap'],
    });
    const { columnar, kernel } = await onBoth(optionsWith(setup));
    expectSame(columnar.trials, kernel.trials);
  });
});

test('optimise() names the engine of its trials', async () => {
  const given = { bars: [walk(120)], fill: 'next-open', space: { fast: [2, 5] } } as const;
  const params = { symbol: 'X', interval: '1d', slow: 20 };
  const columnar = await optimiseBars({ ...given, strategy: smaSignals, params });
  expect(columnar).toMatchObject({ engine: 'columnar', engineWhy: [], trials: 2, failed: 0 });
  const kernel = await optimiseBars({ ...given, strategy: averages, params: { slow: 20 } });
  expect(kernel).toMatchObject({ engine: 'kernel', engineWhy: ['a strategy that is not of defineSignals'] });
});
