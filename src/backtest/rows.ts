import type { EpochMs } from '../core/brand.ts';
import type { Ticker } from '../domain/instrument.ts';
import type { OrderId } from '../domain/orders/order.ts';
import type { Side } from '../domain/venue.ts';
import type { Trade } from '../sim/roundTrips.ts';

/** Values of one field of all rows. */
interface Column<Value> {
  add(value: Value): void;
  at(row: number): Value;
}

const BLOCK_ROWS = 1024;

/** Numbers in blocks: none is moved once it is written. */
class NumberColumn<Value extends number> implements Column<Value> {
  readonly #blocks: Float64Array[] = [];
  #block = new Float64Array(0);
  #length = 0;

  add(value: Value): void {
    const row = this.#length++ % BLOCK_ROWS;
    if (row === 0) this.#blocks.push((this.#block = new Float64Array(BLOCK_ROWS)));
    this.#block[row] = value;
  }

  at(row: number): Value {
    return (this.#blocks[Math.floor(row / BLOCK_ROWS)]?.[row % BLOCK_ROWS] ?? NaN) as Value;
  }
}

/** Texts, each kept once: most are the same as in the row before. */
class TextColumn<Text extends string | undefined> implements Column<Text> {
  readonly #numbers = new Map<Text, number>();
  readonly #texts: Text[] = [];
  readonly #rows = new NumberColumn();
  #latest: Text | null = null;
  #number = 0;

  add(text: Text): void {
    if (text !== this.#latest) {
      this.#number = this.#numbers.get(text) ?? this.#texts.push(text) - 1;
      this.#numbers.set(text, this.#number);
      this.#latest = text;
    }
    this.#rows.add(this.#number);
  }

  at(row: number): Text {
    return this.#texts[this.#rows.at(row)] as Text;
  }
}

/** Values that are kept as they are. */
class PlainColumn<Value> implements Column<Value> {
  readonly #values: Value[] = [];

  add(value: Value): void {
    this.#values.push(value);
  }

  at(row: number): Value {
    return this.#values[row] as Value;
  }
}

type Columns<Row> = { readonly [Name in keyof Row]-?: Column<Row[Name] | undefined> };

/**
 * Compact rows for the tens of thousands of records of a long run: numbers in columns, objects only when read. Kept as
 * objects they would slow every garbage collection.
 */
export class Rows<Row extends object> {
  readonly #columns: readonly (readonly [keyof Row, Column<unknown>])[];
  readonly #read: Row[] = [];
  #length = 0;

  /** @param columns in the order of the fields of what is read */
  constructor(columns: Columns<Row>) {
    this.#columns = Object.entries(columns) as [keyof Row, Column<unknown>][];
  }

  get length(): number {
    return this.#length;
  }

  /** All rows, the same objects every time. */
  get all(): readonly Row[] {
    for (let row = this.#read.length; row < this.#length; row++) this.#read.push(this.#rowAt(row));
    return this.#read;
  }

  add(row: { readonly [Name in keyof Row]: Row[Name] | undefined }): void {
    this.#length++;
    for (const [name, column] of this.#columns) column.add(row[name]);
  }

  #rowAt(row: number): Row {
    const read: Partial<Record<keyof Row, unknown>> = {};
    for (const [name, column] of this.#columns) {
      const value = column.at(row);
      if (value !== undefined) read[name] = value;
    }
    return read as Row;
  }
}

/** Fills in the order in which they came. */
export const fillRows = () =>
  new Rows<BacktestFill>({
    at: new NumberColumn(),
    strategy: new TextColumn(),
    symbol: new TextColumn(),
    side: new TextColumn(),
    order: new PlainColumn(),
    shares: new NumberColumn(),
    price: new NumberColumn(),
    fees: new NumberColumn(),
    mintFee: new NumberColumn(),
    slippage: new NumberColumn(),
    decidedAt: new NumberColumn(),
    decisionPrice: new PlainColumn(),
    reason: new TextColumn(),
    tag: new TextColumn(),
  });

/** Round trips in the order of their ends. */
export const tradeRows = () =>
  new Rows<Trade>({
    strategy: new TextColumn(),
    symbol: new TextColumn(),
    entryAt: new NumberColumn(),
    exitAt: new NumberColumn(),
    shares: new NumberColumn(),
    entryPrice: new NumberColumn(),
    exitPrice: new NumberColumn(),
    fees: new NumberColumn(),
    pnl: new PlainColumn(),
    mae: new NumberColumn(),
    mfe: new NumberColumn(),
    bars: new NumberColumn(),
    entryReason: new TextColumn(),
    exitReason: new TextColumn(),
    entryTag: new TextColumn(),
    exitTag: new TextColumn(),
  });

/** Total amounts moved by one order. Money in mUSD and quantities in shares as float64, except for `net`, which is exact. */
export type BacktestFill = Readonly<{
  at: EpochMs;
  strategy: string;
  symbol: Ticker;
  side: Side;
  order: OrderId;
  shares: number;
  price: number;
  fees: number;
  /** Mint fees, part of the fees. */
  mintFee: number;
  /** Slippage over all its shares, part of the price and separate from the fees. */
  slippage: number;
  /** Time of the decision. */
  decidedAt: EpochMs;
  /** Price that the strategy saw then, in shares of the fill; null when there was none. */
  decisionPrice: number | null;
  reason: string;
  /** Author's own word for the order, if there is one. */
  tag?: string;
}>;
