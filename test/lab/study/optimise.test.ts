import { describe, expect, test } from 'vitest';
import { runBacktest } from '../../../src/backtest/runBacktest.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { optimise, planStudy, type OptimiseOptions } from '../../../src/lab/optimise.ts';
import { objectivesOf } from '../../../src/lab/search/objective.ts';
import { identityOf } from '../../../src/lab/study/identity.ts';
import type { BookedTrial } from '../../../src/lab/study/studyFile.ts';
import { KernelTrials, trialOptions } from '../../../src/lab/trials/kernelTrials.ts';
import { localPool } from '../../../src/lab/trials/localPool.ts';
import { defineSignals } from '../../../src/strategy/index.ts';
import { averages, crashing, environmentWith, freshFile, samplingWith, setupWith, studyIn } from './stage.ts';

const setup = setupWith();
const all = { from: -Infinity, to: Infinity };
const optionsWith = (given: Partial<OptimiseOptions> = {}): OptimiseOptions => ({
  setup,
  span: all,
  sampling: samplingWith(),
  walkForward: null,
  stopEarly: false,
  ...given,
});
const wide = [
  { name: 'fast', kind: 'steps', min: 1, step: 1, count: 20 },
  { name: 'slow', kind: 'steps', min: 21, step: 1, count: 39 },
] as const;
const walkForward = { text: '100d/50d', isAnchored: false, embargo: 2 };

async function optimised(options: OptimiseOptions, study = studyIn(freshFile())) {
  const result = await optimise(options, environmentWith(options.setup, { study }));
  if (!result) throw new Error('it was not stopped');
  return result;
}

/** Everything about a trial except its time. */
const plain = (trials: readonly BookedTrial[] = []) =>
  trials.map(({ number, params, outcome }) => ({ number, params, outcome: { ...outcome, elapsedMs: 0 } }));

describe('a study', () => {
  test('runs each set as a backtest, and names the best', async () => {
    const { whole } = await optimised(optionsWith());
    const results = await Promise.all(
      whole.trials.map(({ params }) => runBacktest(trialOptions(setup, params, all))),
    );
    expect(whole.trials).toHaveLength(9);
    whole.trials.forEach(({ outcome }, index) => {
      expect(outcome).toMatchObject({
        state: 'done',
        runId: results[index]?.runId,
        trades: results[index]?.trades,
      });
      if (outcome.state === 'done')
        expect(outcome.objectives[0]).toBeCloseTo(results[index]?.metrics.sharpe ?? NaN, 9);
    });
    const sharpes = results.map(({ metrics }) => metrics.sharpe ?? NaN);
    expect(whole.best?.number).toBe(sharpes.indexOf(Math.max(...sharpes)));
  });

  test('stopped anywhere and resumed ends as without a stop, each trial once', async () => {
    const options = optionsWith({
      sampling: samplingWith({ method: 'tpe', trials: 30, space: wide }),
      walkForward,
    });
    const expected = await optimised(options);
    const file = freshFile();
    let runs = 0;
    let result: Awaited<ReturnType<typeof optimise>> = null;
    for (let start = 0; result === null; start++) {
      const study = studyIn(file, start > 0);
      const pool = localPool(new KernelTrials(setup));
      const counting = {
        ...pool,
        run: (tasks: Parameters<typeof pool.run>[0]) => ((runs += tasks.length), pool.run(tasks)),
      };
      let left = 17;
      const isStopped = () => left-- <= 0;
      result = await optimise(options, environmentWith(setup, { study, pool: counting, isStopped }));
      study.close();
    }
    expect(plain(result.whole.trials)).toEqual(plain(expected.whole.trials));
    expect(result.walkForward?.searches.map(({ trials }) => plain(trials))).toEqual(
      expected.walkForward?.searches.map(({ trials }) => plain(trials)),
    );
    expect(result.walkForward?.outOfSample.metrics).toEqual(expected.walkForward?.outOfSample.metrics);
    expect(runs).toBe(30 * (1 + (expected.walkForward?.windows.length ?? 0)));
  });

  test('continues after trials that throw, that are invalid, and whose worker crashes', async () => {
    const throwing = setupWith({ strategy: { definition: averages, params: { throws: 5 } } });
    const study = studyIn(freshFile());
    const pool = crashing(
      localPool(new KernelTrials(throwing)),
      (fast, attempt) => fast === 10 || (fast === 2 && attempt === 1),
    );
    const environment = environmentWith(throwing, { study, pool });
    const result = await optimise(optionsWith({ setup: throwing }), environment);
    const states = result?.whole.trials.map(({ params, outcome }) => [params['fast'], outcome.state]);
    expect(states).toEqual(
      [2, 5, 10].flatMap((fast) =>
        Array.from({ length: 3 }, () => [fast, { 2: 'done', 5: 'failed', 10: 'crashed' }[fast]]),
      ),
    );
    expect(result?.whole.trials[3]?.outcome).toMatchObject({
      why: expect.stringContaining('it was told to') as string,
    });
  });

  test('with an objective that is undefined everywhere says why', async () => {
    const none = setupWith({
      objectives: objectivesOf('profitFactor'),
      options: { ...setup.options, to: 0 } as never,
    });
    const few = optionsWith({ setup: none, span: { from: -Infinity, to: 1_578_700_000_000 } });
    await expect(optimised(few)).rejects.toThrow(
      'none of 9 trials has a value of profitFactor: 0 trades, but it needs 10',
    );
  });

  test('is refused with fewer trials than it has, because their number decides how much luck explains', async () => {
    const study = studyIn(freshFile());
    const sampling = samplingWith({ method: 'sobol', trials: 12, space: wide });
    await optimised(optionsWith({ sampling }), study);
    await expect(optimised(optionsWith({ sampling: { ...sampling, trials: 11 } }), study)).rejects.toThrow(
      'has 12 trials already: --trials 11 would not count all of them. Give 12 or more',
    );
    const { whole } = await optimised(optionsWith({ sampling: { ...sampling, trials: 13 } }), study);
    expect(whole.trials).toHaveLength(13);
  });

  test('with stopEarly stops no trial within its first draws', async () => {
    const sampling = samplingWith({ method: 'sobol', trials: 40, space: wide });
    const { whole } = await optimised(optionsWith({ sampling, stopEarly: true }));
    const stopped = whole.trials.flatMap(({ number, outcome }) =>
      outcome.state === 'stopped' ? [number] : [],
    );
    expect(stopped.length).toBeGreaterThan(5);
    expect(Math.min(...stopped)).toBeGreaterThanOrEqual(16);
  });

  test('in this thread yields to a stop', async () => {
    let isStopped = false;
    let count = 0;
    setTimeout(() => (isStopped = true), 0);
    const result = await optimise(
      optionsWith({ sampling: samplingWith({ method: 'sobol', trials: 400, space: wide }) }),
      environmentWith(setup, {
        study: studyIn(freshFile()),
        pool: localPool(new KernelTrials(setup), systemClock),
        onTrial: () => count++,
        isStopped: () => isStopped,
      }),
    );
    expect(result).toBeNull();
    expect(count).toBeLessThan(400);
  });

  test('without an allowed set says so', async () => {
    await expect(
      optimised(optionsWith({ sampling: samplingWith({ accepts: () => false }) })),
    ).rejects.toThrow('no trial was run: no set of the space fits the constraint');
  });

  test('with stopEarly stops hopeless trials after half of their sessions, and counts them', async () => {
    const sampling = samplingWith({
      method: 'tpe',
      trials: 60,
      space: wide,
    });
    const { whole } = await optimised(optionsWith({ sampling, stopEarly: true }));
    const stopped = whole.trials.filter(({ outcome }) => outcome.state === 'stopped');
    expect(whole.trials).toHaveLength(60);
    expect(stopped.length).toBeGreaterThan(5);
    expect(whole.best?.outcome.state).toBe('done');
  });

  test('refuses stopEarly with an objective that half of a run does not have', () => {
    const given = optionsWith({
      stopEarly: true,
      setup: setupWith({ objectives: objectivesOf('profitFactor') }),
    });
    expect(() => planStudy(given)).toThrow('--stop-early needs a first objective that half of a run has');
  });
});

describe('a walk-forward', () => {
  test('chooses in each window like a study of its bars', async () => {
    const { walkForward: walked } = await optimised(optionsWith({ walkForward }));
    for (const [index, window] of (walked?.windows ?? []).entries()) {
      const alone = await optimised(optionsWith({ span: window.inSample }));
      expect(walked?.searches[index]?.best?.params).toEqual(alone.whole.best?.params);
    }
  });

  test('trades each part with the money left by the previous part, and sells at its end', async () => {
    const { walkForward: walked } = await optimised(optionsWith({ walkForward }));
    const parts = walked?.outOfSample.parts ?? [];
    expect(parts.length).toBeGreaterThan(3);
    let equity = 100_000;
    for (const part of parts) {
      expect(part.start).toBeCloseTo(equity, 6);
      const money = equity.toFixed(6);
      const alone = await runBacktest(
        trialOptions(
          { options: { ...setup.options, cash: money }, strategy: { ...setup.strategy, capital: money } },
          part.params ?? {},
          part.span,
        ),
      );
      // The final holding is sold for one basis point.
      const held = Object.values(alone.marks.at(-1)?.positions ?? {}).reduce((sum, worth) => sum + worth, 0);
      equity = Number(alone.equity.end) - held * 0.0001;
      expect(part.end).toBeCloseTo(equity, 4);
    }
    expect(walked?.outOfSample.figures.marks.at(-1)?.equity).toBeCloseTo(equity, 4);
    expect(walked?.outOfSample.metrics.totalReturn).toBeCloseTo(equity / 100_000 - 1, 9);
  });

  test('marks every session after the first window once', async () => {
    const { walkForward: walked, sessions } = await optimised(optionsWith({ walkForward }));
    expect(walked?.outOfSample.figures.marks.map(({ date }) => date)).toEqual(
      sessions.slice(102).map(({ date }) => date),
    );
  });
});

test('a study of signals differs from a study of other signals', () => {
  const identityWith = (signals: () => Record<string, number[]>) => {
    const data = () => ({ bars: [{ symbol: 'X', interval: '1d' as const }] });
    const { params } = averages;
    const definition = defineSignals({ name: 'held', description: 'of a test', params, data, signals });
    const setup = setupWith({ strategy: { definition, params: {} } });
    return JSON.stringify(identityOf(optionsWith({ setup }), { sessions: [] }));
  };
  const whole = () => ({ X: [1] });
  expect(identityWith(whole)).toBe(identityWith(whole));
  expect(identityWith(whole)).not.toBe(identityWith(() => ({ X: [0.5] })));
});
