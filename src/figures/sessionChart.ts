import { saidOf, type MarkName } from '../statistics/markName.ts';
import { sessionTicks } from './axis.ts';
import { draw } from './drawing.ts';
import { figure, type Figure } from './figure.ts';
import type { Format } from './format.ts';
import { join, markup, type Markup } from './markup.ts';
import { line, type Point, type Scale } from './scale.ts';
import { keptPoints, POINTS_MAX } from './thinning.ts';
import type { Key, Drawing, Shade } from './chartData.ts';

export type SessionLine = Readonly<{
  name: string;
  /** One for each session, or point within them; null if there is none. */
  values: readonly (number | null)[];
  style: string;
  /** Filled down to this level. */
  areaTo?: number;
  /** True for a line drawn only by `under`: this gives its numbers. */
  isUnder?: boolean;
}>;

type SessionChart = Pick<
  Figure,
  'id' | 'title' | 'summary' | 'unit' | 'height' | 'wide' | 'marks' | 'controls' | 'below' | 'note'
> &
  Readonly<{
    dates: readonly string[];
    /** Points within the sessions, instead of one for each: places along them, and times. */
    points?: Readonly<{ at: readonly number[]; times: readonly string[] }>;
    mark: MarkName;
    lines: readonly SessionLine[];
    /** Value of each line before the first session. */
    opening?: readonly (number | null)[];
    /** Keys besides those of the lines. */
    moreKeys?: readonly Key[];
    format: Format;
    zero?: boolean;
    /** Scale for all of it; without one the chart can be enlarged. */
    scale?: Scale;
    shades?: readonly Shade[];
    /** Drawn below the lines, at the scale that is given. */
    under?: (kept: readonly number[]) => Markup;
  }>;

/** Lines over the sessions of the run: each session is one unit wide, with its value in the middle. */
export const sessionChart = (chart: SessionChart): Markup =>
  chart.scale === undefined ? drawnChart(chart) : plainChart(chart, chart.scale);

const keysOf = (lines: readonly SessionLine[]) =>
  lines.length > 1
    ? lines.map(({ name, style, isUnder }) => ({ name, mark: isUnder ? `${style} block` : style }))
    : [];

/** A chart that can be enlarged: its table has every session, its drawing the part of them that a screen can show. */
function drawnChart(chart: SessionChart): Markup {
  const { dates, points, mark, lines, opening, format, zero = false, shades = [] } = chart;
  const data = {
    kind: 'line',
    span: dates.length,
    of: saidOf(mark, 'Session'),
    labels: 'sessions',
    ...(opening && { opening: 'Start' }),
    ...(points && { at: points.at, step: 0 }),
    columns: [
      ...lines.map(({ name, values, style }, index) => ({
        name,
        format,
        mark: style,
        values: opening ? [opening[index] ?? null, ...values] : values,
      })),
      ...(points ? [{ name: 'Time', values: points.times }] : []),
    ],
  } as const;
  const drawing: Drawing = {
    kind: 'lines',
    lines: lines.map(({ style, areaTo }, column) => ({
      column,
      style,
      ...(areaTo !== undefined && { areaTo }),
    })),
    zero,
    isLog: false,
    shades,
  };
  const { scale, area } = draw(data, drawing, { from: 0, to: dates.length });
  return figure({
    ...chart,
    axis: 'sessions',
    scale,
    area,
    along: sessionTicks(dates),
    keys: [...keysOf(lines), ...(chart.moreKeys ?? [])],
    data: { ...data, drawing },
  });
}

/** A chart with a scale of its own, of as many sessions as a screen can show. */
function plainChart(chart: SessionChart, scale: Scale): Markup {
  const { dates, mark, lines, format, under } = chart;
  const kept = keptPoints(lines.map((each) => each.values));
  const pointsOf = (list: readonly (number | null)[]): Point[] =>
    kept.map((index) => [index + 0.5, list[index] ?? null]);
  const drawn = lines
    .filter(({ isUnder }) => !isUnder)
    .map(({ values, style }) => line(pointsOf(values), scale, style));
  return figure({
    ...chart,
    axis: 'sessions',
    scale,
    along: sessionTicks(dates),
    area: join([under?.(kept) ?? markup``, ...drawn]),
    ...noteOf(chart.note, dates.length > kept.length ? kept.length : null),
    keys: keysOf(lines),
    data: {
      kind: 'line',
      span: dates.length,
      of: saidOf(mark, 'Session'),
      labels: 'sessions',
      at: kept,
      columns: lines.map(({ name, values, style }) => ({
        name,
        format,
        mark: style,
        values: kept.map((index) => values[index] ?? null),
      })),
    },
  });
}

function noteOf(note: string | undefined, kept: number | null): { note?: string } {
  if (kept === null) return note === undefined ? {} : { note };
  const thinned = `Drawn with ${kept} of the points (at most about ${POINTS_MAX}): the lowest and the highest of each stretch are among them.`;
  return { note: note === undefined ? thinned : `${note} ${thinned}` };
}
