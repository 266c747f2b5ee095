import { missing, type Missing } from '../../figures/figure.ts';
import { signed, written } from '../../figures/format.ts';
import { markup, table, type Markup } from '../../figures/markup.ts';
import { everyNth } from '../../figures/thinning.ts';
import { scatterChart } from '../../figures/scatterChart.ts';
import { METRIC_TABLE } from '../../statistics/metricTable.ts';
import type { MetricName } from '../../statistics/metrics.ts';
import { sharpeOverLabel, type Comparison, type Stretch } from '../belief/comparison.ts';
import { INTERVAL_METRICS } from '../significance/intervals.ts';
import type { Reason } from '../significance/verdict.ts';
import { isHeadline } from '../trials/trialResult.ts';
import { formatOf, type StudyView } from './studyView.ts';

/** Verdict with its reasons, worst first, each marked as for, against or unclear. */
export function verdictBlock({ belief: { verdict } }: StudyView): Markup {
  const [first, ...others] = verdict.reasons;
  return markup`<section class="verdict ${verdict.verdict}" id="verdict"><h2>Believe it?</h2><p class="answer">${first?.text ?? ''}</p><dl class="setup">${others.map(({ speaks, text }) => markup`<dt>${SPEAKS[speaks]}</dt><dd>${text}</dd>`)}</dl><p class="note">What each test says, and its source: docs/believing.md.</p></section>`;
}

const SPEAKS: Readonly<Record<Reason['speaks'], string>> = {
  against: 'against it',
  unclear: 'in doubt',
  for: 'for it',
};

const metricWritten = (name: MetricName, value: number | null | undefined): string =>
  written(value, formatOf({ metric: name }));

/** Metrics relative to a benchmark, which the out-of-sample parts do not have. */
const OF_BENCHMARK: ReadonlySet<MetricName> = new Set(['beta', 'alpha']);
const NOT_MEASURED = 'not measured';

/** Headline metrics out of sample, and in sample with bootstrap intervals, next to those of holding the stocks. */
export function metricTable({ optimised: { walkForward }, belief }: StudyView): Markup {
  const { comparison, intervals, chosen, evidence } = belief;
  const { inSample, outOfSample } = comparison;
  const later = (cells: readonly [string, string] | null): readonly string[] =>
    outOfSample ? (cells ?? ['', '']) : [NOT_MEASURED];
  const rows = INTERVAL_METRICS.filter((name) => !OF_BENCHMARK.has(name)).map((name) => {
    const interval = intervals[name];
    return [
      METRIC_TABLE[name].label,
      ...later([
        metricWritten(name, walkForward?.outOfSample.metrics[name]),
        heldText(name, outOfSample?.held ?? null),
      ]),
      metricWritten(name, chosen.metrics[name]),
      'low' in interval
        ? `${metricWritten(name, interval.low)} to ${metricWritten(name, interval.high)}`
        : '–',
      heldText(name, inSample.held),
    ];
  });
  const over = (stretch: Stretch | null) => written(stretch?.sharpeOver, 'ratio');
  return table({
    id: 'headline',
    title: 'Out of sample and in sample, beside holding the stocks',
    heads: [
      'Metric',
      ...(outOfSample ? ['Out of sample', 'Holding'] : ['Out of sample']),
      'In sample',
      '5 to 95 %',
      'Holding',
    ],
    rows: [...rows, [sharpeOverLabel(evidence), ...later([over(outOfSample), '']), over(inSample), '', '']],
    texts: 1,
    note: `${spansText(comparison)} ${sharpeOverLabel(evidence)} is what is left of the ratio after ${evidence.isOverBenchmark ? 'holding the stocks at the same mean exposure' : 'cash'}: the verdict goes by it. Holding is without fees, and with dividends. Intervals by a bootstrap of blocks of sessions: other luck in the same market, without the luck of having been chosen.`,
  });
}

const heldText = (name: MetricName, held: Stretch['held']): string =>
  held && isHeadline(name) ? metricWritten(name, held[name]) : '';

/** Sessions covered by both parts. */
function spansText({ inSample, outOfSample }: Comparison): string {
  const over = ({ from, to, sessions }: Stretch) =>
    `${from} to ${to}, ${written(sessions, 'round')} sessions`;
  return outOfSample
    ? `Out of sample: what each choice did after it (${over(outOfSample)}). In sample: the best over all (${over(inSample)}).`
    : `In sample: the best over all (${over(inSample)}). Nothing was checked out of sample: --walk-forward 2y/6m.`;
}

/** Maximum number of dots in the scatter plot. */
const DOTS_MAX = 600;

/** Best trial of one half of the sessions, in that half and in the other, for each split. */
export function overfittingScatter({ belief: { evidence } }: StudyView): Markup | Missing {
  const title = 'The best of one half, in the other half';
  const { overfitting, marksPerYear } = evidence;
  if ('reason' in overfitting) return missing(title, overfitting.reason);
  const { inSample, outOfSample, probability, lossProbability } = overfitting;
  const year = Math.sqrt(marksPerYear);
  const dots = everyNth([...inSample.keys()], DOTS_MAX).map((split) => ({
    x: (inSample[split] ?? NaN) * year,
    y: (outOfSample[split] ?? NaN) * year,
    label: `split ${split + 1}`,
  }));
  return scatterChart({
    id: 'overfitting',
    title,
    summary: `In ${written(probability, 'percent0')} of ${written(inSample.length, 'round')} splits the best of one half was below the median in the other (probability of backtest overfitting), in ${written(lossProbability, 'percent0')} it lost there.`,
    unit: 'yearly Sharpe ratio in the other half',
    alongUnit: 'yearly Sharpe ratio in the half in which it was chosen',
    of: 'Split',
    dots: dots.map((dot) => ({ ...dot, gain: dot.y > 0 })),
    format: 'ratio',
    alongFormat: 'ratio',
    columns: [
      { name: 'Chosen in', values: dots.map(({ x }) => x), format: 'ratio' },
      { name: 'Other half', values: dots.map(({ y }) => y), format: 'ratio' },
    ],
  });
}

/** Results with other costs, noisy prices and shuffled trades. */
export function stressTable({ belief }: StudyView): Markup {
  const { chosen, costs, noise, shuffle } = belief;
  const { totalReturn, sharpe } = chosen.metrics;
  const rows: (readonly string[])[] = [
    ['As it was', written(totalReturn, 'percent1'), written(sharpe, 'ratio'), ''],
    ['Fees and slippage doubled', written(costs.totalReturn, 'percent1'), written(costs.sharpe, 'ratio'), ''],
    'reason' in noise
      ? ['Noise on every price', '', '', '']
      : [
          `Noise of ${written(noise.size, 'percent0')} of a usual move on every price, ${noise.sharpes.length} runs`,
          '',
          written(noise.median, 'ratio'),
          `${written(noise.sharpes[0], 'ratio')} to ${written(noise.sharpes.at(-1), 'ratio')}`,
        ],
  ];
  const orders =
    'reason' in shuffle
      ? ''
      : ` The same trades in other orders: their deepest fall is ${written(shuffle.shuffled.maxDrawdown.p50, 'percent1')} in the middle and ${written(shuffle.shuffled.maxDrawdown.p5, 'percent1')} in one of twenty; it was ${written(shuffle.maxDrawdown, 'percent1')}.`;
  const skipped = 'reason' in noise ? ` Noise: ${noise.reason}.` : '';
  return table({
    id: 'stress',
    title: 'The best set under other assumptions',
    heads: ['Assumption', 'Return', 'Sharpe', 'Lowest to highest'],
    rows,
    texts: 1,
    note: `In sample: over the sessions on which it was chosen.${skipped}${orders}`,
  });
}

/** Market crises that the run covers. */
export function crisisTable({ belief: { crises, chosen } }: StudyView): Markup | Missing {
  const title = 'The best set in crises';
  if (chosen.generated) return missing(title, 'generated prices contain no crises');
  if (crises.length === 0) return missing(title, 'the run covers none of the known crises');
  return table({
    id: 'crises',
    title,
    heads: ['Crisis', 'Best set', 'Holding its stocks'],
    rows: crises.map(({ name, from, to, own, held }) => [
      `${name}, ${from} to ${to}`,
      signed(own, 'percent1'),
      signed(held, 'percent1'),
    ]),
    texts: 1,
    note: 'In sample: over the sessions on which it was chosen.',
  });
}
