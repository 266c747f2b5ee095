import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { BacktestBars } from '../../../src/backtest/options.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { seededRandom } from '../../../src/core/seededRandom.ts';
import { objectivesOf } from '../../../src/lab/search/objective.ts';
import type { SamplerOptions } from '../../../src/lab/search/sampler.ts';
import type { SearchEnvironment } from '../../../src/lab/study/search.ts';
import { openStudy, type StudyFile } from '../../../src/lab/study/studyFile.ts';
import { KernelTrials } from '../../../src/lab/trials/kernelTrials.ts';
import { localPool } from '../../../src/lab/trials/localPool.ts';
import type { TrialPool, TrialSetup } from '../../../src/lab/trials/trial.ts';
import { defineStrategy, sma } from '../../../src/strategy/index.ts';
import { barsFrom } from '../../backtest/bars.ts';

/** Daily bars of a random walk. */
export function walk(count: number, seed = 1): BacktestBars {
  const random = seededRandom(seed);
  let close = 100;
  const rows = Array.from({ length: count }, () => {
    const open = close;
    close = Math.round(open * (1 + (random.next() - 0.49) * 0.04) * 100) / 100;
    return [open, Math.max(open, close), Math.min(open, close), close] as const;
  });
  return barsFrom('2020-01-02', rows, '1d');
}

/** Holds X while a short average is above a long one. `throws`: at that length the strategy throws. */
export const averages = defineStrategy({
  name: 'averages',
  description: 'of a test',
  params: z.strictObject({
    fast: z.int().min(1).max(20),
    slow: z.int().min(2).max(60),
    throws: z.int().default(-1),
  }),
  data: ({ slow }) => ({ bars: [{ symbol: 'X', interval: '1d', warmUp: slow }] }),
  create({ params: { fast, slow, throws } }) {
    const [short, long] = [sma(fast), sma(slow)];
    return {
      onBar({ bar, view, order }) {
        if (fast === throws) throw new Error('it was told to');
        const spread = short.next(bar.close) - long.next(bar.close);
        if (Number.isNaN(spread)) return;
        const held = view.position('X') > 0;
        if (spread > 0 !== held) order.target('X', { weight: spread > 0 ? 1 : 0 }, 'spread');
      },
    };
  },
});

export const setupWith = (given: Partial<TrialSetup> = {}): TrialSetup => ({
  options: { bars: [walk(400)], fill: 'next-open', fees: 'venue' },
  strategy: { definition: averages, params: {} },
  objectives: objectivesOf('sharpe'),
  functions: {},
  clock: systemClock,
  ...given,
});

export const samplingWith = (given: Partial<SamplerOptions> = {}): SamplerOptions => ({
  space: [
    { name: 'fast', kind: 'choice', values: [2, 5, 10] },
    { name: 'slow', kind: 'steps', min: 20, step: 10, count: 3 },
  ],
  method: 'grid',
  trials: 100,
  seed: 1,
  accepts: () => true,
  ...given,
});

export const freshFile = (): string => join(mkdtempSync(join(tmpdir(), 'drover-study-')), 'a.study');

export const studyIn = (
  file: string,
  resume = false,
  identity: Record<string, string> = { space: 'one' },
): StudyFile => openStudy(file, { identity, resume });

/** Environment of a search; the given parts replace its own. */
export const environmentWith = (
  setup: TrialSetup,
  given: Partial<SearchEnvironment> & Pick<SearchEnvironment, 'study'>,
): SearchEnvironment => ({
  pool: localPool(new KernelTrials(setup)),
  onTrial: () => undefined,
  isStopped: () => false,
  ...given,
});

/** A pool that crashes at some trials. @param crashes true for a trial that kills its worker */
export const crashing = (
  pool: TrialPool,
  crashes: (fast: unknown, attempt: number) => boolean,
): TrialPool => {
  const attempts = new Map<string, number>();
  return {
    ...pool,
    async run(tasks) {
      const seen = tasks.map(({ params }) => {
        const key = JSON.stringify(params);
        attempts.set(key, (attempts.get(key) ?? 0) + 1);
        return crashes(params['fast'], attempts.get(key) ?? 0);
      });
      if (seen.includes(true)) return tasks.map(() => ({ state: 'crashed', why: 'out of memory' }));
      return pool.run(tasks);
    },
  };
};
