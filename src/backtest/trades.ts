import { cash, toNumber, type Cash } from '../core/amount.ts';
import type { EpochMs } from '../core/brand.ts';
import type { Ticker } from '../domain/instrument.ts';
import type { OrderId } from '../domain/orders/order.ts';
import type { OrderTerms, Side, VenueStatus } from '../domain/venue.ts';
import { countBefore } from '../market/mergeBars.ts';
import type { BarColumns } from '../domain/barColumns.ts';
import {
  move,
  NOWHERE,
  reach,
  splitTrip,
  tradeOf,
  tripFrom,
  writeOffTrip,
  type Exit,
  type TradeMove,
  type Range,
  type RoundTrip,
  type Trade,
} from '../sim/roundTrips.ts';
import type { LotAction, LotFill } from '../statistics/lotTrades.ts';
import type { Decisions } from './recorder.ts';
import type { OrderEnd } from './restingOrder.ts';
import { FillRows, TradeRows } from './rows.ts';

/** Limit order that has rested in the market, with the times of its arrival and its end. */
export type LimitOrder = Readonly<{
  from: EpochMs;
  until: EpochMs;
  strategy: string;
  symbol: Ticker;
  side: Side;
  order: OrderId;
  shares: number;
  limit: number;
  /** Shares filled. */
  filled: number;
  how: VenueStatus;
}>;

/** Turns order settlements into fills and round trips, and records resting limits. */
export class Trades {
  readonly closed = new TradeRows();
  readonly fills = new FillRows();
  readonly limits: LimitOrder[] = [];
  /** Splits, and the write-offs of worthless shares. */
  readonly lotActions: LotAction[] = [];
  /** Shares received as dividends, at their market value. */
  readonly brought: LotFill[] = [];
  fees = cash(0n);
  /** Fees by strategy. */
  readonly feesOf = new Map<string, Cash>();
  slippage = cash(0n);
  readonly #open = new Map<string, Map<Ticker, RoundTrip | null>>();
  readonly #columnsOf: (symbol: Ticker) => BarColumns;
  readonly #decisions: Pick<Decisions, 'of' | 'split'>;

  constructor(columnsOf: (symbol: Ticker) => BarColumns, decisions: Pick<Decisions, 'of' | 'split'>) {
    this.#columnsOf = columnsOf;
    this.#decisions = decisions;
  }

  add(ended: OrderEnd): void {
    const { resting, report } = ended;
    const { settlement } = report;
    if (resting.rested && resting.order.terms.type === 'limit')
      this.limits.push(limitOf(ended, resting.order.terms));
    if (!settlement) return;
    const { strategyId, terms, reason, tag, intentId, plannedAt } = resting.order;
    const { symbol, side } = terms;
    const decision = this.#decisions.of(intentId);
    const fees = cash(settlement.mintFee + settlement.protocolFee);
    this.fees = cash(this.fees + fees);
    this.feesOf.set(strategyId, cash((this.feesOf.get(strategyId) ?? 0n) + fees));
    this.slippage = cash(this.slippage + resting.slipped);
    const shares = toNumber(side === 'buy' ? settlement.receive : settlement.pay);
    const price = toNumber(settlement.price);
    const at = resting.filledAt as EpochMs;
    this.fills.add(resting.order, {
      at,
      shares,
      price,
      fees: toNumber(fees),
      mintFee: toNumber(settlement.mintFee),
      slippage: toNumber(resting.slipped),
      decidedAt: decision?.at ?? plannedAt,
      decisionPrice: decision?.price ?? null,
    });
    const own = this.#ownOf(strategyId);
    const open = own.get(symbol) ?? tripFrom(resting.firstAt as EpochMs, resting.firstPlace, { reason, tag });
    open.fees += fees;
    const moved = { settlement, shares, price };
    if (side === 'buy' && open.held > 0n) this.#buyMore(open, resting, moved);
    else move(open, side, moved);
    own.set(symbol, open.held > 0n ? open : null);
    if (open.held > 0n) return;
    const { lastPlace } = resting;
    this.closed.add(this.#close(open, { strategyId, symbol, at, place: lastPlace, price, reason, tag }));
  }

  /** Closes the round trips of a symbol at a price of 0, because its shares are worthless. */
  writeOff(symbol: Ticker, at: EpochMs, reason: string): void {
    this.lotActions.push({ kind: 'writtenOff', at, symbol, reason, after: this.fills.length });
    for (const [strategyId, own] of this.#open) {
      const open = own.get(symbol);
      if (!open) continue;
      const [price, place] = [0, this.#columnsOf(symbol).start.length];
      writeOffTrip(open);
      own.set(symbol, null);
      this.closed.add(this.#close(open, { strategyId, symbol, at, place, price, reason }));
    }
  }

  /** Adds to a position: closes the excursion at the old average price, and starts one at the new. */
  #buyMore(open: RoundTrip, { order, firstPlace }: OrderEnd['resting'], moved: TradeMove): void {
    reach(open, rangeOf(this.#columnsOf(order.terms.symbol), open.since, firstPlace), moved.price);
    move(open, 'buy', moved);
    reach(open, NOWHERE, moved.price);
    open.since = Math.max(open.since, firstPlace);
  }

  /** Rescales a holding after a split. `rescaled` is exact, `per` the same as float64. */
  split(
    { symbol, at, per }: Readonly<{ symbol: Ticker; at: EpochMs; per: number }>,
    rescaled: (quantity: bigint) => bigint,
  ): void {
    this.lotActions.push({ kind: 'split', at, symbol, per, after: this.fills.length });
    this.#decisions.split(symbol, per);
    for (const own of this.#open.values()) {
      const open = own.get(symbol);
      if (open) splitTrip(open, rescaled, per);
    }
  }

  /** Adds shares received as a dividend to a holding at their market value; without a holding they open one. */
  bring(
    { strategyId, symbol, at }: Readonly<{ strategyId: string; symbol: Ticker; at: EpochMs }>,
    receive: bigint,
    pay: bigint,
  ): void {
    if (receive <= 0n) return;
    const own = this.#ownOf(strategyId);
    const place = countBefore(this.#columnsOf(symbol).start, at);
    const open = own.get(symbol) ?? tripFrom(at, place, { reason: 'dividend', tag: undefined });
    const [shares, cost] = [toNumber(receive), toNumber(pay)];
    const price = cost / shares;
    move(open, 'buy', { settlement: { pay, receive }, shares, price });
    own.set(symbol, open);
    const came = { strategy: strategyId, symbol, side: 'buy', reason: 'dividend' } as const;
    this.brought.push({ ...came, at, shares, price, fees: 0 });
  }

  #ownOf(strategyId: string): Map<Ticker, RoundTrip | null> {
    const known = this.#open.get(strategyId);
    if (known) return known;
    const own = new Map<Ticker, RoundTrip | null>();
    this.#open.set(strategyId, own);
    return own;
  }

  #close(open: RoundTrip, exit: Exit & Readonly<{ price: number }>): Trade {
    reach(open, rangeOf(this.#columnsOf(exit.symbol), open.since, exit.place), exit.price);
    return tradeOf(open, exit);
  }
}

const limitOf = (
  { at, resting, report }: OrderEnd,
  { symbol, side, quantity, price }: Extract<OrderTerms, { type: 'limit' }>,
): LimitOrder => ({
  from: resting.arrival as EpochMs,
  until: at as EpochMs,
  strategy: resting.order.strategyId,
  symbol,
  side,
  order: resting.order.id,
  shares: toNumber(quantity),
  limit: toNumber(price),
  filled: toNumber(resting.filled),
  how: report.status,
});

/**
 * Lowest and highest price between two positions among the bars. For an exit within a bar it is unknown which of its
 * prices came before; after an entry within a bar the price fell to the limit, then to the low, and ended at the close.
 */
function rangeOf({ low, high, close }: BarColumns, from: number, to: number): Range {
  let lowest = Infinity;
  let highest = -Infinity;
  const first = Math.floor(from);
  if (first < from && first < Math.floor(to)) {
    lowest = low[first] ?? NaN;
    highest = close[first] ?? NaN;
  }
  const last = Math.floor(to);
  for (let index = Math.ceil(from); index < last; index++) {
    lowest = Math.min(lowest, low[index] ?? NaN);
    highest = Math.max(highest, high[index] ?? NaN);
  }
  return { low: lowest, high: highest };
}
