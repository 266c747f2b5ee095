import { missing, type Missing } from '../../figures/figure.ts';
import { signed, written, type Format } from '../../figures/format.ts';
import { markup, table, type Markup } from '../../figures/markup.ts';
import { scatterChart } from '../../figures/scatterChart.ts';
import { METRIC_TABLE } from '../../statistics/metricTable.ts';
import type { MetricName } from '../../statistics/metrics.ts';
import { INTERVAL_METRICS } from '../significance/intervals.ts';
import type { StudyView } from './studyView.ts';

/** The verdict and its reasons, the worst first. */
export function verdictBlock({ belief: { verdict }, options }: StudyView): Markup {
  const [first = '', ...others] = verdict.why;
  const { method } = options.sampling;
  return markup`<section class="verdict ${verdict.verdict}" id="verdict"><h2>Believe it?</h2><p class="answer">${first}</p><ul>${others.map((why) => markup`<li>${why}</li>`)}</ul><p class="note">Searched by ${method}. What each test says, and its source: docs/believing.md.</p></section>`;
}

const UNIT_FORMATS: Readonly<Record<string, Format>> = { percent: 'percent1', money: 'money' };

const metricWritten = (name: MetricName, value: number | null | undefined): string =>
  written(value, UNIT_FORMATS[METRIC_TABLE[name].unit] ?? 'ratio');

/** Headline metrics in sample with their bootstrap intervals, and out of sample beside them. */
export function metricTable({ optimised, belief }: StudyView): Markup {
  const { walkForward } = optimised;
  const rows = INTERVAL_METRICS.map((name) => {
    const interval = belief.intervals[name];
    return [
      METRIC_TABLE[name].label,
      metricWritten(name, belief.chosen.metrics[name]),
      'low' in interval
        ? `${metricWritten(name, interval.low)} to ${metricWritten(name, interval.high)}`
        : '–',
      walkForward ? metricWritten(name, walkForward.outOfSample.metrics[name]) : 'not measured',
    ];
  });
  return table({
    id: 'headline',
    title: 'The chosen parameters, in sample and out of sample',
    heads: ['Metric', 'In sample', '5 to 95 %', 'Out of sample'],
    rows,
    texts: 1,
    note: `Intervals by a bootstrap of blocks of sessions: other luck in the same market, without the luck of having been chosen.${walkForward ? '' : ' Nothing was checked out of sample: --walk-forward 12m/3m.'}`,
  });
}

/** Most dots of the scatter. */
const DOTS_MAX = 600;

/** The best of one half of the sessions, in that half and in the other, for each split. */
export function overfittingScatter({ belief: { evidence } }: StudyView): Markup | Missing {
  const title = 'The best of one half, in the other half';
  const { overfitting, marksPerYear } = evidence;
  if ('reason' in overfitting) return missing(title, overfitting.reason);
  const { inSample, outOfSample, probability, lossProbability } = overfitting;
  const every = Math.max(1, Math.ceil(inSample.length / DOTS_MAX));
  const year = Math.sqrt(marksPerYear);
  const dots = [...inSample.keys()]
    .filter((split) => split % every === 0)
    .map((split) => ({
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

/** Other costs, noisy prices and other orders of the trades. */
export function stressTable({ belief }: StudyView): Markup {
  const { chosen, costs, noise, shuffle } = belief;
  const rows: (readonly string[])[] = [
    [
      'As it was',
      written(chosen.metrics.totalReturn, 'percent1'),
      written(chosen.metrics.sharpe, 'ratio'),
      '',
    ],
    ['Fees and slippage doubled', written(costs.totalReturn, 'percent1'), written(costs.sharpe, 'ratio'), ''],
    [
      `Noise of ${written(noise.size, 'percent0')} of a usual move on every price`,
      '',
      written(noise.median, 'ratio'),
      `${noise.sharpes.length} runs, from ${written(noise.sharpes[0], 'ratio')} to ${written(noise.sharpes.at(-1), 'ratio')}`,
    ],
  ];
  if (!('reason' in shuffle))
    rows.push([
      'The same trades in other orders',
      '',
      '',
      `deepest fall ${written(shuffle.shuffled.maxDrawdown.p50, 'percent1')} in the middle, ${written(shuffle.shuffled.maxDrawdown.p5, 'percent1')} in one of twenty; it was ${written(shuffle.maxDrawdown, 'percent1')}`,
    ]);
  return table({
    id: 'stress',
    title: 'Under other assumptions',
    heads: ['Assumption', 'Return', 'Sharpe', ''],
    rows,
    texts: 1,
  });
}

/** General falls of the market that the run has lived through. */
export function crisisTable({ belief: { crises } }: StudyView): Markup | Missing {
  const title = 'In crises';
  if (crises.length === 0) return missing(title, 'the run has not lived through one of the known ones');
  return table({
    id: 'crises',
    title,
    heads: ['Crisis', 'From', 'To', 'Chosen', 'Holding its stocks'],
    rows: crises.map(({ name, from, to, own, held }) => [
      name,
      from,
      to,
      signed(own, 'percent1'),
      signed(held, 'percent1'),
    ]),
    texts: 3,
  });
}
