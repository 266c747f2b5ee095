import { figure, type Figure } from './figure.ts';
import { tickWriter, type Format } from './format.ts';
import { join, markup, type Markup } from './markup.ts';
import { HEIGHT, linearScale, rangeOf, type Scale, percentAlong, percentDown } from './scale.ts';
import type { Column } from './chartData.ts';

export type Dot = Readonly<{ x: number; y: number; label: string; gain: boolean }>;

export type ScatterChart = Pick<Figure, 'id' | 'title' | 'summary' | 'unit' | 'note'> &
  Readonly<{
    dots: readonly Dot[];
    of: string;
    alongUnit: string;
    alongFormat: Format;
    format: Format;
    columns: readonly Column[];
  }>;

/** Dot for each pair of values: round for gains, square for losses. */
export function scatterChart(chart: ScatterChart): Markup {
  const { dots, format, alongFormat } = chart;
  const scale = linearScale(rangeOf(dots.map(({ y }) => y)), { zero: true });
  const along = linearScale(rangeOf(dots.map(({ x }) => x)), { zero: true });
  const alongText = tickWriter(along.ticks, alongFormat);
  const across = (x: number): number => HEIGHT - along.place(x);
  const placed = dots.map((dot) => ({ ...dot, left: across(dot.x), down: scale.place(dot.y) }));
  const marksOf = (gain: boolean) =>
    placed
      .filter((dot) => dot.gain === gain)
      .map(({ left, down }) => `M${Math.round(left)} ${Math.round(down)}h0`);
  const area = join([
    markup`<path class="dots loss" d="${marksOf(false).join('')}"/>`,
    markup`<path class="dots gain" d="${marksOf(true).join('')}"/>`,
  ]);
  return figure({
    ...chart,
    scale,
    format,
    area,
    marks: upright(along, across),
    along: along.ticks.map((tick, index) => ({
      at: across(tick),
      label: alongText(tick),
      minor: index % 2 === 1,
    })),
    keys: [
      { name: 'gain', mark: 'gain dot' },
      { name: 'loss', mark: 'loss dot' },
    ],
    data: {
      kind: 'points',
      span: HEIGHT,
      of: chart.of,
      labels: placed.map(({ label }) => label),
      at: placed.map(({ left }) => Math.round(left)),
      heights: placed.map(({ down }) => down),
      columns: chart.columns,
    },
  });
}

const upright = ({ ticks }: Scale, across: (x: number) => number): Markup =>
  join(
    ticks.map((tick) => {
      const place = percentAlong(across(tick), HEIGHT);
      return markup`<line class="${tick === 0 ? 'zero' : 'rule'}" x1="${place}" x2="${place}" y2="${percentDown(HEIGHT)}"/>`;
    }),
  );
