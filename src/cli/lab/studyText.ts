import type { Optimised, OptimiseOptions } from '../../lab/optimise.ts';
import { allParams, type StudyOutcome } from '../../lab/studyResult.ts';
import type { BookedTrial } from '../../lab/study/studyFile.ts';
import { HEADLINE } from '../../lab/trials/headline.ts';
import type { TrialEngine } from '../../lab/trials/studyTrials.ts';
import { metricText } from '../../report/numberText.ts';
import { METRIC_TABLE } from '../../statistics/metricTable.ts';
import { isSignals } from '../../strategy/signals/defineSignals.ts';
import { coloursOf, table } from '../output.ts';
import type { Terminal } from '../context.ts';

/** Failed trials that are listed. */
const FAILED_SHOWN = 3;

/** Result of a study, for people: the verdict first, and no figure in sample without that out of sample beside it. */
export function studyText(
  { optimised, belief, engine, options, file, elapsedMs }: StudyOutcome,
  terminal: Terminal,
): string {
  const { whole, walkForward } = optimised;
  const { bold, green, yellow, red } = coloursOf(terminal);
  const tone = { yes: green, unclear: yellow, no: red }[belief.verdict.verdict];
  const [first = '', ...others] = belief.verdict.why;
  const { best, trials } = whole;
  const rows = HEADLINE.map((name) => {
    const interval = name === 'volatility' ? null : belief.intervals[name];
    return [
      METRIC_TABLE[name].label,
      metricText(name, best?.outcome.state === 'done' ? best.outcome.headline[name] : null),
      interval && 'low' in interval
        ? `${metricText(name, interval.low)} to ${metricText(name, interval.high)}`
        : '',
      walkForward ? metricText(name, walkForward.outOfSample.metrics[name]) : 'not measured',
    ];
  });
  const head = ['', 'in sample', '5 to 95 %', 'out of sample'];
  return [
    `${bold('believe it?')}  ${tone(first)}`,
    ...others.map((text) => `             ${text}`),
    '',
    `best of ${trials.length}   ${paramsText(allParams(options, best ?? { params: {} }))}`,
    table(head, rows, head.slice(1)),
    '',
    ...frontText(optimised, options),
    ...failedText(trials),
    `${trials.length} trials in ${(elapsedMs / 1_000).toFixed(1)} s, kept in ${file}`,
    ...engineText(engine, options),
    ...(walkForward ? [] : ['out of sample: choose on one part and trade the next by --walk-forward 12m/3m']),
  ].join('\n');
}

const paramsText = (params: object): string =>
  Object.entries(params)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');

/** Engine of the trials, where it might have been the faster one. */
function engineText({ name, why }: TrialEngine, { setup }: OptimiseOptions): string[] {
  if (!isSignals(setup.strategy.definition)) return [];
  if (name === 'columnar') return ['engine   columnar'];
  return [`engine   the kernel, because the columnar one does not play ${why.join(', ')} (docs/signals.md)`];
}

const FRONT_SHOWN = 10;

/** Trials that no other is better than in everything, where there are several objectives. */
function frontText({ whole }: Optimised, { setup }: OptimiseOptions): string[] {
  if (setup.objectives.length < 2) return [];
  const names = setup.objectives.map(({ name }) => name);
  const rows = whole.front
    .slice(0, FRONT_SHOWN)
    .map(({ params, outcome }) => [
      paramsText(params),
      ...(outcome.state === 'done' ? outcome.objectives : []).map((value, index) =>
        metricText(names[index] ?? '', value),
      ),
    ]);
  const more = whole.front.length > rows.length ? [`and ${whole.front.length - rows.length} more`] : [];
  return [
    `no other is better in all of ${names.join(', ')}`,
    table(['parameters', ...names], rows, names),
    ...more,
    '',
  ];
}

function failedText(trials: readonly BookedTrial[]): string[] {
  const failed = trials.flatMap(({ params, outcome }) =>
    outcome.state === 'failed' || outcome.state === 'crashed'
      ? [`failed   ${paramsText(params)}: ${outcome.why}`]
      : [],
  );
  const more = failed.length > FAILED_SHOWN ? [`and ${failed.length - FAILED_SHOWN} more failed trials`] : [];
  return [...failed.slice(0, FAILED_SHOWN), ...more];
}
