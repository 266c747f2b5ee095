import { markup, type Markup } from './markup.ts';
import type { Scale } from './scale.ts';

/** Where along the width, and which value; null leaves a gap. */
export type Point = readonly [at: number, value: number | null];

/** Along the width, which may be a few units; and down the height of 1000. */
const fine = (value: number): string => String(Math.round(value * 1000) / 1000);
const short = (value: number): string => String(Math.round(value * 10) / 10);

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

/** A line; a point that stands alone becomes a dot. */
export const line = (points: readonly Point[], scale: Scale, style: string): Markup => {
  const strokes = runsOf(points).map((run) => strokeOf(run, scale) + (run.length === 1 ? 'h0' : ''));
  return strokes.length === 0 ? markup`` : markup`<path class="line ${style}" d="${strokes.join('')}"/>`;
};

/** The area between two lines over the same places. */
export function band(over: readonly Point[], under: readonly Point[], { scale, style }: Drawn): Markup {
  const [tops, bottoms] = [over.filter(isThere), under.filter(isThere)];
  if (tops.length === 0) return markup``;
  const back = bottoms
    .toReversed()
    .map(([at, value]) => `L${fine(at)} ${short(scale.place(value))}`)
    .join('');
  return markup`<path class="fill ${style}" d="${strokeOf(tops, scale)}${back}Z"/>`;
}

export type Drawn = Readonly<{ scale: Scale; style: string }>;

/** The area between a line and a level, each stretch of it by itself. */
export const areaTo = (points: readonly Point[], level: number, { scale, style }: Drawn): Markup => {
  const shapes = runsOf(points).map((run) => {
    const [first, last] = [run[0]?.[0] ?? 0, run.at(-1)?.[0] ?? 0];
    const ground = short(scale.place(level));
    return `${strokeOf(run, scale)}L${fine(last)} ${ground}L${fine(first)} ${ground}Z`;
  });
  return shapes.length === 0 ? markup`` : markup`<path class="fill soft ${style}" d="${shapes.join('')}"/>`;
};

export type Block = Readonly<{ from: number; to: number; low: number; high: number }>;

/** Upright blocks, as one shape. */
export const blocks = (list: readonly Block[], scale: Scale, style: string): Markup => {
  const shapes = list.map(({ from, to, low, high }) => {
    const top = scale.place(high);
    return `M${fine(from)} ${short(top)}h${fine(to - from)}v${short(scale.place(low) - top)}h${fine(from - to)}Z`;
  });
  return shapes.length === 0 ? markup`` : markup`<path class="fill ${style}" d="${shapes.join('')}"/>`;
};
