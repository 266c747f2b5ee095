import { MINUTE_MS, type EpochMs } from '../core/brand.ts';

/** Place of a series: over the candles of `symbol`, or in a panel. */
export type PlotPlace = Readonly<{
  /** Stock that it belongs to, one of `data`: without `panel` it is drawn over its candles. */
  symbol?: string | undefined;
  /** Panel that it shares with all that name the same. Without `symbol` and `panel` it has one of its own. */
  panel?: string | undefined;
}>;

/** Values of one series, oldest first; null is a gap. `at`: when each was plotted. */
export type PlottedSeries = PlotPlace &
  Readonly<{ name: string; at: readonly EpochMs[]; values: readonly (number | null)[] }>;

/** Series of a strategy as a record keeps it. */
export type SeriesRecord = {
  strategy: string;
  name: string;
  symbol: string | null;
  panel: string | null;
  at: number[];
  values: (number | null)[];
};

/** Maximum number of points of a series kept. */
export const POINTS_MAX = 5_000;

/** Series of a run, of at most so many points each: if there are more, the last value of ever longer stretches of time. */
export class PlotHistory {
  readonly #series = new Map<string, Points>();

  take(strategy: string, plotted: readonly PlottedSeries[]): void {
    for (const { name, symbol = null, panel = null, at, values } of plotted) {
      const key = JSON.stringify([strategy, name, symbol, panel]);
      const points =
        this.#series.get(key) ?? new Points({ strategy, name, symbol, panel, at: [], values: [] });
      this.#series.set(key, points);
      for (const [index, when] of at.entries()) points.add(when, values[index] ?? null);
    }
  }

  get isEmpty(): boolean {
    return this.#series.size === 0;
  }

  /** In the order in which they began. */
  get records(): readonly SeriesRecord[] {
    return [...this.#series.values()].map(({ record }) => record);
  }
}

/** Points of one series: one for each stretch of time, the last. */
class Points {
  readonly record: SeriesRecord;
  #stretchMs = MINUTE_MS;

  constructor(record: SeriesRecord) {
    this.record = record;
  }

  add(when: number, value: number | null): void {
    const { at, values } = this.record;
    this.#put(at.length, when, value);
    if (at.length <= POINTS_MAX) return;
    this.#stretchMs *= 2;
    let kept = 0;
    for (let index = 0; index < at.length; index++)
      kept = this.#put(kept, at[index] ?? NaN, values[index] ?? null);
    at.length = values.length = kept;
  }

  /** Puts a point after the first `count`, or in the place of the last of them if it is of the same stretch; returns their number. */
  #put(count: number, when: number, value: number | null): number {
    const { at, values } = this.record;
    const isSame = count > 0 && this.#stretchOf(at[count - 1] ?? NaN) === this.#stretchOf(when);
    const place = isSame ? count - 1 : count;
    at[place] = when;
    values[place] = value;
    return place + 1;
  }

  #stretchOf(when: number): number {
    return Math.floor(when / this.#stretchMs);
  }
}
