import type { OptimisationResult, OptimiseOptions } from '../../../lab/optimise.ts';
import { unsoldText } from '../../../lab/walkForward/outOfSample.ts';
import {
  allParams,
  failedOf,
  stoppedOf,
  windowTrialsOf,
  type StudyOutcome,
} from '../../../lab/studyResult.ts';
import { counted } from '../../../core/counted.ts';
import { sharpeOverLabel } from '../../../lab/belief/comparison.ts';
import type { Reason } from '../../../lab/significance/verdict.ts';
import { setText } from '../../../lab/search/space.ts';
import type { BookedTrial } from '../../../lab/study/studyFile.ts';
import { HEADLINE } from '../../../lab/trials/headline.ts';
import type { TrialEngine } from '../../../lab/trials/studyTrials.ts';
import { metricText } from '../../../report/numberText.ts';
import { GENERATED } from '../../../report/remarks.ts';
import { METRIC_TABLE } from '../../../statistics/metricTable.ts';
import { isSignals } from '../../../strategy/signals/defineSignals.ts';
import { coloursOf, table } from '../../../process/output.ts';
import type { Terminal } from '../../../process/terminal.ts';

/** Maximum number of failed trials listed. */
const FAILED_SHOWN = 3;

/** Labels of the reasons for a verdict. */
const SPEAKS: Readonly<Record<Reason['speaks'], string>> = {
  against: 'against',
  unclear: 'in doubt',
  for: 'for',
};

/** Result of a study, for people: the verdict first, and every in-sample figure next to its out-of-sample one. */
export function studyText(given: StudyOutcome, terminal: Terminal): string {
  const { optimised, belief, engine, options, file, elapsedMs } = given;
  const { bold, green, yellow, red } = coloursOf(terminal);
  const tone = { yes: green, unclear: yellow, no: red }[belief.verdict.verdict];
  const [first, ...others] = belief.verdict.reasons;
  return [
    ...(belief.chosen.generated ? [red(GENERATED), ''] : []),
    `${bold('believe it?')}  ${tone(first?.text ?? '')}`,
    ...others.map(({ speaks, text }) => `${SPEAKS[speaks].padEnd(11)}  ${text}`),
    '',
    ...bestText(given),
    '',
    ...frontText(optimised, options),
    ...failedText(optimised.whole.trials),
    `${trialsText(optimised)} in ${(elapsedMs / 1_000).toFixed(1)} s, kept in ${file}`,
    ...engineText(engine, options),
  ].join('\n');
}

/** The chosen parameters, and their figures beside those out of sample and those of holding the stocks. */
function bestText({ optimised, belief, options }: StudyOutcome): string[] {
  const { best, trials } = optimised.whole;
  const { inSample, outOfSample } = belief.comparison;
  const columns = outOfSample ? LATER : WHOLE_ONLY;
  const rows = [
    ['From', { later: outOfSample?.from, whole: inSample.from }],
    ['To', { later: outOfSample?.to, whole: inSample.to }],
    ['Sessions', { later: countText(outOfSample?.sessions), whole: countText(inSample.sessions) }],
    ...HEADLINE.map((name) => [METRIC_TABLE[name].label, cellsOf(name, { optimised, belief })] as const),
    [
      sharpeOverLabel(belief.evidence),
      {
        later: outOfSample ? metricText('sharpe', outOfSample.sharpeOver) : undefined,
        whole: metricText('sharpe', inSample.sharpeOver),
      },
    ],
  ] as const satisfies readonly (readonly [string, Cells])[];
  const lines = rows.map(([label, cells]: readonly [string, Cells]) => [
    label,
    ...columns.map(([name]) => cells[name] ?? (name === 'later' && !outOfSample ? 'not measured' : '')),
  ]);
  const head = ['', ...columns.map(([, title]) => title)];
  const [objective] = options.setup.objectives;
  const unsold = unsoldText(optimised.walkForward?.outOfSample.parts ?? []);
  const value = best?.outcome.state === 'done' ? best.outcome.objectives[0] : null;
  return [
    `best of ${counted(trials.length, 'set')} by ${objective?.name ?? ''} ${metricText(objective?.name ?? '', value)}   ${paramsText(allParams(options, best ?? { params: {} }))}`,
    table(head, lines, head.slice(1)),
    ...(outOfSample
      ? [
          `in sample: these parameters over all sessions; out of sample: what each of ${optimised.walkForward?.windows.length ?? 0} choices did after it`,
        ]
      : []),
    ...(unsold === null ? [] : [unsold]),
  ];
}

type Column = 'later' | 'laterHeld' | 'whole' | 'interval' | 'wholeHeld';
type Cells = Readonly<Partial<Record<Column, string | undefined>>>;

/** Columns with their heads, out of sample first. */
const LATER: readonly (readonly [Column, string])[] = [
  ['later', 'out of sample'],
  ['laterHeld', 'holding'],
  ['whole', 'in sample'],
  ['interval', '5 to 95 %'],
  ['wholeHeld', 'holding'],
];
const WHOLE_ONLY = LATER.filter(([name]) => name !== 'laterHeld');

function cellsOf(
  name: (typeof HEADLINE)[number],
  { optimised: { whole, walkForward }, belief }: Pick<StudyOutcome, 'optimised' | 'belief'>,
): Cells {
  const { inSample, outOfSample } = belief.comparison;
  const interval = name === 'volatility' ? null : belief.intervals[name];
  const outcome = whole.best?.outcome;
  return {
    later: walkForward ? metricText(name, walkForward.outOfSample.metrics[name]) : undefined,
    laterHeld: metricText(name, outOfSample?.held?.[name]),
    whole: metricText(name, outcome?.state === 'done' ? outcome.headline[name] : null),
    interval:
      interval && 'low' in interval
        ? `${metricText(name, interval.low)} to ${metricText(name, interval.high)}`
        : '',
    wholeHeld: metricText(name, inSample.held?.[name]),
  };
}

const countText = (count: number | undefined): string | undefined => count?.toLocaleString('en-US');

/** `24 trials (3 stopped early), and 384 in 16 windows`. */
function trialsText(optimised: OptimisationResult): string {
  const { trials } = optimised.whole;
  const lost = [
    ...(stoppedOf(trials) > 0 ? [`${stoppedOf(trials)} stopped early`] : []),
    ...(failedOf(trials) > 0 ? [`${failedOf(trials)} failed`] : []),
  ];
  const searches = optimised.walkForward?.searches.length ?? 0;
  return (
    counted(trials.length, 'trial') +
    (lost.length > 0 ? ` (${lost.join(', ')})` : '') +
    (searches > 0
      ? `, and ${counted(windowTrialsOf(optimised), 'trial')} in ${counted(searches, 'window')},`
      : '')
  );
}

const paramsText = (params: object): string =>
  Object.entries(params)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');

/** Engine of the trials, if the faster one might have been used. */
function engineText({ name, why }: TrialEngine, { setup }: OptimiseOptions): string[] {
  if (!isSignals(setup.strategy.definition)) return [];
  if (name === 'columnar') return ['engine   columnar'];
  return [`engine   the kernel, because the columnar one does not play ${why.join(', ')} (docs/signals.md)`];
}

const FRONT_SHOWN = 10;

/** Pareto front: trials that no other beats in every objective, if there are several. */
function frontText({ whole }: OptimisationResult, { setup }: OptimiseOptions): string[] {
  if (setup.objectives.length < 2) return [];
  const names = setup.objectives.map(({ name }) => name);
  const rows = whole.front
    .slice(0, FRONT_SHOWN)
    .map(({ params, outcome }) => [
      setText(params),
      ...(outcome.state === 'done' ? outcome.objectives : []).map((value, index) =>
        metricText(names[index] ?? '', value),
      ),
    ]);
  const more = whole.front.length > rows.length ? [`and ${whole.front.length - rows.length} more`] : [];
  return [
    `in sample, no other set is better in all of ${names.join(', ')}`,
    table(['parameters', ...names], rows, names),
    ...more,
    '',
  ];
}

function failedText(trials: readonly BookedTrial[]): string[] {
  const failed = trials.flatMap(({ params, outcome }) =>
    outcome.state === 'failed' || outcome.state === 'crashed'
      ? [`failed   ${setText(params)}: ${outcome.why}`]
      : [],
  );
  const more = failed.length > FAILED_SHOWN ? [`and ${failed.length - FAILED_SHOWN} more failed trials`] : [];
  return [...failed.slice(0, FAILED_SHOWN), ...more];
}
