import type { Cash } from '../core/amount.ts';
import type { EpochMs } from '../core/brand.ts';
import type { Ticker } from '../domain/instrument.ts';
import type { Order, OrderId } from '../domain/orders/order.ts';
import type { Side } from '../domain/venue.ts';
import type { Trade } from '../sim/roundTrips.ts';

/** Rows per block: full blocks are never copied again. */
const BLOCK_ROWS = 1024;

/** Texts of one column, each stored once: most equal the one in the row before. */
class TextColumn {
  readonly #numbers = new Map<string, number>();
  readonly #texts: string[] = [];
  #latest: string | null = null;
  #number = 0;

  numberOf(text: string): number {
    if (text === this.#latest) return this.#number;
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
 * Compact rows for the tens of thousands of records of a long run: numbers in columns, and objects only when read.
 * Stored as objects they would slow down every garbage collection.
 */
abstract class Rows<Read> {
  readonly #read: Read[] = [];
  readonly #width: number;
  readonly #blocks: Float64Array[] = [];
  /** Block that is being filled. */
  protected block = new Float64Array(0);
  #length = 0;

  /** @param width numbers and texts per row */
  constructor(width: number) {
    this.#width = width;
  }

  get length(): number {
    return this.#length;
  }

  /** All rows; returns the same objects every time. */
  get all(): readonly Read[] {
    for (let row = this.#read.length; row < this.length; row++) this.#read.push(this.read(row));
    return this.#read;
  }

  /** Starts a row and returns its first index in the block. */
  protected begin(): number {
    const row = this.#length++ % BLOCK_ROWS;
    if (row === 0) this.#blocks.push((this.block = new Float64Array(BLOCK_ROWS * this.#width)));
    return row * this.#width;
  }

  /** Numbers of a row by position. */
  protected row(row: number): (field: number) => number {
    const block = this.#blocks[Math.floor(row / BLOCK_ROWS)];
    const first = (row % BLOCK_ROWS) * this.#width;
    return (field) => block?.[first + field] ?? NaN;
  }

  protected abstract read(row: number): Read;
}

type FillFigures = Pick<
  BacktestFill,
  'at' | 'shares' | 'price' | 'fees' | 'mintFee' | 'slippage' | 'decidedAt' | 'decisionPrice'
>;

/** Fills in order of arrival. */
export class FillRows extends Rows<BacktestFill> {
  readonly #ids: OrderId[] = [];
  readonly #strategies = new TextColumn();
  readonly #symbols = new TextColumn();
  readonly #reasons = new TextColumn();
  readonly #tags = new TextColumn();

  constructor() {
    super(13);
  }

  add({ id, strategyId, terms, reason, tag = '' }: Order, fill: FillFigures): void {
    this.#ids.push(id);
    const first = this.begin();
    const { block } = this;
    block[first] = fill.at;
    block[first + 1] = fill.shares;
    block[first + 2] = fill.price;
    block[first + 3] = fill.fees;
    block[first + 4] = fill.mintFee;
    block[first + 5] = fill.slippage;
    block[first + 6] = fill.decidedAt;
    block[first + 7] = fill.decisionPrice ?? NaN;
    block[first + 8] = this.#strategies.numberOf(strategyId);
    block[first + 9] = this.#symbols.numberOf(terms.symbol);
    block[first + 10] = terms.side === 'buy' ? 1 : 0;
    block[first + 11] = this.#reasons.numberOf(reason);
    block[first + 12] = this.#tags.numberOf(tag);
  }

  protected read(row: number): BacktestFill {
    const number = this.row(row);
    const decisionPrice = number(7);
    const tag = this.#tags.at(number(12));
    return {
      at: number(0) as EpochMs,
      strategy: this.#strategies.at(number(8)),
      symbol: this.#symbols.at(number(9)) as Ticker,
      side: number(10) === 1 ? 'buy' : 'sell',
      order: this.#ids[row] as OrderId,
      shares: number(1),
      price: number(2),
      fees: number(3),
      mintFee: number(4),
      slippage: number(5),
      decidedAt: number(6) as EpochMs,
      decisionPrice: Number.isNaN(decisionPrice) ? null : decisionPrice,
      reason: this.#reasons.at(number(11)),
      ...(tag === '' ? {} : { tag }),
    };
  }
}

/** Round trips in the order in which they ended. */
export class TradeRows extends Rows<Trade> {
  readonly #pnl: Cash[] = [];
  readonly #strategies = new TextColumn();
  readonly #symbols = new TextColumn();
  readonly #entryReasons = new TextColumn();
  readonly #exitReasons = new TextColumn();
  readonly #entryTags = new TextColumn();
  readonly #exitTags = new TextColumn();
  /** True once an order of any trade had a tag. */
  hasTags = false;

  constructor() {
    super(15);
  }

  add(trade: Trade): void {
    const { entryTag = '', exitTag = '' } = trade;
    if (entryTag !== '' || exitTag !== '') this.hasTags = true;
    this.#pnl.push(trade.pnl);
    const first = this.begin();
    const { block } = this;
    block[first] = trade.entryAt;
    block[first + 1] = trade.exitAt;
    block[first + 2] = trade.shares;
    block[first + 3] = trade.entryPrice;
    block[first + 4] = trade.exitPrice;
    block[first + 5] = trade.fees;
    block[first + 6] = trade.mae;
    block[first + 7] = trade.mfe;
    block[first + 8] = trade.bars;
    block[first + 9] = this.#strategies.numberOf(trade.strategy);
    block[first + 10] = this.#symbols.numberOf(trade.symbol);
    block[first + 11] = this.#entryReasons.numberOf(trade.entryReason);
    block[first + 12] = this.#exitReasons.numberOf(trade.exitReason);
    block[first + 13] = this.#entryTags.numberOf(entryTag);
    block[first + 14] = this.#exitTags.numberOf(exitTag);
  }

  protected read(row: number): Trade {
    const number = this.row(row);
    const [entryTag, exitTag] = [this.#entryTags.at(number(13)), this.#exitTags.at(number(14))];
    return {
      strategy: this.#strategies.at(number(9)),
      symbol: this.#symbols.at(number(10)) as Ticker,
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
      entryReason: this.#entryReasons.at(number(11)),
      exitReason: this.#exitReasons.at(number(12)),
      ...(entryTag === '' ? {} : { entryTag }),
      ...(exitTag === '' ? {} : { exitTag }),
    };
  }
}

/** Amounts moved by one order. Money in mUSD and quantities in shares, as float64 except for `net`, which is exact. */
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
  /** Price that the strategy saw then, in the share units of the fill; null if there was none. */
  decisionPrice: number | null;
  reason: string;
  /** Author's tag of the order, if any. */
  tag?: string;
}>;
