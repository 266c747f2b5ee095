import type { Cash } from '../core/amount.ts';
import type { EpochMs } from '../core/brand.ts';
import type { Ticker } from '../domain/instrument.ts';
import type { Order, OrderId } from '../domain/orders/order.ts';
import type { Side } from '../domain/venue.ts';
import type { Trade } from '../sim/roundTrips.ts';

const FIRST_CAPACITY = 256;

/** A growing array of float64 numbers, which costs the garbage collector nothing. */
class FloatList {
  #values = new Float64Array(FIRST_CAPACITY);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) this.#grow();
    this.#values[this.#length++] = value;
  }

  /** NaN beyond the end. */
  at(index: number): number {
    return index < this.#length ? (this.#values[index] ?? NaN) : NaN;
  }

  #grow(): void {
    const wider = new Float64Array(this.#values.length * 2);
    wider.set(this.#values);
    this.#values = wider;
  }
}

/** Texts of rows, each kept once: most are the same few again and again. */
class TextList {
  readonly #numbers = new Map<string, number>();
  readonly #texts: string[] = [];
  #latest = '';
  #number = -1;

  numberOf(text: string): number {
    if (text === this.#latest && this.#number >= 0) return this.#number;
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.#texts.push(text) - 1;
      this.#numbers.set(text, number);
    }
    this.#latest = text;
    return (this.#number = number);
  }

  at(number: number): string {
    return this.#texts[number] ?? '';
  }
}

/**
 * Compact rows for the tens of thousands of records of a long run: numbers in columns, objects only when read. Kept as
 * objects they would slow every garbage collection.
 */
abstract class Rows<Read> {
  protected readonly numbers = new FloatList();
  protected readonly labels = new FloatList();
  protected readonly texts = new TextList();
  readonly #read: Read[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** All rows, the same objects every time. */
  get all(): readonly Read[] {
    for (let row = this.#read.length; row < this.#length; row++) this.#read.push(this.read(row));
    return this.#read;
  }

  protected end(): void {
    this.#length++;
  }

  protected label(text: string): void {
    this.labels.push(this.texts.numberOf(text));
  }

  /** Numbers and labels of a row by position: every row has the same number of them. */
  protected row(row: number) {
    const [numbers, labels] = [this.numbers.length / this.#length, this.labels.length / this.#length];
    return {
      number: (field: number) => this.numbers.at(row * numbers + field),
      label: (field: number) => this.texts.at(this.labels.at(row * labels + field)),
    };
  }

  protected abstract read(row: number): Read;
}

type FillFigures = Pick<
  BacktestFill,
  'at' | 'shares' | 'price' | 'fees' | 'mintFee' | 'slippage' | 'decidedAt' | 'decisionPrice'
>;

/** Fills in the order in which they came. */
export class FillRows extends Rows<BacktestFill> {
  readonly #ids: OrderId[] = [];

  add({ id, strategyId, terms, reason, tag = '' }: Order, fill: FillFigures): void {
    const { numbers } = this;
    numbers.push(fill.at);
    numbers.push(fill.shares);
    numbers.push(fill.price);
    numbers.push(fill.fees);
    numbers.push(fill.mintFee);
    numbers.push(fill.slippage);
    numbers.push(fill.decidedAt);
    numbers.push(fill.decisionPrice ?? NaN);
    this.#ids.push(id);
    this.label(strategyId);
    this.label(terms.symbol);
    this.label(terms.side);
    this.label(reason);
    this.label(tag);
    this.end();
  }

  protected read(row: number): BacktestFill {
    const { number, label } = this.row(row);
    const decisionPrice = number(7);
    return {
      at: number(0) as EpochMs,
      strategy: label(0),
      symbol: label(1) as Ticker,
      side: label(2) as Side,
      order: this.#ids[row] as OrderId,
      shares: number(1),
      price: number(2),
      fees: number(3),
      mintFee: number(4),
      slippage: number(5),
      decidedAt: number(6) as EpochMs,
      decisionPrice: Number.isNaN(decisionPrice) ? null : decisionPrice,
      reason: label(3),
      ...(label(4) === '' ? {} : { tag: label(4) }),
    };
  }
}

/** Round trips in the order of their ends. */
export class TradeRows extends Rows<Trade> {
  readonly #pnl: Cash[] = [];
  /** True once an order of a trade had a tag. */
  hasTags = false;

  add(trade: Trade): void {
    const { numbers } = this;
    numbers.push(trade.entryAt);
    numbers.push(trade.exitAt);
    numbers.push(trade.shares);
    numbers.push(trade.entryPrice);
    numbers.push(trade.exitPrice);
    numbers.push(trade.fees);
    numbers.push(trade.mae);
    numbers.push(trade.mfe);
    numbers.push(trade.bars);
    this.#pnl.push(trade.pnl);
    const { entryTag = '', exitTag = '' } = trade;
    if (entryTag !== '' || exitTag !== '') this.hasTags = true;
    this.label(trade.strategy);
    this.label(trade.symbol);
    this.label(trade.entryReason);
    this.label(trade.exitReason);
    this.label(entryTag);
    this.label(exitTag);
    this.end();
  }

  protected read(row: number): Trade {
    const { number, label } = this.row(row);
    return {
      strategy: label(0),
      symbol: label(1) as Ticker,
      entryAt: number(0) as EpochMs,
      exitAt: number(1) as EpochMs,
      shares: number(2),
      entryPrice: number(3),
      exitPrice: number(4),
      fees: number(5),
      pnl: this.#pnl[row] as Cash,
      mae: number(6),
      mfe: number(7),
      bars: number(8),
      entryReason: label(2),
      exitReason: label(3),
      ...(label(4) === '' ? {} : { entryTag: label(4) }),
      ...(label(5) === '' ? {} : { exitTag: label(5) }),
    };
  }
}

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
  /** Author's own word for the order, where there is one. */
  tag?: string;
}>;
