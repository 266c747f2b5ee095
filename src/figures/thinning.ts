/** Approximate maximum number of points drawn per line; a screen has no more. */
export const POINTS_MAX = 1500;

/**
 * Points of lines to draw: all of them, or for each stretch the first and, for every line, the lowest and the highest,
 * so that no peak or trough is lost.
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

/** Evenly spaced items, at most `most`. */
export function everyNth<Item>(items: readonly Item[], most: number): Item[] {
  const step = Math.max(1, Math.ceil(items.length / most));
  return items.filter((_, index) => index % step === 0);
}
