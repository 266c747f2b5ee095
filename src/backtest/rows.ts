import type { Cash } from '../core/amount.ts';
import type { EpochMs } from '../core/brand.ts';
import type { Ticker } from '../domain/instrument.ts';
import type { Order, OrderId } from '../domain/orders/order.ts';
import type { Side } from '../domain/venue.ts';
import type { Trade } from '../sim/roundTrips.ts';

/** Rows of a block: no number is moved once it is written. */
const BLOCK_ROWS = 1024;

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
  readonly #texts = new TextList();
  readonly #read: Read[] = [];
  readonly #width: number;
  readonly #blocks: Float64Array[] = [];
  /** Block that is being filled, and the place in it of the next number. */
  #block = new Float64Array(0);
  #next = 0;

  /** @param width numbers and texts of a row */
  constructor(width: number) {
    this.#width = width;
  }

  get length(): number {
    return this.#blocks.length * BLOCK_ROWS - (this.#block.length - this.#next) / this.#width;
  }

  /** All rows, the same objects every time. */
  get all(): readonly Read[] {
    for (let row = this.#read.length; row < this.length; row++) this.#read.push(this.read(row));
    return this.#read;
  }

  protected number(value: number): void {
    if (this.#next === this.#block.length) this.#begin();
    this.#block[this.#next++] = value;
  }

  protected text(text: string): void {
    this.number(this.#texts.numberOf(text));
  }

  #begin(): void {
    this.#block = new Float64Array(BLOCK_ROWS * this.#width);
    this.#blocks.push(this.#block);
    this.#next = 0;
  }

  /** Numbers and texts of a row by position. */
  protected row(row: number) {
    const block = this.#blocks[Math.floor(row / BLOCK_ROWS)];
    const first = (row % BLOCK_ROWS) * this.#width;
    const number = (field: number): number => block?.[first + field] ?? NaN;
    return { number, text: (field: number): string => this.#texts.at(number(field)) };
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

  constructor() {
    super(13);
  }

  add({ id, strategyId, terms, reason, tag = '' }: Order, fill: FillFigures): void {
    this.#ids.push(id);
    this.number(fill.at);
    this.number(fill.shares);
    this.number(fill.price);
    this.number(fill.fees);
    this.number(fill.mintFee);
    this.number(fill.slippage);
    this.number(fill.decidedAt);
    this.number(fill.decisionPrice ?? NaN);
    this.text(strategyId);
    this.text(terms.symbol);
    this.text(terms.side);
    this.text(reason);
    this.text(tag);
  }

  protected read(row: number): BacktestFill {
    const { number, text } = this.row(row);
    const decisionPrice = number(7);
    return {
      at: number(0) as EpochMs,
      strategy: text(8),
      symbol: text(9) as Ticker,
      side: text(10) as Side,
      order: this.#ids[row] as OrderId,
      shares: number(1),
      price: number(2),
      fees: number(3),
      mintFee: number(4),
      slippage: number(5),
      decidedAt: number(6) as EpochMs,
      decisionPrice: Number.isNaN(decisionPrice) ? null : decisionPrice,
      reason: text(11),
      ...(text(12) === '' ? {} : { tag: text(12) }),
    };
  }
}

/** Round trips in the order of their ends. */
export class TradeRows extends Rows<Trade> {
  readonly #pnl: Cash[] = [];
  /** True once an order of a trade had a tag. */
  hasTags = false;

  constructor() {
    super(15);
  }

  add(trade: Trade): void {
    const { entryTag = '', exitTag = '' } = trade;
    if (entryTag !== '' || exitTag !== '') this.hasTags = true;
    this.#pnl.push(trade.pnl);
    this.number(trade.entryAt);
    this.number(trade.exitAt);
    this.number(trade.shares);
    this.number(trade.entryPrice);
    this.number(trade.exitPrice);
    this.number(trade.fees);
    this.number(trade.mae);
    this.number(trade.mfe);
    this.number(trade.bars);
    this.text(trade.strategy);
    this.text(trade.symbol);
    this.text(trade.entryReason);
    this.text(trade.exitReason);
    this.text(entryTag);
    this.text(exitTag);
  }

  protected read(row: number): Trade {
    const { number, text } = this.row(row);
    return {
      strategy: text(9),
      symbol: text(10) as Ticker,
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
      entryReason: text(11),
      exitReason: text(12),
      ...(text(13) === '' ? {} : { entryTag: text(13) }),
      ...(text(14) === '' ? {} : { exitTag: text(14) }),
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
