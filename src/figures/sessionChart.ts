import { saidOf, type MarkName } from '../statistics/markName.ts';
import { figure, type Figure } from './figure.ts';
import type { Format } from './format.ts';
import { join, markup, type Markup } from './markup.ts';
import { areaTo, line, type Point, linearScale, rangeOf, type Scale } from './scale.ts';

/** A place along the width of a plot, in the units of its width. `minor` ones go where there is little room. */
export type Tick = Readonly<{ at: number; label: string; minor?: boolean }>;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MONTH_STEPS = [1, 2, 3, 6, 12, 24, 60, 120];
const TICKS_MAX = 14;
/** Number of sessions below which their days are labelled. */
const BY_MONTH_FROM = 50;

/** Labels at the beginnings of months or years, on an axis with one unit per session; in a short run, of some of its days. */
export function sessionTicks(dates: readonly string[]): Tick[] {
  return dates.length < BY_MONTH_FROM ? dayTicks(dates) : monthTicks(dates);
}

function dayTicks(dates: readonly string[]): Tick[] {
  const step = Math.max(1, Math.ceil(dates.length / 8));
  return dates.flatMap((date, at) =>
    at % step === 0 ? [{ at: at + 0.5, label: dayLabel(date), minor: (at / step) % 2 === 1 }] : [],
  );
}

const dayLabel = (date: string): string => `${monthName(date)} ${Number(date.slice(8, 10))}`;

const monthName = (date: string): string => MONTHS[Number(date.slice(5, 7)) - 1] ?? '';

const monthNumber = (date: string): number => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1;

function monthTicks(dates: readonly string[]): Tick[] {
  const months = monthNumber(dates.at(-1) ?? '') - monthNumber(dates[0] ?? '') + 1;
  const step = MONTH_STEPS.find((length) => months / length <= TICKS_MAX) ?? 240;
  const starts = dates.flatMap((date, at) => {
    const month = monthNumber(date);
    const begins = at > 0 && monthNumber(dates[at - 1] ?? '') !== month;
    return begins && month % step === 0 ? [{ at, month, date }] : [];
  });
  return starts.map(({ at, month, date }, index) => ({
    at,
    label: month % 12 === 0 || step >= 12 ? date.slice(0, 4) : monthName(date),
    minor:
      step < 12 && starts.length > 5
        ? month % 12 !== 0 && (month / step) % 2 !== 0
        : index % 2 === 1 && starts.length > 6,
  }));
}

export const MONTH_NAMES: readonly string[] = MONTHS;

/** Approximate maximum number of drawn points of a line; a screen has no more. */
const POINTS_MAX = 1500;

/**
 * Points of lines to draw: all of them, or of each stretch the first and, for every line, the lowest and the highest, so
 * that no peak or trough is lost.
 */
export function keptPoints(lines: readonly (readonly (number | null)[])[], max = POINTS_MAX): number[] {
  const length = Math.max(0, ...lines.map((line) => line.length));
  if (length <= max) return Array.from({ length }, (_, index) => index);
  const stretches = Math.max(1, Math.floor(max / (1 + 2 * lines.length)));
  const kept = new Set([0, length - 1]);
  for (let stretch = 0; stretch < stretches; stretch++) {
    const from = Math.floor((stretch * length) / stretches);
    const to = Math.floor(((stretch + 1) * length) / stretches);
    kept.add(from);
    for (const line of lines) for (const index of extremesOf(line, from, to)) kept.add(index);
  }
  return [...kept].sort((one, other) => one - other);
}

function extremesOf(line: readonly (number | null)[], from: number, to: number): number[] {
  let [low, high] = [-1, -1];
  for (let index = from; index < to; index++) {
    const value = line[index];
    if (value === null || value === undefined || !Number.isFinite(value)) continue;
    if (low < 0 || value < (line[low] ?? NaN)) low = index;
    if (high < 0 || value > (line[high] ?? NaN)) high = index;
  }
  return low < 0 ? [] : [low, high];
}

export type SessionLine = Readonly<{
  name: string;
  /** One for each session; null where there is none. */
  values: readonly (number | null)[];
  style: string;
  /** Filled down to this level. */
  areaTo?: number;
  /** True for a line drawn only by `under`: this gives its numbers. */
  isUnder?: boolean;
}>;

type SessionChart = Pick<
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

/** Lines over the sessions of the run: each session is one unit wide, with its value in the middle. */
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
