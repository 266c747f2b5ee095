import { markup, type Markup } from './markup.ts';

/** Maps values to the height of a plot: 0 at the top, 1000 at the bottom. */
export type Scale = Readonly<{
  low: number;
  high: number;
  ticks: readonly number[];
  place(value: number): number;
}>;

export const HEIGHT = 1000;

/** Visible part of the width of a plot, in axis units. */
export type Range = Readonly<{ from: number; to: number }>;

const STEPS = [1, 2, 5, 10];

/** Smallest round step that divides a length into at most `count` parts. */
function roundStep(length: number, count: number): number {
  const rough = length / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * (STEPS.find((step) => step * power >= rough * (1 - 1e-9)) ?? 10);
}

/** Round values from the first at or above `low` to the last at or below `high`. */
export function ticksOf(low: number, high: number, count = 5): number[] {
  const step = roundStep(high - low, count);
  const [first, last] = [Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9)];
  return Array.from({ length: last - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
}

/** Lowest and highest value, ignoring NaN; null if there are none. */
export function rangeOf(...lists: readonly (readonly (number | null)[])[]): [number, number] | null {
  let [low, high] = [Infinity, -Infinity];
  for (const list of lists)
    for (const value of list) {
      if (value === null || !Number.isFinite(value)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  return low <= high ? [low, high] : null;
}

const place = (part: number): number => (1 - part) * HEIGHT;

/** Linear scale over a slightly widened range with round ends. `zero` includes the value 0. */
export function linearScale(
  range: readonly [number, number] | null,
  { zero = false, count = 5 } = {},
): Scale {
  let [low, high] = range ?? [0, 1];
  if (zero) [low, high] = [Math.min(low, 0), Math.max(high, 0)];
  if (high - low <= Math.abs(high) * 1e-12) [low, high] = around(low);
  const step = roundStep(high - low, count);
  const bottom = Math.floor(low / step + 1e-9) * step;
  const top = Math.ceil(high / step - 1e-9) * step;
  const ticks = ticksOf(bottom, top, count + 1);
  return { low: bottom, high: top, ticks, place: (value) => place((value - bottom) / (top - bottom)) };
}

const around = (value: number): [number, number] =>
  value === 0 ? [0, 1] : [value - Math.abs(value) * 0.01, value + Math.abs(value) * 0.01];

/** Scale on which equal ratios have equal heights. Only for a range above 0. */
export function logScale([low, high]: readonly [number, number]): Scale {
  const [from, to] = high > low * (1 + 1e-9) ? [low / 1.02, high * 1.02] : [low * 0.99, high * 1.01];
  const span = Math.log(to / from);
  const decades = span > Math.log(30);
  const ticks = decades ? decadeTicks(from, to) : ticksOf(from, to, 6);
  return { low: from, high: to, ticks, place: (value) => place(Math.log(value / from) / span) };
}

function decadeTicks(low: number, high: number): number[] {
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++)
    for (const step of [1, 3]) {
      const tick = Number((step * 10 ** power).toPrecision(2));
      if (tick >= low && tick <= high) ticks.push(tick);
    }
  return ticks;
}

/** Position along the width, and value; null marks a gap. */
export type Point = readonly [at: number, value: number | null];

/** Coordinate rounded to three decimals: the width may have only a few units. */
export const fine = (value: number): number => Math.round(value * 1000) / 1000;
export const short = (value: number): number => Math.round(value * 10) / 10;

const isThere = (point: Point): point is readonly [number, number] =>
  point[1] !== null && Number.isFinite(point[1]);

/** Runs of points without a gap. */
function runsOf(points: readonly Point[]): (readonly [number, number])[][] {
  const runs: (readonly [number, number])[][] = [];
  let run: (readonly [number, number])[] | null = null;
  for (const point of points) {
    if (!isThere(point)) {
      run = null;
      continue;
    }
    if (run === null) runs.push((run = []));
    run.push(point);
  }
  return runs;
}

const strokeOf = (points: readonly (readonly [number, number])[], scale: Scale): string =>
  points
    .map(([at, value], index) => `${index === 0 ? 'M' : 'L'}${fine(at)} ${short(scale.place(value))}`)
    .join('');

/** Line; an isolated point becomes a dot. */
export const line = (points: readonly Point[], scale: Scale, style: string): Markup => {
  const strokes = runsOf(points).map((run) => strokeOf(run, scale) + (run.length === 1 ? 'h0' : ''));
  return strokes.length === 0 ? markup`` : markup`<path class="line ${style}" d="${strokes.join('')}"/>`;
};

/** Area between two lines over the same positions. */
export function band(over: readonly Point[], under: readonly Point[], { scale, style }: ScaleMarkup): Markup {
  const [tops, bottoms] = [over.filter(isThere), under.filter(isThere)];
  if (tops.length === 0) return markup``;
  const back = bottoms
    .toReversed()
    .map(([at, value]) => `L${fine(at)} ${short(scale.place(value))}`)
    .join('');
  return markup`<path class="fill ${style}" d="${strokeOf(tops, scale)}${back}Z"/>`;
}

type ScaleMarkup = Readonly<{ scale: Scale; style: string }>;

/** Area between a line and a level, with each run drawn separately. */
export const areaTo = (points: readonly Point[], level: number, { scale, style }: ScaleMarkup): Markup => {
  const shapes = runsOf(points).map((run) => {
    const [first, last] = [run[0]?.[0] ?? 0, run.at(-1)?.[0] ?? 0];
    const ground = short(scale.place(level));
    return `${strokeOf(run, scale)}L${fine(last)} ${ground}L${fine(first)} ${ground}Z`;
  });
  return shapes.length === 0 ? markup`` : markup`<path class="fill soft ${style}" d="${shapes.join('')}"/>`;
};

type Block = Readonly<{ from: number; to: number; low: number; high: number }>;

/** Vertical blocks, as a single shape. */
export const blocks = (list: readonly Block[], scale: Scale, style: string): Markup => {
  const shapes = list.map(({ from, to, low, high }) => {
    const top = scale.place(high);
    return `M${fine(from)} ${short(top)}h${fine(to - from)}v${short(scale.place(low) - top)}h${fine(from - to)}Z`;
  });
  return shapes.length === 0 ? markup`` : markup`<path class="fill ${style}" d="${shapes.join('')}"/>`;
};

export const percentAlong = (at: number, span: number): string =>
  `${Number(((at / span) * 100).toFixed(2))}%`;

export const percentDown = (height: number): string => `${Number(((height / HEIGHT) * 100).toFixed(2))}%`;
