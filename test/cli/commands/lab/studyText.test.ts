import { expect, test } from 'vitest';
import { studyText } from '../../../../src/cli/commands/lab/studyText.ts';
import { beliefOf } from '../../../../src/lab/belief/belief.ts';
import { optimise, type OptimiseOptions } from '../../../../src/lab/optimise.ts';
import { trialEngineOf } from '../../../../src/lab/trials/studyTrials.ts';
import type { TrialSetup } from '../../../../src/lab/trials/trial.ts';
import smaSignals from '../../../../strategies/sma-signals.ts';
import {
  environmentWith,
  freshFile,
  samplingWith,
  setupWith,
  studyIn,
  walk,
} from '../../../lab/study/stage.ts';

const terminal = { out: () => undefined, err: () => undefined, colour: false };
const bars = [walk(120)];
const signals = setupWith({
  options: { bars, fill: 'next-open' },
  strategy: { definition: smaSignals, params: { symbol: 'X', interval: '1d' } },
});

async function textOf(setup: TrialSetup): Promise<string> {
  const span = { from: -Infinity, to: Infinity };
  const options: OptimiseOptions = {
    setup,
    span,
    sampling: samplingWith(),
    walkForward: null,
    stopEarly: false,
  };
  const optimised = await optimise(options, environmentWith(setup, { study: studyIn(freshFile()) }));
  if (!optimised) throw new Error('it was not stopped');
  const engine = trialEngineOf(setup, span);
  const belief = await beliefOf(optimised, options);
  if (!belief) throw new Error('no belief');
  return studyText({ optimised, belief, engine, options, file: 'a.study', elapsedMs: 0 }, terminal);
}

test.each<[what: string, setup: TrialSetup, engine: string | null]>([
  ['signals that the columnar engine plays', signals, 'engine   columnar'],
  [
    'signals that the columnar engine cannot play',
    { ...signals, options: { bars, fill: 'next-open', volumeCap: 0.1 } },
    'engine   the kernel, because the columnar one does not play a volume cap (docs/signals.md)',
  ],
  ['a strategy with hooks', setupWith({ options: { bars, fill: 'next-open' } }), null],
])('the text of a study of %s names its engine if there was a choice', async (_, setup, engine) => {
  const line = (await textOf(setup)).split('\n').find((text) => text.startsWith('engine'));
  expect(line ?? null).toBe(engine);
});
