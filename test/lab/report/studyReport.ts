import { reportScript } from '../../../src/cli/commands/backtest/reportScript.ts';
import { beliefOf } from '../../../src/lab/belief/belief.ts';
import { optimise, type OptimiseOptions } from '../../../src/lab/optimise.ts';
import { studyPage } from '../../../src/lab/report/studyPage.ts';
import { environmentWith, freshFile, samplingWith, setupWith, studyIn } from '../study/stage.ts';

/** A study of two parameters with a walk-forward, changed as given, with all its results. */
export async function judgedStudy(given: Partial<OptimiseOptions> = {}) {
  const options: OptimiseOptions = {
    setup: setupWith(),
    span: { from: -Infinity, to: Infinity },
    sampling: samplingWith(),
    walkForward: { text: '150d/50d', isAnchored: false, embargo: 0 },
    stopEarly: false,
    ...given,
  };
  const optimised = await optimise(options, environmentWith(options.setup, { study: studyIn(freshFile()) }));
  if (!optimised) throw new Error('it was not stopped');
  const belief = await beliefOf(optimised, options);
  if (!belief) throw new Error('nobody stopped it');
  return { options, optimised, belief };
}

async function reportOf(given: Partial<OptimiseOptions>) {
  const judged = await judgedStudy(given);
  return { ...judged, page: studyPage(judged, reportScript()) };
}

let usual: ReturnType<typeof reportOf> | undefined;

/** The report of such a study with the script that it has on disk; an unchanged one is shared by all readers. */
export const studyReport = (given: Partial<OptimiseOptions> = {}): ReturnType<typeof reportOf> =>
  Object.keys(given).length > 0 ? reportOf(given) : (usual ??= reportOf({}));
