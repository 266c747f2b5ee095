import type { Optimised, OptimiseOptions } from '../../lab/optimise.ts';
import type { BookedTrial } from '../../lab/study/studyFile.ts';
import { HEADLINE } from '../../lab/trials/headline.ts';
import { metricText } from '../../report/numberText.ts';
import { coloursOf, table } from '../output.ts';
import type { Terminal } from '../context.ts';

type StudyOutcome = Readonly<{
  optimised: Optimised;
  options: OptimiseOptions;
  file: string;
  elapsedMs: number;
}>;

/** Result of a study as `--json` prints it. */
export function studyJson({ optimised, options, file, elapsedMs }: StudyOutcome) {
  const { whole, walkForward } = optimised;
  const { best, trials } = whole;
  const [first] = options.setup.objectives;
  return {
    study: file,
    trials: trials.length,
    failed: failedOf(trials),
    stopped: trials.filter(({ outcome }) => outcome.state === 'stopped').length,
    method: options.sampling.method,
    objective: options.setup.objectives.map(({ name }) => name).join(','),
    best: best && {
      params: allParams(options, best),
      runId: best.outcome.state === 'done' ? best.outcome.runId : null,
      objective: best.outcome.state === 'done' ? (best.outcome.objectives[0] ?? null) : null,
      inSample: inSampleOf(best),
      outOfSample: walkForward && walkForward.outOfSample.metrics,
    },
    pareto:
      options.setup.objectives.length > 1 ? whole.front.map((trial) => frontRow(trial, options)) : undefined,
    windows: walkForward?.outOfSample.parts.map((part, index) => ({
      inSample: walkForward.windows[index]?.inSample,
      outOfSample: part.span,
      params: part.params,
      runId: part.runId,
      [first?.name ?? 'objective']: objectiveOf(walkForward.searches[index]?.best ?? null),
      return: part.end / part.start - 1,
      trades: part.trades,
    })),
    elapsedMs,
  };
}

const failedOf = (trials: readonly BookedTrial[]): number =>
  trials.filter(({ outcome }) => outcome.state === 'failed' || outcome.state === 'crashed').length;

const allParams = ({ setup }: OptimiseOptions, { params }: BookedTrial): object => ({
  ...(setup.strategy.params as object),
  ...params,
});

const objectiveOf = (trial: BookedTrial | null): number | null =>
  trial?.outcome.state === 'done' ? (trial.outcome.objectives[0] ?? null) : null;

const inSampleOf = ({ outcome }: BookedTrial) =>
  outcome.state === 'done' ? { ...outcome.headline, trades: outcome.trades, fees: outcome.fees } : {};

const frontRow = (trial: BookedTrial, options: OptimiseOptions) => ({
  params: allParams(options, trial),
  objectives: trial.outcome.state === 'done' ? trial.outcome.objectives : [],
});

/** Result of a study, for people. */
export function studyText({ optimised, options, file, elapsedMs }: StudyOutcome, terminal: Terminal): string {
  const { whole, walkForward } = optimised;
  const { bold } = coloursOf(terminal);
  const failed = failedOf(whole.trials);
  const seconds = (elapsedMs / 1_000).toFixed(1);
  const best = whole.best;
  const rows = HEADLINE.map((name) => [
    name,
    metricText(name, best?.outcome.state === 'done' ? best.outcome.headline[name] : null),
    walkForward ? metricText(name, walkForward.outOfSample.metrics[name]) : 'not measured',
  ]);
  return [
    `${whole.trials.length} trials${failed > 0 ? `, ${failed} failed` : ''} in ${seconds} s, kept in ${file}`,
    `best     ${best ? JSON.stringify(allParams(options, best)) : 'none'}`,
    '',
    bold(table(['metric', 'in sample', 'out of sample'], rows, ['in sample', 'out of sample'])),
  ].join('\n');
}
