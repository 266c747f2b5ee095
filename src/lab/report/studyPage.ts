import { counted } from '../../core/counted.ts';
import { inGrid } from '../../figures/figure.ts';
import { markup, type Markup } from '../../figures/markup.ts';
import { documentOf } from '../../report/html/document.ts';
import { generatedNote } from '../../report/html/page.ts';
import type { Belief } from '../belief/belief.ts';
import type { OptimisationResult, OptimiseOptions } from '../optimise.ts';
import { crisisTable, metricTable, overfittingScatter, stressTable, verdictBlock } from './beliefFigures.ts';
import { failedOf, stoppedOf, windowTrialsOf } from '../studyResult.ts';
import { labelOfObjective, studyViewOf, type StudyView } from './studyView.ts';
import { effectBars, heatMap, objectiveHistogram, parallelCoordinates, trialTable } from './trialFigures.ts';
import { growthChart, windowTable } from './walkFigures.ts';

/**
 * Report of a study: one self-contained page that first states whether to believe the result.
 * @param script of reports, built from `report/html/script/main.ts`
 */
export function studyPage(
  {
    optimised,
    options,
    belief,
  }: Readonly<{ optimised: OptimisationResult; options: OptimiseOptions; belief: Belief }>,
  script: string,
): string {
  const view = studyViewOf(optimised, options, belief);
  const { chosen } = belief;
  const title = `${chosen.strategy} on ${chosen.symbols.join(', ')}`;
  const document = {
    name: `${title}: study`,
    title,
    of: markup`study of ${counted(view.trials.length, 'trial')}${ofWindows(optimised)}, ${chosen.from.slice(0, 10)} to ${chosen.to.slice(0, 10)}: ${counted(chosen.sessions, 'session')} · best <code>${chosen.runId}</code>`,
    top: markup`${generatedNote(chosen.generated)}${verdictBlock(view)}${setupBlock(view)}`,
    parts: [
      {
        id: 'result',
        title: 'Result',
        content: inGrid([growthChart(view), metricTable(view), windowTable(view)]),
      },
      {
        id: 'parameters',
        title: 'Parameters',
        content: inGrid([
          heatMap(view),
          parallelCoordinates(view),
          effectBars(view),
          objectiveHistogram(view),
          trialTable(view),
        ]),
      },
      {
        id: 'luck',
        title: 'Luck and stress',
        content: inGrid([overfittingScatter(view), stressTable(view), crisisTable(view)]),
      },
    ],
    footer: 'Simulated fills do not guarantee real ones.',
    dates: optimised.sessions.map(({ date }) => date),
  };
  return documentOf(document, script);
}

/** Trials of the windows: the same sets again, over parts of the sessions. */
const ofWindows = (optimised: OptimisationResult): string =>
  optimised.walkForward ? ` and ${counted(windowTrialsOf(optimised), 'trial')} in windows` : '';

function setupBlock({ options, belief, optimised, objective }: StudyView): Markup {
  const { model, params } = belief.chosen;
  const { space, method, seed } = options.sampling;
  const [failed, stopped] = [failedOf(optimised.whole.trials), stoppedOf(optimised.whole.trials)];
  const lines: (readonly [string, string])[] = [
    [`best by ${labelOfObjective(objective)}`, textOf(params)],
    ['searched', space.map((dimension) => `${dimension.name} ${rangeText(dimension)}`).join(', ')],
    [
      'method',
      `${method}, seed ${seed}${failed > 0 ? `, ${failed} failed` : ''}${stopped > 0 ? `, ${stopped} stopped early` : ''}`,
    ],
    ['fills', `${model.fill}, fees ${model.fees}, slippage ${model.slippage}`],
  ];
  return markup`<dl class="setup">${lines.map(([label, text]) => markup`<dt>${label}</dt><dd>${text}</dd>`)}</dl>`;
}

const textOf = (params: unknown): string =>
  Object.entries(params as object)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');

function rangeText(dimension: StudyView['space'][number]): string {
  if (dimension.kind === 'choice') return dimension.values.map(String).join(' | ');
  if (dimension.kind === 'range')
    return `${dimension.min} to ${dimension.max}${dimension.log ? ', by logarithm' : ''}`;
  return `${dimension.min} to ${dimension.min + dimension.step * (dimension.count - 1)} by ${dimension.step}`;
}
