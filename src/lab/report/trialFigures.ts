import { barChart } from '../../figures/bandChart.ts';
import { figure, missing, type Missing } from '../../figures/figure.ts';
import { written } from '../../figures/format.ts';
import { join, markup, scrolling, table, type Markup } from '../../figures/markup.ts';
import { line, linearScale, type Point } from '../../figures/scale.ts';
import { everyNth } from '../../figures/thinning.ts';
import { heatRange, heatScale, shade, type HeatRange } from '../../figures/heat.ts';
import { counted } from '../../core/counted.ts';
import { histogram, quantileOf, sorted } from '../../statistics/moments.ts';
import type { Objective } from '../search/objective.ts';
import {
  isUnordered,
  placeOf,
  valueText,
  type Dimension,
  type ParamSet,
  type ParamValue,
} from '../search/space.ts';
import { formatOf, labelOfObjective, writtenScore, type StudyView, type TrialView } from './studyView.ts';

/** Maximum rows and columns of a heat map; more values are grouped. */
const CELLS_MAX = 15;
const CELLS_MIN = 4;

/** Groups of values of a dimension, in order. */
type Axis = Readonly<{
  name: string;
  groups: readonly Readonly<{ label: string; has: (value: ParamValue) => boolean }>[];
}>;

/**
 * Heat map of the first objective over its two most influential parameters, with the best trial in each cell. A plateau
 * shows as an area of one shade, luck as a single cell.
 */
export function heatMap({ space, trials, effects, objective, best }: StudyView): Markup | Missing {
  const title = `${labelOfObjective(objective)} in sample by the two parameters that decide most`;
  const byEffect = [...space].sort((a, b) => (effects?.[b.name] ?? 0) - (effects?.[a.name] ?? 0));
  const [first, second] = byEffect;
  if (!first || !second) return missing(title, 'one parameter was searched');
  const [down, across] = [axisOf(first, trials), axisOf(second, trials)];
  const scored = trials.filter((trial): trial is TrialScore => trial.score !== null);
  const cells = down.groups.map((row) =>
    across.groups.map((column) => {
      const within = scored.filter(
        ({ params }) => row.has(valueOf(params, first)) && column.has(valueOf(params, second)),
      );
      return within.length === 0 ? null : Math.max(...within.map(({ score }) => score));
    }),
  );
  const range = heatRange(cells.flat().flatMap((value) => value ?? []));
  const isBest = (row: number, column: number) =>
    best !== null &&
    down.groups[row]?.has(valueOf(best, first)) === true &&
    across.groups[column]?.has(valueOf(best, second)) === true;
  const rows = down.groups.map(
    ({ label }, row) =>
      markup`<tr><th scope="row">${label}</th>${(cells[row] ?? []).map((value, column) => heatCell(value, { range, objective, isBest: isBest(row, column) }))}</tr>\n`,
  );
  const heads = [`${down.name} \\ ${across.name}`, ...across.groups.map(({ label }) => label)];
  const summary = `The best of the trials in each cell; the frame is around the best of all. Look for an area of one shade: a single dark cell among pale ones is luck.`;
  return markup`<section class="table-block wide" id="heat"><h3>${title}</h3><p class="summary">${summary}</p>${heatScale(range, (score) => writtenScore(objective, score))}
${scrolling(title, markup`<table class="heat"><thead><tr>${heads.map((head) => markup`<th scope="col">${head}</th>`)}</tr></thead><tbody>\n${rows}</tbody></table>`)}</section>
`;
}

type TrialScore = TrialView & Readonly<{ score: number }>;

const valueOf = (params: ParamSet, { name }: Dimension): ParamValue => params[name] ?? NaN;

const heatCell = (
  score: number | null,
  { range, objective, isBest }: Readonly<{ range: HeatRange; objective: Objective; isBest: boolean }>,
): Markup =>
  score === null
    ? markup`<td></td>`
    : markup`<td class="${shade(score, range)}${isBest ? ' chosen' : ''}">${writtenScore(objective, score)}</td>`;

function axisOf(dimension: Dimension, trials: readonly TrialView[]): Axis {
  const { name } = dimension;
  const values = [...new Set(trials.map(({ params }) => valueOf(params, dimension)))];
  const ordered = isUnordered(dimension) ? values : values.sort((a, b) => Number(a) - Number(b));
  if (ordered.length <= CELLS_MAX || isUnordered(dimension))
    return {
      name,
      groups: ordered.map((value) => ({ label: valueText(value), has: (other) => other === value })),
    };
  const count = Math.min(CELLS_MAX, Math.max(CELLS_MIN, Math.floor(Math.sqrt(trials.length / 2))));
  const groupOf = (value: ParamValue) =>
    Math.min(Math.floor(placeIn(dimension, ordered, value) * count), count - 1);
  return {
    name,
    groups: Array.from({ length: count }, (_, group) => ({
      label: groupLabel(ordered.filter((value) => groupOf(value) === group)),
      has: (value) => groupOf(value) === group,
    })),
  };
}

/** Position of a value between the lowest tried (0) and the highest (1), logarithmic if it was searched that way. */
function placeIn(dimension: Dimension, ordered: readonly ParamValue[], value: ParamValue): number {
  const place = (one: ParamValue | undefined) => placeOf(dimension, one ?? NaN);
  const [low, high] = [place(ordered[0]), place(ordered.at(-1))];
  return (place(value) - low) / (high - low);
}

const groupLabel = (values: readonly ParamValue[]): string => {
  const [first, last] = [values[0] ?? '', values.at(-1) ?? ''];
  return first === last ? valueText(first) : `${valueText(first)} to ${valueText(last)}`;
};

/** Maximum number of lines in a plot of trials. */
const LINES_MAX = 400;

/** Each trial as a line across its parameters, from the lowest value tried to the highest; the best tenth stand out. */
export function parallelCoordinates({ space, trials, objective }: StudyView): Markup | Missing {
  const title = 'Trials across their parameters';
  if (space.length < 3)
    return missing(title, 'two parameters or fewer were searched: the heat map shows them');
  const scored = trials
    .filter((trial): trial is TrialScore => trial.score !== null)
    .sort((a, b) => b.score - a.score);
  if (scored.length === 0) return missing(title, `${objective.name} is undefined in every trial`);
  const best = scored.slice(0, Math.max(1, Math.ceil(scored.length / 10)));
  const others = everyNth(scored.slice(best.length), LINES_MAX);
  const scale = linearScale([0, 1], { zero: true });
  const pointsOf = ({ params }: TrialView): Point[] =>
    space.map((dimension, index) => [index + 0.5, placeOf(dimension, valueOf(params, dimension))]);
  const top = best.slice(0, 5);
  return figure({
    id: 'parallel',
    title,
    summary: `${counted(best.length, 'trial')} of ${scored.length} with the best ${labelOfObjective(objective)} in sample in front. Where their lines meet, the value matters; where they spread, it does not.`,
    unit: 'place of the value among those tried',
    format: 'percent0',
    wide: true,
    scale,
    along: space.map(({ name }, index) => ({ at: index + 0.5, label: name })),
    area: join([
      ...others.map((trial) => line(pointsOf(trial), scale, 'faint')),
      ...best.toReversed().map((trial) => line(pointsOf(trial), scale, 's1')),
    ]),
    keys: [
      { name: 'best tenth', mark: 's1' },
      { name: 'others', mark: 'faint' },
    ],
    data: {
      kind: 'line',
      span: space.length,
      of: 'Parameter',
      labels: space.map(({ name }) => name),
      columns: top.map((trial, rank) => ({
        name: `#${rank + 1}: ${written(trial.value, 'general')}`,
        values: space.map((dimension) => valueText(valueOf(trial.params, dimension))),
      })),
    },
  });
}

/** Distribution of the first objective over all trials. */
export function objectiveHistogram({ trials, objective, format }: StudyView): Markup | Missing {
  const title = `All trials by ${labelOfObjective(objective)} in sample`;
  const values = trials.flatMap(({ value }) => value ?? []);
  if (values.length < 2 || new Set(values).size < 2)
    return missing(title, 'there are too few different values');
  const bins = histogram(values);
  const ascending = sorted(trials.flatMap(({ score }) => score ?? []));
  const textOf = (score?: number) => writtenScore(objective, score);
  return barChart({
    id: 'objective',
    title,
    summary: `Median ${textOf(quantileOf(ascending, 0.5))}, the best ${textOf(ascending.at(-1))}, the worst ${textOf(ascending[0])}.`,
    unit: 'trials',
    of: labelOfObjective(objective),
    labels: bins.map(({ from, to }) => written((from + to) / 2, format)),
    format: 'round',
    series: [{ name: 'Trials', values: bins.map(({ count }) => count), style: 's1' }],
  });
}

/** Share of the objective's variance that each parameter explains by itself. */
export function effectBars({ effects, objective }: StudyView): Markup | Missing {
  const title = 'What each parameter decides';
  if (!effects) return missing(title, 'there are too few trials');
  const entries = Object.entries(effects).sort(([, a], [, b]) => b - a);
  return barChart({
    id: 'effects',
    title,
    summary: `${entries.map(([name, share]) => `${name} ${written(share, 'percent0')}`).join(', ')} of the differences in ${labelOfObjective(objective)} in sample, each taken alone; the rest comes from combinations.`,
    unit: `share of the variance of ${labelOfObjective(objective)}`,
    of: 'Parameter',
    labels: entries.map(([name]) => name),
    format: 'percent0',
    series: [{ name: 'Share', values: entries.map(([, share]) => share), style: 's1' }],
  });
}

const ROWS_MAX = 25;
/** Metrics shown in addition to the objectives. */
const ALSO = [
  ['totalReturn', 'Return'],
  ['maxDrawdown', 'Drawdown'],
] as const;

/** Best trials, or those on the Pareto front if there are several objectives. */
export function trialTable({ space, trials, front, objectives }: StudyView): Markup {
  const ranked = front ?? [...trials].sort((a, b) => (b.score ?? -Infinity) - (a.score ?? -Infinity));
  const rows = ranked.slice(0, ROWS_MAX);
  const formats = objectives.map(formatOf);
  const also = ALSO.filter(([key]) => objectives.every(({ metric }) => metric !== key));
  const all = ranked.length > rows.length ? `The first ${rows.length} of ${ranked.length}. ` : '';
  return table({
    id: 'trials',
    title: front ? 'Trials that no other trial beats in every objective' : 'The best trials',
    heads: [
      '#',
      ...space.map(({ name }) => name),
      ...objectives.map(labelOfObjective),
      ...also.map(([, name]) => name),
      'Trades',
    ],
    rows: rows.map(({ number, params, values, totalReturn, maxDrawdown, trades }) => [
      number + 1,
      ...space.map((dimension) => valueText(valueOf(params, dimension))),
      ...values.map((value, index) => written(value, formats[index] ?? 'general')),
      ...also.map(([key]) => written(key === 'totalReturn' ? totalReturn : maxDrawdown, 'percent1')),
      trades ?? '–',
    ]),
    note: `${all}In sample: the best of many looks better than it is.`,
  });
}
