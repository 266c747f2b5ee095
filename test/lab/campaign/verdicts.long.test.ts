import { expect, test } from 'vitest';
import { noise, planted, quarterly } from './markets.ts';
import { judged } from './verdicts.ts';

const SEEDS = Array.from({ length: 100 }, (_, seed) => seed);

test(
  '100 studies of noise get at most 3 times yes, and at least 90 times no',
  { timeout: 3_600_000 },
  async () => {
    const tally = { yes: 0, unclear: 0, no: 0 };
    for (const seed of SEEDS) tally[(await judged(noise(seed))).verdict.verdict]++;
    console.log('noise', tally);
    expect(tally.yes).toBeLessThanOrEqual(3);
    expect(tally.no).toBeGreaterThanOrEqual(90);
  },
);

test.each([0.005, 0.01])(
  '20 studies of noise with quarterly dividends of %d of the price never get a yes',
  { timeout: 3_600_000 },
  async (part) => {
    const tally = { yes: 0, unclear: 0, no: 0 };
    for (const seed of SEEDS.slice(0, 20)) {
      const bars = noise(seed);
      tally[(await judged(bars, { actions: quarterly(bars, part) })).verdict.verdict]++;
    }
    console.log('noise with dividends', part, tally);
    expect(tally.yes).toBe(0);
  },
);

test('100 studies of planted edges find at least 90 plateaus', { timeout: 3_600_000 }, async () => {
  const tally = { yes: 0, unclear: 0, no: 0 };
  const sharpes: number[] = [];
  let plateaus = 0;
  for (const seed of SEEDS) {
    const { verdict, evidence, chosen } = await judged(planted(seed), { fees: 'none' });
    tally[verdict.verdict]++;
    sharpes.push(chosen.metrics.sharpe ?? NaN);
    if (!('reason' in evidence.plateau) && evidence.plateau.score >= 0.6) plateaus++;
  }
  const mean = sharpes.reduce((sum, value) => sum + value, 0) / sharpes.length;
  console.log('planted', tally, 'plateaus', plateaus, 'mean Sharpe of the best', mean.toFixed(2));
  expect(mean).toBeLessThan(1.7);
  expect(plateaus).toBeGreaterThanOrEqual(90);
});
