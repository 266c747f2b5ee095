/** Measurement of one benchmark. */
export type Result = Readonly<{
  name: string;
  value: number;
  unit: string;
  /** Ratio of `value` to a reference measured in the same run. */
  ratio?: Readonly<{ vs: string; x: number }>;
}>;

export type Benchmark = () => Promise<readonly Result[]>;

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [below, above] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  if (below === undefined || above === undefined) throw new Error('a median needs a value');
  return (below + above) / 2;
}

/** Milliseconds that `work` takes. */
export async function timed(work: () => unknown): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

/** Three significant digits, or all digits of a larger whole number. */
const shown = (value: number): string => (value >= 1_000 ? value.toFixed(0) : value.toPrecision(3));

export const lineOf = ({ name, value, unit, ratio }: Result): string =>
  `${name.padEnd(16)} ${shown(value).padStart(9)} ${unit}${ratio ? `  (${ratio.x.toFixed(2)} × ${ratio.vs})` : ''}`;
