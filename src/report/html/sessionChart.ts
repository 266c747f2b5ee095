import { saidOf, type MarkName } from '../../statistics/markName.ts';
import { figure, type Figure } from './figure.ts';
import type { Format } from './format.ts';
import { join, markup, type Markup } from './markup.ts';
import { areaTo, line, type Point } from './paths.ts';
import { linearScale, rangeOf, type Scale } from './scale.ts';
import { sessionTicks } from './sessionAxis.ts';
import { keptPoints, POINTS_MAX } from './thin.ts';

export type SessionLine = Readonly<{
  name: string;
  /** One for each session; null where there is none. */
  values: readonly (number | null)[];
  style: string;
  /** Filled down to this level. */
  areaTo?: number;
  /** Drawn by `under` alone: this gives its numbers. */
  isUnder?: boolean;
}>;

export type SessionChart = Pick<
  Figure,
  'id' | 'title' | 'summary' | 'unit' | 'height' | 'wide' | 'marks' | 'below' | 'note'
> &
  Readonly<{
    dates: readonly string[];
    mark: MarkName;
    lines: readonly SessionLine[];
    format: Format;
    scale?: Scale;
    zero?: boolean;
    /** Drawn below the lines. */
    under?: (kept: readonly number[], scale: Scale) => Markup;
  }>;

/** Lines over the sessions of the run: each session has one unit of the width, and its value stands in the middle. */
export function sessionChart(chart: SessionChart): Markup {
  const { dates, mark, lines, format, under, zero = false } = chart;
  const values = lines.map((each) => each.values);
  const kept = keptPoints(values);
  const scale = chart.scale ?? linearScale(rangeOf(...values), { zero });
  const pointsOf = (list: readonly (number | null)[]): Point[] =>
    kept.map((index) => [index + 0.5, list[index] ?? null]);
  const drawn = lines
    .filter(({ isUnder }) => !isUnder)
    .map(({ values: list, style, areaTo: level }) => [
      level === undefined ? markup`` : areaTo(pointsOf(list), level, { scale, style }),
      line(pointsOf(list), scale, style),
    ]);
  const columns = lines.map(({ name, values: list, style }) => ({
    name,
    format,
    mark: style,
    values: kept.map((index) => list[index] ?? null),
  }));
  return figure({
    ...chart,
    scale,
    span: dates.length,
    along: sessionTicks(dates),
    area: join([under?.(kept, scale) ?? markup``, ...drawn.flat()]),
    ...noteOf(chart.note, dates.length > kept.length ? kept.length : null),
    keys:
      lines.length > 1
        ? lines.map(({ name, style, isUnder }) => ({ name, mark: isUnder ? `${style} block` : style }))
        : [],
    data: {
      kind: 'line',
      span: dates.length,
      of: saidOf(mark, 'Session'),
      labels: 'sessions',
      at: kept,
      columns,
    },
  });
}

function noteOf(note: string | undefined, kept: number | null): { note?: string } {
  if (kept === null) return note === undefined ? {} : { note };
  const thinned = `Drawn with ${kept} of the points (at most about ${POINTS_MAX}): the lowest and the highest of each stretch are among them.`;
  return { note: note === undefined ? thinned : `${note} ${thinned}` };
}
