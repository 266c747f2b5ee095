import { simulate, type Simulated, type SimulateOptions } from './simulation.ts';
import { add, countersOf, noneYet, type CampaignKind, type Counters, type Sometimes } from './sometimes.ts';
import type { Promised } from './judge.ts';

export type Report = Readonly<{
  kind: CampaignKind;
  runs: number;
  violations: readonly Readonly<{ seed: number; promise: Promised; detail: string }>[];
  sometimes: Counters;
  virtualHours: number;
  elapsedMs: number;
}>;

/** Result of a run, as a campaign keeps it. */
export type Run = Pick<Simulated, 'seed' | 'violations' | 'sometimes' | 'virtualMs'>;
/** Runs a seed in this process or in one of its own. */
export type RunSeed = (seed: number) => Promise<Run>;

/** Number of seeds from which a counter at 0 fails the campaign. */
const ENFORCED_FROM = 200;
/** One run in this many is repeated: both must log the same. */
const TWICE_EVERY = 10;

export async function runSeed(seed: number, options: SimulateOptions = {}): Promise<Run> {
  const { violations, sometimes, virtualMs, digest } = await simulate(seed, options);
  const isSame = seed % TWICE_EVERY !== 0 || (await simulate(seed, options)).digest === digest;
  const twice = { promise: 'P8', detail: 'a second run of the seed went another way' } as const;
  return { seed, violations: isSame ? violations : [...violations, twice], sometimes, virtualMs };
}

export type CampaignOptions = Readonly<{
  kind: CampaignKind;
  from: number;
  to: number;
  /** Runners that work at the same time. Their number does not change the report. */
  lanes: readonly RunSeed[];
  /** Monotonic time in ms. */
  elapsed: () => number;
  /** Called in the order of the seeds. */
  onRun: (run: Run) => void;
}>;

export async function campaign({ kind, from, to, lanes, elapsed, onRun }: CampaignOptions): Promise<Report> {
  const sometimes = noneYet();
  const violations: Report['violations'][number][] = [];
  const early = new Map<number, Run>();
  let [virtualMs, next, due] = [0, from, from];
  const take = (run: Run) => {
    violations.push(...run.violations.map((violation) => ({ seed: run.seed, ...violation })));
    add(sometimes, run.sometimes);
    virtualMs += run.virtualMs;
    onRun(run);
  };
  const drive = async (runOne: RunSeed) => {
    while (next <= to) {
      const ended = await runOne(next++);
      early.set(ended.seed, ended);
      for (let run = early.get(due); run; run = early.get(++due)) {
        early.delete(due);
        take(run);
      }
    }
  };
  const began = elapsed();
  await Promise.all(lanes.map(drive));
  const elapsedMs = Math.round(elapsed() - began);
  const virtualHours = virtualMs / 3_600_000;
  return { kind, runs: to - from + 1, violations, sometimes, virtualHours, elapsedMs };
}

/** Counters still at 0 although there were enough runs. */
export const missing = ({ kind, runs, sometimes }: Report): Sometimes[] =>
  runs < ENFORCED_FROM ? [] : countersOf(kind).filter((name) => sometimes[name] === 0);

export const isSound = (report: Report): boolean =>
  report.violations.length === 0 && missing(report).length === 0;
