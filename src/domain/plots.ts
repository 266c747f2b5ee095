import { MINUTE_MS, type EpochMs } from '../core/brand.ts';

/** Place of a series: over the candles of `symbol`, or in a panel. */
export type PlotPlace = Readonly<{
  /** Stock that it belongs to, one of `data`: without `panel`, it is drawn over its candles. */
  symbol?: string | undefined;
  /** Panel, shared by all series with the same name here. Without `symbol` and `panel`, the series has its own. */
  panel?: string | undefined;
}>;

/** Values of one series, oldest first; null is a gap. `at`: when each was plotted. */
export type PlottedSeries = PlotPlace &
  Readonly<{ name: string; at: readonly EpochMs[]; values: readonly (number | null)[] }>;

/** Series of a strategy as stored in a record. */
export type SeriesRecord = {
  strategy: string;
  name: string;
  symbol: string | null;
  panel: string | null;
  at: number[];
  values: (number | null)[];
};

/** Maximum number of points kept per series. */
export const POINTS_MAX = 5_000;

/** Series of a run, with a bounded number of points each: if there are more, the last value of ever longer intervals. */
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

  /** All series, in the order in which they began. */
  get records(): readonly SeriesRecord[] {
    return [...this.#series.values()].map(({ record }) => record);
  }
}

/** Points of one series: the last one of each interval. */
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

  /** Puts a point after the first `count`, or replaces the last of them if in the same interval; returns the new count. */
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
