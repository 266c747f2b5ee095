import { expect, test } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { priceNoise, type Watch } from '../../../src/lab/belief/stress.ts';
import { trialOptions } from '../../../src/lab/trials/kernelTrials.ts';
import { setupWith, walk } from '../study/stage.ts';

const all = { from: -Infinity, to: Infinity };
const options = trialOptions(
  setupWith({ options: { bars: [walk(60)], fill: 'next-open' } }),
  { fast: 2, slow: 20 },
  all,
);
const watch = (given: Partial<Watch> = {}): Watch => ({
  clock: systemClock,
  onStep: () => undefined,
  isStopped: () => false,
  ...given,
});

test('price noise reports each of its runs, and is the same for the same seed', async () => {
  const steps: string[] = [];
  const noise = await priceNoise(options, 1, watch({ onStep: (text) => steps.push(text) }));
  expect(steps).toHaveLength(20);
  expect(steps[1]).toBe('noise on prices, 2 of 20');
  expect(noise).toMatchObject({ size: 0.2 });
  expect(await priceNoise(options, 1, watch())).toEqual(noise);
});

test('noise on prices ends when the study is stopped', async () => {
  let steps = 0;
  expect(
    await priceNoise(options, 1, watch({ onStep: () => steps++, isStopped: () => steps > 2 })),
  ).toBeNull();
  expect(steps).toBe(3);
});

test('noise on prices is left out above a million bars, with the reason', async () => {
  const [bars] = options.bars;
  const many = { ...bars, start: new Float64Array(1_000_001) } as never;
  expect(await priceNoise({ ...options, bars: [many] }, 1, watch())).toEqual({
    reason:
      'not run on more than 1,000,000 bars, and there are 1,000,001 bars: repeat the study on fewer with --from',
  });
});
