import { epochMs, type EpochMs } from '../core/brand.ts';
import type { Bar, Interval } from '../domain/bar.ts';
import type { Ticker } from '../domain/instrument.ts';

export const FIELDS = ['start', 'open', 'high', 'low', 'close', 'volume'] as const;
type Field = (typeof FIELDS)[number];
const FIRST_CAPACITY = 512;

/** Bars of one symbol and interval, oldest first; every column has the same length. `start` in epoch ms. */
export type BarColumns = Readonly<Record<Field, Float64Array>>;

/** One bar out of its columns. */
export const barAt = (
  { symbol, interval }: Pick<Bar, 'symbol' | 'interval'>,
  { start, open, high, low, close, volume }: BarColumns,
  index: number,
): Bar => ({
  symbol,
  interval,
  start: epochMs(start[index] ?? NaN),
  open: open[index] ?? NaN,
  high: high[index] ?? NaN,
  low: low[index] ?? NaN,
  close: close[index] ?? NaN,
  volume: volume[index] ?? NaN,
});

/**
 * Finished bars of one symbol and interval as columns, oldest first; appended to, never changed. Over a `tape`, columns of
 * what is to come, an append only moves the end of what is shown.
 */
export class BarSeries {
  readonly symbol: Ticker;
  readonly interval: Interval;
  #columns: BarColumns;
  /** Where the bars that are shown begin and end in the columns. */
  #first = 0;
  #length = 0;
  readonly isTape: boolean;

  constructor(symbol: Ticker, interval: Interval, tape?: BarColumns) {
    this.symbol = symbol;
    this.interval = interval;
    this.isTape = tape !== undefined;
    this.#columns = tape ?? columnsOf(FIRST_CAPACITY);
  }

  get length(): number {
    return this.#length - this.#first;
  }

  /** Start of the latest bar. */
  get latest(): EpochMs | null {
    return this.#length === this.#first ? null : epochMs(this.#columns.start[this.#length - 1] ?? NaN);
  }

  /** Of a tape: what is shown of it begins with bar `first`, of which nothing is known yet. */
  beginAt(first: number): void {
    this.#first = first;
    this.#length = first;
  }

  /** Of a tape: its first `length` bars are finished. */
  show(length: number): void {
    this.#length = length;
  }

  append(bar: Bar): void {
    if (this.isTape) return this.show(this.#length + 1);
    if (this.#length === this.#columns.start.length) this.#grow();
    for (const field of FIELDS) this.#columns[field][this.#length] = bar[field];
    this.#length++;
  }

  /** The bar `back` places before the latest. */
  at(back: number): Bar | undefined {
    const index = this.#length - 1 - back;
    if (!Number.isInteger(index) || index < this.#first || index >= this.#length) return undefined;
    return barAt(this, this.#columns, index);
  }

  /** A copy of the last `count` closes, the latest last. */
  closes(count: number): Float64Array {
    return this.#columns.close.slice(Math.max(this.#length - count, this.#first), this.#length);
  }

  /** A copy of the last `count` bars. */
  tail(count: number): BarColumns {
    const from = Math.max(this.#length - count, this.#first);
    const cut = (column: Float64Array) => column.slice(from, this.#length);
    const { start, open, high, low, close, volume } = this.#columns;
    return {
      start: cut(start),
      open: cut(open),
      high: cut(high),
      low: cut(low),
      close: cut(close),
      volume: cut(volume),
    };
  }

  #grow(): void {
    const wider = columnsOf(this.#columns.start.length * 2);
    for (const field of FIELDS) wider[field].set(this.#columns[field]);
    this.#columns = wider;
  }
}

export const columnsOf = (capacity: number): BarColumns => ({
  start: new Float64Array(capacity),
  open: new Float64Array(capacity),
  high: new Float64Array(capacity),
  low: new Float64Array(capacity),
  close: new Float64Array(capacity),
  volume: new Float64Array(capacity),
});
