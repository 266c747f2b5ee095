import type { Factors } from './manifest.ts';
import type { BarColumns } from '../domain/barColumns.ts';

/** Largest rounding error of a price: half its smallest step. */
const halfTick = (price: number): number => (price < 1 ? 0.000_05 : 0.005);

/**
 * Adjustment factors of a source, derived by comparing raw and adjusted daily closes: the fewest steps that explain all
 * of them, each as precise as price rounding allows.
 */
export function factorsOf(raw: BarColumns, adjusted: BarColumns, fetchedAt: number): Factors {
  const steps: { from: number; low: number; high: number }[] = [];
  const byStart = new Map(
    Array.from(adjusted.start, (start, index) => [start, adjusted.close[index] ?? NaN]),
  );
  for (let index = raw.start.length - 1; index >= 0; index--) {
    const [from, close] = [raw.start[index] ?? NaN, raw.close[index] ?? NaN];
    const other = byStart.get(from) ?? NaN;
    const [low, high] = [
      (other - halfTick(other)) / (close + halfTick(close)),
      (other + halfTick(other)) / (close - halfTick(close)),
    ];
    if (!(low > 0 && high >= low && Number.isFinite(high))) continue;
    const newest = steps.at(-1);
    if (newest && low <= newest.high && high >= newest.low) {
      newest.from = from;
      newest.low = Math.max(newest.low, low);
      newest.high = Math.min(newest.high, high);
    } else steps.push({ from, low, high });
  }
  return {
    fetchedAt,
    steps: steps.reverse().map(({ from, low, high }) => ({ from, factor: between(low, high) })),
  };
}

/** Shortest decimal in a range, so that a factor of 0.25 is returned as 0.25. */
function between(low: number, high: number): number {
  for (let digits = 1; digits <= 15; digits++) {
    const rounded = Number(((low + high) / 2).toPrecision(digits));
    if (rounded >= low && rounded <= high) return rounded;
  }
  return (low + high) / 2;
}

/** Bars with prices as adjusted by the source, for display only: nothing traded at them. Volumes are unchanged. */
export function adjustedBars(bars: BarColumns, { steps }: Factors): BarColumns {
  let step = 0;
  const factors = bars.start.map((start) => {
    while (step + 1 < steps.length && (steps[step + 1]?.from ?? Infinity) <= start) step++;
    return steps[step]?.factor ?? 1;
  });
  const scaled = (column: Float64Array) => column.map((price, index) => price * (factors[index] ?? 1));
  const { start, open, high, low, close, volume } = bars;
  return { start, open: scaled(open), high: scaled(high), low: scaled(low), close: scaled(close), volume };
}
