import { quantileOf, sorted } from './moments.ts';

/** How many values lie from `from` up to `to`; the last bin has those at its end, too. */
export type Bin = Readonly<{ from: number; to: number; count: number }>;

const BINS_MAX = 80;

/** Bins of one width, by the rule of Freedman and Diaconis (twice the middle half over the cube root of n); none of no values. */
export function histogram(values: readonly number[]): Bin[] {
  const ascending = sorted(values);
  const [least, greatest] = [ascending[0] ?? 0, ascending.at(-1) ?? 0];
  if (ascending.length === 0) return [];
  const middle = quantileOf(ascending, 0.75) - quantileOf(ascending, 0.25);
  const wished = (2 * middle) / Math.cbrt(ascending.length);
  const count = wished > 0 ? Math.min(Math.max(Math.ceil((greatest - least) / wished), 1), BINS_MAX) : 1;
  const width = (greatest - least) / count;
  const counts = Array.from({ length: count }, () => 0);
  for (const value of ascending) {
    const place = width > 0 ? Math.min(Math.floor((value - least) / width), count - 1) : 0;
    counts[place] = (counts[place] ?? 0) + 1;
  }
  return counts.map((inside, index) => ({
    ...{ from: least + index * width, to: least + (index + 1) * width, count: inside },
  }));
}
