import { join } from 'node:path';
import { expect, test } from 'vitest';
import { seededRandom } from '../../src/core/seededRandom.ts';
import { freshDir } from './cli.ts';
import { barsFile, resultOf, run, studyArgs, throughKills, trialsIn } from './studyKills.ts';

test(
  'a study killed twenty times ends as one without a kill, each trial once',
  { timeout: 600_000 },
  async () => {
    const bars = barsFile(2_500);
    const [calm, killed] = [join(freshDir(), 'calm.study'), join(freshDir(), 'killed.study')];
    const expected = await run(studyArgs(bars, calm, 400));
    const { ended, met } = await throughKills(studyArgs(bars, killed, 400), {
      kills: 20,
      longestMs: 3_000,
      random: seededRandom(6),
    });
    expect(ended.code, ended.err).toBe(0);
    expect(met).toBeGreaterThanOrEqual(10);
    expect(trialsIn(killed)).toEqual(trialsIn(calm));
    expect(resultOf(ended)).toEqual(resultOf(expected));
  },
);
