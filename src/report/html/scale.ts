/** Places values on the height of a plot: 0 at its top, 1000 at its bottom. */
export type Scale = Readonly<{
  low: number;
  high: number;
  ticks: readonly number[];
  place(value: number): number;
}>;

export const HEIGHT = 1000;

const STEPS = [1, 2, 5, 10];

/** The least round step that makes at most `count` parts of a length. */
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

/** From lowest to highest, those that are no numbers left out; null when there are none. */
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

/** A straight scale over a range, a little wider, so that its ends are round. `zero` takes that value in. */
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

/** Equal ratios take equal heights. Only for a range above 0. */
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
