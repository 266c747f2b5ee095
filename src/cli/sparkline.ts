const BLOCKS = '▁▂▃▄▅▆▇█';
const WIDTH = 64;

/** A line of blocks, one for each value or, of many, the last of so many; nothing for less than two. */
export function sparkline(values: readonly number[], width = WIDTH): string {
  if (values.length < 2) return '';
  const count = Math.min(values.length, width);
  const chosen = Array.from(
    { length: count },
    (_, index) => values[Math.floor(((index + 1) * values.length) / count) - 1] ?? NaN,
  );
  const [least, greatest] = [Math.min(...chosen), Math.max(...chosen)];
  const span = greatest - least;
  const heightOf = (value: number) =>
    span > 0 ? Math.round(((value - least) / span) * (BLOCKS.length - 1)) : BLOCKS.length >> 1;
  return chosen.map((value) => BLOCKS[heightOf(value)] ?? ' ').join('');
}
