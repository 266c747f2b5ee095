import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { BacktestOptions } from '../../../src/backtest/options.ts';
import { runBacktest } from '../../../src/backtest/runBacktest.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { costsDoubled, priceNoise } from '../../../src/lab/belief/stress.ts';
import { optimise, type OptimiseOptions } from '../../../src/lab/optimise.ts';
import { identityOf } from '../../../src/lab/study/identity.ts';
import { trialOptions } from '../../../src/lab/trials/kernelTrials.ts';
import { trialEngineOf } from '../../../src/lab/trials/studyTrials.ts';
import { defineStrategy } from '../../../src/strategy/index.ts';
import { barsOfDays } from '../../backtest/phaseStage.ts';
import { environmentWith, freshFile, samplingWith, setupWith, studyIn } from './stage.ts';

/** Holds X from the evening of each day until an hour of the night. */
const night = defineStrategy({
  name: 'night',
  description: 'of a test',
  params: z.strictObject({ until: z.int().min(1).max(3) }),
  data: ({ until }) => ({
    bars: [{ symbol: 'X', interval: '15m' }],
    timers: [
      { name: 'buy', at: '21:00' },
      { name: 'sell', at: `0${until}:00` },
    ],
  }),
  create: () => ({
    onTimer({ order, timer }) {
      if (timer === 'buy') order.buy('X', { notional: 5_000, outside: 'limit' });
      else order.sell('X', { all: true, outside: 'limit' });
    },
  }),
});

const { regular, outside } = barsOfDays('2026-03-02', '2026-05-06', {
  '2026-03-10 02:00': [101, 101, 101, 101],
});
const set = (columns: typeof regular) => ({ symbol: 'X', interval: '15m' as const, ...columns });
const market = {
  bars: [set(regular)],
  fill: 'venue',
  slippage: 'none',
  outside: { trade: ['regular', 'overnight'], bars: [set(outside)], slippage: 'bps:10' },
} satisfies BacktestOptions;
const setup = setupWith({ options: market, strategy: { definition: night, params: {} } });
const all = { from: -Infinity, to: Infinity };
const options: OptimiseOptions = {
  setup,
  span: all,
  sampling: samplingWith({ space: [{ name: 'until', kind: 'choice', values: [1, 2, 3] }] }),
  walkForward: { text: '25d/8d', isAnchored: false, embargo: 0 },
  stopEarly: false,
};

describe('a study over phases outside the session', () => {
  test('plays each set as a backtest does, and every night out of sample in one window', async () => {
    const done = await optimise(options, environmentWith(setup, { study: studyIn(freshFile()) }));
    const backtest = await runBacktest(trialOptions(setup, { until: 2 }, all));
    // The evening before the first day has no bars.
    expect(backtest.trades).toBe(backtest.sessions - 1);
    expect(done?.whole.trials[1]?.outcome).toMatchObject({ state: 'done', runId: backtest.runId });
    const { windows, outOfSample } = done?.walkForward ?? {};
    expect(windows).toHaveLength(3);
    expect(outOfSample?.figures.marks).toHaveLength(backtest.sessions - 25);
    expect(outOfSample?.figures.trades).toHaveLength(backtest.sessions - 25);
  });

  test('differs from a study with other phases, costs or prices there', () => {
    const identityWith = (own: Partial<NonNullable<BacktestOptions['outside']>>) => {
      const given = { ...market, outside: { ...market.outside, ...own } };
      return JSON.stringify(
        identityOf({ ...options, setup: { ...setup, options: given } }, { sessions: [] }),
      );
    };
    const close = outside.close.map((price) => price + 1);
    const others = [
      identityWith({}),
      identityWith({ trade: ['regular', 'post'] }),
      identityWith({ slippage: 'bps:5' }),
      identityWith({ bars: [set({ ...outside, close })] }),
    ];
    expect(new Set(others).size).toBe(4);
  });

  test('names them as something the columnar engine cannot play', () => {
    expect(trialEngineOf(setup, all).why).toContain('phases outside the session');
  });

  test('also tests doubled slippage and noise on prices there', async () => {
    const own = trialOptions(setup, { until: 2 }, all);
    const { totalReturn } = await costsDoubled({ ...own, fees: 'none' });
    const twice = await runBacktest({
      ...own,
      fees: 'none',
      outside: { ...market.outside, slippage: 'bps:20' },
    });
    expect(totalReturn).toBe(twice.metrics.totalReturn);
    const free = { ...own, bars: [set(regular)], outside: { ...market.outside, slippage: 'none' } };
    const watch = { clock: systemClock, onStep: () => undefined, isStopped: () => false };
    // The session has a single price, and so no noise.
    const noise = await priceNoise({ ...free, fees: 'none' }, 1, watch);
    expect(new Set(noise && 'sharpes' in noise ? noise.sharpes : []).size).toBe(20);
  });
});
