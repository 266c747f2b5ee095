/** Random runs of the model next to the emulator, until the given number of requests has been compared. */
import fc from 'fast-check';
import { SideBySide } from './sideBySide.ts';
import { start, step, type Step } from './steps.ts';
import { Tally } from './tally.ts';

const STEPS = 240;

export interface Run {
  readonly seed: number;
  readonly start: number;
  readonly steps: readonly Step[];
}

export const run: fc.Arbitrary<Run> = fc.record({
  seed: fc.integer({ min: 1, max: 7 }),
  start,
  steps: fc.array(step, { minLength: 60, maxLength: STEPS, size: 'max' }),
});

/** Takes the steps of one run; returns the first differences, or none. */
export const differencesOf = (each: Run, tally: Tally = new Tally()): readonly string[] => {
  const sides = new SideBySide({ seed: each.seed, start: each.start, tally });
  for (const next of each.steps) {
    const differences = sides.take(next);
    if (differences.length > 0) return differences;
  }
  return sides.finish();
};

export interface Campaign {
  readonly tally: Tally;
  readonly runs: number;
  /** The first differences of each run that has any. */
  readonly differences: readonly { readonly run: number; readonly texts: readonly string[] }[];
}

/** Compares at least the given number of requests, in runs drawn from one seed. */
export const campaign = (requests: number, seed: number): Campaign => {
  const tally = new Tally();
  const differences: { run: number; texts: readonly string[] }[] = [];
  let runs = 0;
  while (tally.requests < requests) {
    const [drawn] = fc.sample(run, { seed: seed + runs, numRuns: 1 });
    if (drawn === undefined) break;
    const texts = differencesOf(drawn, tally);
    if (texts.length > 0) differences.push({ run: seed + runs, texts });
    runs++;
  }
  return { tally, runs, differences };
};
