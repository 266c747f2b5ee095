import type { BacktestBars, BacktestOptions } from '../../../src/backtest/options.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { judgementOf, type Judgement } from '../../../src/lab/belief/belief.ts';
import { optimise, type OptimiseOptions } from '../../../src/lab/optimise.ts';
import { objectivesOf } from '../../../src/lab/search/objective.ts';
import { KernelTrials } from '../../../src/lab/trials/kernelTrials.ts';
import smaCross from '../../../strategies/sma-cross.ts';
import { environmentWith, freshFile, studyIn } from '../study/stage.ts';
import { localPool } from '../../../src/lab/trials/localPool.ts';
import type { TrialSetup } from '../../../src/lab/trials/trial.ts';

/** Studies `sma-cross` on ten years of days as a user would, with a walk-forward, and judges it. */
export async function judged(
  bars: BacktestBars,
  { fees = 'venue', actions = [] }: Pick<BacktestOptions, 'fees' | 'actions'> = {},
): Promise<Judgement> {
  const setup: TrialSetup = {
    options: { bars: [bars], actions, fill: 'next-open', fees },
    strategy: { definition: smaCross, params: { symbol: 'X' } },
    objectives: objectivesOf('sharpe'),
    functions: {},
    clock: systemClock,
  };
  const options: OptimiseOptions = {
    setup,
    span: { from: -Infinity, to: Infinity },
    sampling: {
      space: [
        { name: 'fast', kind: 'choice', values: [3, 5, 8, 12, 18] },
        { name: 'slow', kind: 'choice', values: [20, 30, 45, 65, 100] },
      ],
      method: 'grid',
      trials: 100,
      seed: 1,
      accepts: () => true,
    },
    walkForward: { text: '3y/1y', isAnchored: false, embargo: 0 },
    stopEarly: false,
  };
  const study = studyIn(freshFile());
  const optimised = await optimise(
    options,
    environmentWith(setup, { study, pool: localPool(new KernelTrials(setup)) }),
  );
  study.close();
  if (!optimised) throw new Error('it was not stopped');
  return judgementOf(optimised, options);
}
