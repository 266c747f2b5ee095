import { brief, tickWriter, type Format } from './format.ts';
import { dataBlock, join, markup, type Markup } from './markup.ts';
import type { Tick } from './axis.ts';
import { HEIGHT, type Range, type Scale, percentAlong, percentDown } from './scale.ts';
import type { ChartData, Key } from './chartData.ts';

export type Figure = Readonly<{
  id: string;
  title: string;
  /** Description for readers who cannot see the chart. */
  summary: string;
  height?: 'low' | 'mid' | 'high';
  wide?: boolean;
  /** Name of the axis shared with other figures, whose ranges and cross-hairs move together. */
  axis?: string;
  unit: string;
  format: Format;
  scale: Scale;
  along: readonly Tick[];
  alongUnit?: string;
  /** Parts that stretch with the plot: paths in units of `span` by 1000. */
  area: Markup;
  /** Parts of fixed size, positioned in percent. */
  marks?: Markup;
  keys?: readonly Key[];
  data: ChartData;
  /** Controls above the plot, and the part below. */
  controls?: Markup;
  below?: Markup;
  note?: string;
}>;

/** Chart that fills the available width: its lines stretch, its text does not. */
export function figure(chart: Figure): Markup {
  const { id, title, summary, height = 'mid', wide = false, axis, data, note, controls } = chart;
  const whole = { from: 0, to: data.span };
  const shared = axis === undefined ? null : markup` data-axis="${axis}"`;
  const styles = ['chart', height, ...(wide ? ['wide'] : []), ...(data.kind === 'points' ? ['points'] : [])];
  return markup`<figure class="${styles.join(' ')}" id="${id}"${shared}>
<figcaption><h3>${title}</h3>${legend(chart.keys ?? [])}<p class="summary">${summary}</p></figcaption>
${controls}<p class="unit">${chart.unit}</p>
<div class="plot" data-chart="${id}"${data.intraday ? { markup: ' data-intraday' } : null} tabindex="0" role="img" aria-label="${title}. ${summary}">
<svg class="frame" aria-hidden="true"><g class="grid">${gridMarks(chart.scale, chart.format)}</g><svg class="area" viewBox="0 0 ${data.span} ${HEIGHT}" preserveAspectRatio="none">${chart.area}</svg>${chart.marks}<g class="ticks">${tickMarks(chart.along, whole)}</g></svg>
</div>${chart.below}${chart.alongUnit === undefined ? null : markup`<p class="along">${chart.alongUnit}</p>`}
${note === undefined ? null : markup`<p class="note">${note}</p>`}
<details class="numbers" data-table="${id}"><summary>Numbers</summary></details>
${dataBlock(`data-${id}`, briefly(data))}
</figure>
`;
}

const briefly = (data: ChartData) => ({
  ...data,
  ...(data.heights && { heights: data.heights.map((height) => Math.round(height)) }),
  columns: data.columns.map((column) => ({
    ...column,
    values: column.values.map((value) => (typeof value === 'number' ? brief(value) : value)),
  })),
});

const legend = (keys: readonly Key[]): Markup | null =>
  keys.length === 0
    ? null
    : markup`<ul class="legend">${keys.map(({ name, mark }) => markup`<li><i class="key ${mark}"></i>${name}</li>`)}</ul>`;

/** Horizontal grid lines with their values. */
export function gridMarks(scale: Scale, format: Format): Markup {
  const textOf = tickWriter(scale.ticks, format);
  const lines = scale.ticks.map((tick) => {
    const down = percentDown(scale.place(tick));
    const zero = tick === 0 ? 'zero' : 'rule';
    return markup`<line class="${zero}" x2="100%" y1="${down}" y2="${down}"/><text class="up" x="-8" y="${down}" dy=".32em">${textOf(tick)}</text>`;
  });
  return join(lines);
}

/** Tick labels along a plot, for the range shown. */
export const tickMarks = (ticks: readonly Tick[], { from, to }: Range): Markup =>
  markup`${ticks.map(({ at, label, minor }) => {
    const place = percentAlong(at - from, to - from);
    return markup`<g${minor ? { markup: ' class="minor"' } : null}><line x1="${place}" x2="${place}" y1="100%" y2="100%" class="tick"/><text class="down" x="${place}" y="100%" dy="1.5em">${label}</text></g>`;
  })}`;

/** Chart without anything to draw, with the reason. */
export type Missing = Readonly<{ title: string; why: string }>;

export const missing = (title: string, why: string): Missing => ({ title, why });

/** Figures side by side if space allows, followed by the reasons for missing ones. */
export function inGrid(figures: readonly (Markup | Missing)[]): Markup {
  const [drawn, others]: [Markup[], Missing[]] = [[], []];
  for (const each of figures)
    if ('markup' in each) drawn.push(each);
    else others.push(each);
  return markup`${drawn.length > 0 ? markup`<div class="charts">${drawn}</div>` : null}${notDrawn(others)}`;
}

const notDrawn = (list: readonly Missing[]): Markup | null =>
  list.length === 0
    ? null
    : markup`<section class="missing"><h3>Not drawn</h3><ul>${list.map(({ title, why }) => markup`<li><b>${title}</b>: ${why}.</li>`)}</ul></section>
`;
