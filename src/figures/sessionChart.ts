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
  /** One value per session or intraday point; null if there is none. */
  values: readonly (number | null)[];
  style: string;
  /** Level down to which the area is filled. */
  areaTo?: number;
  /** True for a line drawn only by `under`; this provides its numbers. */
  isUnder?: boolean;
}>;

type SessionChart = Pick<
  Figure,
  'id' | 'title' | 'summary' | 'unit' | 'height' | 'wide' | 'marks' | 'controls' | 'below' | 'note'
> &
  Readonly<{
    dates: readonly string[];
    /** Intraday points instead of one per session: positions and times. */
    points?: Readonly<{ at: readonly number[]; times: readonly string[] }>;
    mark: MarkName;
    lines: readonly SessionLine[];
    /** Value of each line before the first session. */
    opening?: readonly (number | null)[];
    /** Legend keys in addition to those of the lines. */
    moreKeys?: readonly Key[];
    format: Format;
    zero?: boolean;
    /** Scale for the whole chart; without it, the chart can be zoomed. */
    scale?: Scale;
    shades?: readonly Shade[];
    /** Draws below the lines, at the given scale. */
    under?: (kept: readonly number[]) => Markup;
  }>;

/** Line chart over the sessions of a run: each session is one unit wide, with its value in the middle. */
export const sessionChart = (chart: SessionChart): Markup =>
  chart.scale === undefined ? drawnChart(chart) : plainChart(chart, chart.scale);

const keysOf = (lines: readonly SessionLine[]) =>
  lines.length > 1
    ? lines.map(({ name, style, isUnder }) => ({ name, mark: isUnder ? `${style} block` : style }))
    : [];

/** Zoomable chart: its table has every session, its drawing as many as a screen can show. */
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

/** Chart with a fixed scale, and as many sessions as a screen can show. */
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
