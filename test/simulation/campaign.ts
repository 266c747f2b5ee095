import { simulate, type Simulated } from './simulation.ts';
import { add, noneYet, SOMETIMES, type Counters, type Sometimes } from './sometimes.ts';
import type { Promised } from './judge.ts';

export type Report = Readonly<{
  runs: number;
  violations: readonly Readonly<{ seed: number; promise: Promised; detail: string }>[];
  sometimes: Counters;
  virtualHours: number;
  elapsedMs: number;
}>;

/** From so many seeds on, what was never met counts as a failure of the campaign. */
const ENFORCED_FROM = 200;
/** One run in so many is done twice: both must tell the same. */
const TWICE_EVERY = 10;

export type CampaignOptions = Readonly<{
  from: number;
  to: number;
  /** In ms, on a scale that never jumps. */
  elapsed: () => number;
  onRun: (run: Simulated) => void;
}>;

export async function campaign({ from, to, elapsed, onRun }: CampaignOptions): Promise<Report> {
  const sometimes = noneYet();
  const violations: Report['violations'][number][] = [];
  let virtualMs = 0;
  const began = elapsed();
  for (let seed = from; seed <= to; seed++) {
    const run = await simulate(seed);
    violations.push(...run.violations.map((violation) => ({ seed, ...violation })));
    if (seed % TWICE_EVERY === 0 && (await simulate(seed)).digest !== run.digest)
      violations.push({ seed, promise: 'P8', detail: 'a second run of the seed went another way' });
    add(sometimes, run.sometimes);
    virtualMs += run.virtualMs;
    onRun(run);
  }
  const elapsedMs = Math.round(elapsed() - began);
  return { runs: to - from + 1, violations, sometimes, virtualHours: virtualMs / 3_600_000, elapsedMs };
}

/** What never happened although there were runs enough for it. */
export const missing = ({ runs, sometimes }: Report): Sometimes[] =>
  runs < ENFORCED_FROM ? [] : SOMETIMES.filter((name) => sometimes[name] === 0);

export const isSound = (report: Report): boolean =>
  report.violations.length === 0 && missing(report).length === 0;
