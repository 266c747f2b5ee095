import { expect, test } from 'vitest';
import { campaign, missing, type Run } from './campaign.ts';
import { countersOf, noneYet, SOMETIMES } from './sometimes.ts';

/** Runs in which each seed takes a different time, and every third breaks a promise. */
const run = async (seed: number): Promise<Run> => {
  for (let turn = 0; turn < (seed * 7) % 5; turn++) await Promise.resolve();
  const violations = seed % 3 === 0 ? [{ promise: 'P1' as const, detail: `of ${seed}` }] : [];
  return { seed, violations, sometimes: { ...noneYet(), crash: seed }, virtualMs: seed };
};

async function reportOf(lanes: number) {
  const told: number[] = [];
  const report = await campaign({
    kind: 'days',
    from: 4,
    to: 30,
    lanes: Array.from({ length: lanes }, () => run),
    elapsed: () => 0,
    onRun: ({ seed }) => told.push(seed),
  });
  return { report, told };
}

test('a campaign reports the same results in the same order, however many seeds run at a time', async () => {
  const alone = await reportOf(1);
  expect(alone.told).toEqual(Array.from({ length: 27 }, (_, index) => index + 4));
  expect(alone.report.sometimes.crash).toBe(alone.told.reduce((sum, seed) => sum + seed, 0));
  expect(alone.report.violations.map(({ seed }) => seed)).toEqual([6, 9, 12, 15, 18, 21, 24, 27, 30]);
  for (const lanes of [2, 3, 40]) expect(await reportOf(lanes)).toEqual(alone);
});

test('a campaign of 200 seeds requires only the counters of its own kind', () => {
  const of = (kind: 'days' | 'nights', runs = 200) =>
    missing({ kind, runs, violations: [], sometimes: noneYet(), virtualHours: 0, elapsedMs: 0 });
  expect(of('nights', 199)).toEqual([]);
  expect(of('nights')).toEqual(countersOf('nights'));
  expect(of('nights')).toEqual(expect.arrayContaining(['crash', 'filled in overnight', 'grownByMultiplier']));
  expect(of('days')).not.toContain('filled in overnight');
  expect(of('nights')).not.toContain('node html');
  expect(of('days')).toContain('node html');
  expect(new Set([...of('days'), ...of('nights')])).toEqual(new Set(SOMETIMES));
});
