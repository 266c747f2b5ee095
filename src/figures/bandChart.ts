import { figure, type Figure } from './figure.ts';
import type { Format } from './format.ts';
import { join, type Markup } from './markup.ts';
import { blocks, linearScale, rangeOf } from './scale.ts';
import type { Column } from './chartData.ts';

export type BarSeries = Readonly<{
  name: string;
  values: readonly (number | null)[];
  /** Style of the bars; without it, gains and losses have different styles. */
  style?: string;
}>;

export type BarChart = Pick<Figure, 'id' | 'title' | 'summary' | 'unit' | 'height' | 'wide' | 'note'> &
  Readonly<{
    /** Labels of the bars, and the head of their column. */
    labels: readonly string[];
    of: string;
    series: readonly BarSeries[];
    format: Format;
    /** Additional values for a bar's tooltip. */
    more?: readonly Column[];
    /** Maximum number of labels; if there are more, only every n-th is shown. */
    labelsMax?: number;
  }>;

const LABELS_MAX = 12;
/** Maximum number of labels on a phone. */
const NARROW_MAX = 5;
/** Fraction of their slot that bars fill: a few full-width ones would look like a wall. */
const roomOf = (count: number): number => Math.min(0.76, 0.1 + 0.12 * count);

/** Vertical bars, up or down from zero. */
export function barChart(chart: BarChart): Markup {
  const { labels, series, format, more = [], labelsMax = LABELS_MAX } = chart;
  const scale = linearScale(rangeOf(...series.map(({ values }) => values)), { zero: true });
  const room = roomOf(labels.length);
  const width = room / series.length;
  const every = Math.max(1, Math.ceil(labels.length / labelsMax));
  const sparse = Math.ceil(labels.length / every / NARROW_MAX);
  const drawn = series.flatMap(({ values, style }, place) => {
    const list = values.flatMap((value, index) => {
      if (value === null || !Number.isFinite(value)) return [];
      const from = index + (1 - room) / 2 + place * width;
      return [{ from, to: from + width, low: Math.min(value, 0), high: Math.max(value, 0) }];
    });
    if (style !== undefined) return [blocks(list, scale, style)];
    return [
      blocks(
        list.filter(({ high }) => high > 0),
        scale,
        'gain',
      ),
      blocks(
        list.filter(({ high }) => high === 0),
        scale,
        'loss',
      ),
    ];
  });
  return figure({
    ...chart,
    scale,
    along: labels.flatMap((label, index) =>
      index % every === 0 ? [{ at: index + 0.5, label, minor: (index / every) % sparse !== 0 }] : [],
    ),
    area: join(drawn),
    keys:
      series.length > 1 ? series.map(({ name, style = 'gain' }) => ({ name, mark: `${style} block` })) : [],
    data: {
      kind: 'bands',
      span: Math.max(1, labels.length),
      of: chart.of,
      labels,
      columns: [
        ...series.map(({ name, values, style }) => ({ name, format, values, ...(style && { mark: style }) })),
        ...more,
      ],
    },
  });
}
