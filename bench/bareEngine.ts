import { sma } from '../src/strategy/index.ts';
import type { BarColumns } from '../src/domain/barColumns.ts';

type Bar = Readonly<{
  start: number;
  open: number;
  high: number;
  low: number;
  close: number;
  volume: number;
}>;

type BareOrder = Readonly<{ id: number; side: 'buy' | 'sell'; shares: number; reserve: number }>;

export type BareFill = Readonly<{
  at: number;
  side: 'buy' | 'sell';
  shares: number;
  price: number;
  fee: number;
}>;

const FEE = 0.001;

/**
 * The minimum of an event engine: a strategy that is shown bar by bar, a map of orders, a check of cash and fees before
 * each, a position and a mark a bar, all in float64. It has no sessions, no limits and no journal, and is not exact.
 */
export class BareEngine {
  readonly fills: BareFill[] = [];
  readonly marks: Float64Array;
  readonly #columns: BarColumns;
  readonly #orders = new Map<number, BareOrder>();
  #cash: number;
  #reserved = 0;
  #position = 0;
  #price = NaN;
  #ids = 0;

  constructor(columns: BarColumns, cash: number) {
    this.#columns = columns;
    this.#cash = cash;
    this.marks = new Float64Array(columns.start.length);
  }

  get position(): number {
    return this.#position;
  }

  buy(shares: number): void {
    const reserve = shares * this.#price * (1 + FEE);
    if (this.#cash - this.#reserved >= reserve) this.#take({ id: ++this.#ids, side: 'buy', shares, reserve });
  }

  sell(shares: number): void {
    if (this.#position >= shares) this.#take({ id: ++this.#ids, side: 'sell', shares, reserve: 0 });
  }

  run(onBar: (bar: Bar, engine: BareEngine) => void): void {
    const { start, open, high, low, close, volume } = this.#columns;
    for (let index = 0; index < start.length; index++) {
      const bar = {
        start: start[index] ?? NaN,
        open: open[index] ?? NaN,
        high: high[index] ?? NaN,
        low: low[index] ?? NaN,
        close: close[index] ?? NaN,
        volume: volume[index] ?? NaN,
      };
      for (const order of this.#orders.values()) this.#fill(order, bar);
      this.#price = bar.close;
      this.marks[index] = this.#cash + this.#position * bar.close;
      onBar(bar, this);
    }
  }

  #take(order: BareOrder): void {
    this.#orders.set(order.id, order);
    this.#reserved += order.reserve;
  }

  #fill({ id, side, shares, reserve }: BareOrder, { start, open }: Bar): void {
    this.#orders.delete(id);
    this.#reserved -= reserve;
    const fee = shares * open * FEE;
    const moved = side === 'buy' ? shares : -shares;
    if (side === 'buy' && shares * open + fee > this.#cash - this.#reserved) return;
    this.#cash -= moved * open + fee;
    this.#position += moved;
    this.fills.push({ at: start, side, shares, price: open, fee });
  }
}

/** The rules of `bench-sma` on the bare engine. */
export function bareSma(columns: BarColumns): BareEngine {
  const engine = new BareEngine(columns, 1_000_000);
  const [fast, slow] = [sma(10), sma(30)];
  engine.run(({ close }, { position }) => {
    const spread = fast.next(close) - slow.next(close);
    if (spread > 1e-9 && position === 0) engine.buy(10);
    else if (spread < -1e-9 && position > 0) engine.sell(10);
  });
  return engine;
}
