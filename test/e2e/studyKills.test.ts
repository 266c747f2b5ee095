import { join } from 'node:path';
import { expect, test } from 'vitest';
import { seededRandom } from '../../src/core/seededRandom.ts';
import { drover } from '../cli/support/commandLine.ts';
import { freshDir } from './cli.ts';
import { barsFile, resultOf, studyArgs, throughKills, trialsIn } from './studyKills.ts';

const LONG_MS = 400_000;

test('a killed study ends as one without a kill, each trial once', { timeout: LONG_MS }, async () => {
  const bars = barsFile(1_000);
  const [calm, killed] = [join(freshDir(), 'calm.study'), join(freshDir(), 'killed.study')];
  const expected = await drover(studyArgs(bars, calm, 16));
  expect(expected.code, expected.err).toBe(0);
  const { ended } = await throughKills(studyArgs(bars, killed, 16), {
    kills: 1,
    longestMs: 1_500,
    random: seededRandom(5),
  });
  expect(ended.code, ended.err).toBe(0);
  expect(trialsIn(killed)).toEqual(trialsIn(calm));
  expect(resultOf(ended)).toEqual(resultOf(expected));
});
