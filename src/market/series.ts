import { epochMs, type EpochMs } from '../core/brand.ts';
import type { Bar, Interval } from '../domain/bar.ts';
import type { Ticker } from '../domain/instrument.ts';

const FIELDS = ['start', 'open', 'high', 'low', 'close', 'volume'] as const;
type Field = (typeof FIELDS)[number];
const FIRST_CAPACITY = 512;

/** Finished bars of one symbol and interval as columns, oldest first; appended to, never changed. */
export class BarSeries {
  readonly symbol: Ticker;
  readonly interval: Interval;
  #columns: Record<Field, Float64Array> = columnsOf(FIRST_CAPACITY);
  #length = 0;

  constructor(symbol: Ticker, interval: Interval) {
    this.symbol = symbol;
    this.interval = interval;
  }

  get length(): number {
    return this.#length;
  }

  /** Start of the latest bar. */
  get latest(): EpochMs | null {
    return this.#length === 0 ? null : epochMs(this.#columns.start[this.#length - 1] ?? NaN);
  }

  append(bar: Bar): void {
    if (this.#length === this.#columns.start.length) this.#grow();
    for (const field of FIELDS) this.#columns[field][this.#length] = bar[field];
    this.#length++;
  }

  /** The bar `back` places before the latest. */
  at(back: number): Bar | undefined {
    const index = this.#length - 1 - back;
    if (!Number.isInteger(index) || index < 0 || index >= this.#length) return undefined;
    const { start, open, high, low, close, volume } = this.#columns;
    return {
      symbol: this.symbol,
      interval: this.interval,
      start: epochMs(start[index] ?? NaN),
      open: open[index] ?? NaN,
      high: high[index] ?? NaN,
      low: low[index] ?? NaN,
      close: close[index] ?? NaN,
      volume: volume[index] ?? NaN,
    };
  }

  /** A copy of the last `count` closes, the latest last. */
  closes(count: number): Float64Array {
    return this.#columns.close.slice(Math.max(this.#length - count, 0), this.#length);
  }

  #grow(): void {
    const wider = columnsOf(this.#columns.start.length * 2);
    for (const field of FIELDS) wider[field].set(this.#columns[field]);
    this.#columns = wider;
  }
}

const columnsOf = (capacity: number): Record<Field, Float64Array> => ({
  start: new Float64Array(capacity),
  open: new Float64Array(capacity),
  high: new Float64Array(capacity),
  low: new Float64Array(capacity),
  close: new Float64Array(capacity),
  volume: new Float64Array(capacity),
});
