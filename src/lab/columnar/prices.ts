import { price as asPrice, wadFromNumber, type Price } from '../../core/amount.ts';
import type { SymbolRows, Timeline } from './timeline.ts';

/** Prices at one moment of a row: its open or its close. */
export class Prices {
  readonly count: number;
  row = -1;
  /** True at the open of the row. */
  isOpen = false;
  readonly #symbols: readonly SymbolRows[];
  /** Last bar before a split, by symbol, and its close in present shares. */
  readonly #splitBar: Int32Array;
  readonly #splitPrice: Float64Array;
  /** Last price converted to an exact one, by symbol. */
  readonly #known: Float64Array;
  readonly #exact: Price[] = [];

  constructor({ symbols }: Timeline) {
    this.#symbols = symbols;
    this.count = symbols.length;
    this.#splitBar = new Int32Array(this.count).fill(-2);
    this.#splitPrice = new Float64Array(this.count);
    this.#known = new Float64Array(this.count).fill(NaN);
  }

  /** Latest price; NaN before the first. */
  of(symbol: number): number {
    const { columns, rows, first } = this.#symbols[symbol] as SymbolRows;
    const bar = this.bar(symbol);
    if (this.isOpen && (rows === null || rows[bar - first] === this.row)) return columns.open[bar] ?? NaN;
    if (bar === this.#splitBar[symbol]) return this.#splitPrice[symbol] ?? NaN;
    return columns.close[bar] ?? NaN;
  }

  /** Latest price as an exact amount; 0 before the first. */
  exact(symbol: number): Price {
    const price = this.of(symbol);
    if (price !== this.#known[symbol]) {
      this.#known[symbol] = price;
      this.#exact[symbol] = asPrice(Number.isNaN(price) ? 0n : wadFromNumber(price));
    }
    return this.#exact[symbol] ?? asPrice(0n);
  }

  /** Latest bar. */
  bar(symbol: number): number {
    const { first, latest } = this.#symbols[symbol] as SymbolRows;
    return latest === null ? this.row + first : (latest[this.row] ?? first - 1);
  }

  /** True when the symbol has a bar at the current row. */
  hasBar(symbol: number): boolean {
    return this.barAt(symbol, this.row) >= 0;
  }

  /** Bar at a row; -1 if the symbol has none. */
  barAt(symbol: number, row: number): number {
    const { rows, first, latest } = this.#symbols[symbol] as SymbolRows;
    if (rows === null || latest === null) return row + first;
    const bar = latest[row] ?? -1;
    return rows[bar - first] === row ? bar : -1;
  }

  /** True when its latest price is from row `from` or later. */
  isSince(symbol: number, from: number): boolean {
    const { rows, first, isPriced } = this.#symbols[symbol] as SymbolRows;
    return (rows === null ? this.row : (rows[this.bar(symbol) - first] ?? (isPriced ? -1 : -2))) >= from;
  }

  /** Converts the latest price to post-split shares: `per` for each old one. */
  split(symbol: number, per: number): void {
    this.isOpen = false;
    this.#splitPrice[symbol] = this.of(symbol) / per;
    this.#splitBar[symbol] = this.bar(symbol);
  }

  /** Closes at rows, each for a symbol (null: the only one); NaN if it has no bar. */
  closesAt(rows: Int32Array, symbols: Int32Array | null): Float64Array {
    return this.#gathered(rows, symbols, { field: 'close', ahead: 0 });
  }

  /** Opens at the rows after these. */
  opensAfter(rows: Int32Array, symbols: Int32Array | null): Float64Array {
    return this.#gathered(rows, symbols, { field: 'open', ahead: 1 });
  }

  #gathered(
    rows: Int32Array,
    symbols: Int32Array | null,
    { field, ahead }: Readonly<{ field: 'open' | 'close'; ahead: number }>,
  ): Float64Array {
    const prices = new Float64Array(rows.length);
    const [only] = this.#symbols;
    if (symbols === null && only && only.rows === null) {
      const [column, shift] = [only.columns[field], only.first + ahead];
      for (let index = 0; index < rows.length; index++)
        prices[index] = column[(rows[index] ?? NaN) + shift] ?? NaN;
      return prices;
    }
    for (let index = 0; index < rows.length; index++) {
      const symbol = symbols?.[index] ?? 0;
      const bar = symbol < 0 ? -1 : this.barAt(symbol, (rows[index] ?? NaN) + ahead);
      prices[index] = this.#symbols[symbol]?.columns[field][bar] ?? NaN;
    }
    return prices;
  }
}
