import { InvalidValueError } from '../../core/errors.ts';
import { BAR_FIELDS, columnsOf, mapColumns, widened, type BarColumns } from '../../domain/barColumns.ts';

/** Finished bars of one symbol as columns of equal length, oldest first; `start` in epoch ms. Shared: do not modify. */
export type SymbolColumns = Readonly<Record<keyof BarColumns, ArrayLike<number>>>;

/** Bars of the symbols of `defineSignals`, with separate columns for each. */
export interface SignalColumns {
  /** Bar starts of all symbols, ascending and unique, one per row. With one symbol, those of its bars. */
  readonly start: ArrayLike<number>;
  /** Bars of a symbol that `data` requests. @throws {InvalidValueError} for any other */
  of(symbol: string): SymbolColumns;
  /** Aligns one value per bar of a symbol to the rows: at each row the latest, NaN before its first bar. */
  onRows(symbol: string, values: ArrayLike<number>): Float64Array;
}

/** Bars by symbol, with their combined rows. */
export class ColumnSet implements SignalColumns {
  readonly symbols: readonly string[];
  readonly #bars: ReadonlyMap<string, BarColumns>;
  #start: Float64Array | null = null;
  readonly #rows = new Map<string, Int32Array | null>();

  constructor(bars: ReadonlyMap<string, BarColumns>) {
    this.#bars = bars;
    this.symbols = [...bars.keys()];
  }

  get start(): Float64Array {
    return (this.#start ??= [...this.#bars.values()].map(({ start }) => start).reduce(joined));
  }

  of(symbol: string): BarColumns {
    const own = this.#bars.get(symbol);
    if (own) return own;
    throw new InvalidValueError(
      `${JSON.stringify(symbol)} is not one of the symbols that the strategy asks for in data(): ${this.symbols.join(', ')}`,
    );
  }

  onRows(symbol: string, values: ArrayLike<number>): Float64Array {
    const { length } = this.of(symbol).start;
    if (values.length !== length)
      throw new InvalidValueError(`${values.length} values for the ${length} bars of ${symbol}`);
    const rows = this.rowsOf(symbol);
    if (rows === null) return Float64Array.from(values);
    const spread = new Float64Array(this.start.length).fill(NaN);
    for (let bar = 0; bar < rows.length; bar++)
      spread.fill(values[bar] ?? NaN, rows[bar], rows[bar + 1] ?? spread.length);
    return spread;
  }

  /** Row of each bar of a symbol; null if its bars are the rows. */
  rowsOf(symbol: string): Int32Array | null {
    const known = this.#rows.get(symbol);
    if (known !== undefined) return known;
    const own = this.of(symbol).start;
    const rows = own.length === this.start.length ? null : positionsIn(this.start, own);
    this.#rows.set(symbol, rows);
    return rows;
  }

  /** First rows only, as if later bars were not known yet. */
  head(rows: number): ColumnSet {
    const bars = this.symbols.map((symbol) => {
      const own = this.of(symbol);
      const places = this.rowsOf(symbol);
      const count = places === null ? rows : countBelow(places, rows);
      return [symbol, mapColumns(own, (column) => column.subarray(0, count))] as const;
    });
    return new ColumnSet(new Map(bars));
  }
}

/** Union of two ascending lists, in order and without duplicates. */
function joined(one: Float64Array, other: Float64Array): Float64Array {
  if (isSame(one, other)) return one;
  const all = new Float64Array(one.length + other.length);
  let [count, a, b] = [0, 0, 0];
  while (a < one.length || b < other.length) {
    const [first, second] = [one[a] ?? Infinity, other[b] ?? Infinity];
    if (first <= second) a++;
    if (second <= first) b++;
    all[count++] = Math.min(first, second);
  }
  return all.subarray(0, count);
}

const isSame = (one: Float64Array, other: Float64Array): boolean =>
  one.length === other.length && one.every((value, index) => value === other[index]);

/** Position of each number of an ascending list in another list that contains them all. */
function positionsIn(all: Float64Array, own: Float64Array): Int32Array {
  const positions = new Int32Array(own.length);
  let row = 0;
  for (let index = 0; index < own.length; index++) {
    while ((all[row] ?? Infinity) < (own[index] ?? NaN)) row++;
    positions[index] = row;
  }
  return positions;
}

function countBelow(ascending: Int32Array, bound: number): number {
  let count = 0;
  while (count < ascending.length && (ascending[count] ?? bound) < bound) count++;
  return count;
}

const FIRST_CAPACITY = 512;
/** Bars kept per symbol in a live run; at this number the older half is dropped. */
const KEPT_MAX = 20_000;

/** Columns of one symbol that grow bar by bar, in bounded memory. */
export class GrowingColumns {
  #columns = columnsOf(FIRST_CAPACITY);
  #length = 0;

  append(bar: Readonly<Record<keyof BarColumns, number>>): void {
    if (this.#length === KEPT_MAX) this.#dropOlderHalf();
    const { length } = this.#columns.start;
    if (this.#length === length) this.#columns = widened(this.#columns, Math.min(length * 2, KEPT_MAX));
    for (const field of BAR_FIELDS) this.#columns[field][this.#length] = bar[field];
    this.#length++;
  }

  /** Bars so far; a view, valid until the next bar is appended. */
  get columns(): BarColumns {
    return mapColumns(this.#columns, (column) => column.subarray(0, this.#length));
  }

  #dropOlderHalf(): void {
    for (const field of BAR_FIELDS) this.#columns[field].copyWithin(0, KEPT_MAX / 2);
    this.#length = KEPT_MAX / 2;
  }
}
