import type { MarketModel } from '../../backtest/options.ts';
import { WeightCursor, type SignalRun } from '../../backtest/playedSignals.ts';
import { price as asPrice, wadFromNumber, type Cash, type Price } from '../../core/amount.ts';
import type { Session } from '../../calendar/index.ts';
import { epochMs, toIso } from '../../core/brand.ts';
import { takenPrice } from '../../sim/slippage.ts';
import { requireWhole } from '../../strategy/signals/defineSignals.ts';
import { ExactAccount, ORDER_CENTS } from './account.ts';
import type { ActionPlan } from './actions.ts';
import { Prices } from './prices.ts';
import { Target, without } from './target.ts';
import type { SessionRows, Timeline } from './timeline.ts';

/** Receives events of a run, for results that most trials do not need. */
export interface RunObserver {
  filled(target: Target): void;
  /** Called at the open of a session with splits or payments, before they are booked. */
  acted(open: number): void;
  /** Called at the close of a session. */
  closed(session: Session, account: ExactAccount, prices: Prices): void;
}

export type RunInput = Readonly<{
  timeline: Timeline;
  signals: SignalRun;
  /** Index on the timeline for each symbol of the signals. */
  places: readonly number[];
  model: Pick<MarketModel, 'fill' | 'fees' | 'slippage' | 'settlementMs'>;
  money: Cash;
  actions: ActionPlan;
  observer: RunObserver | null;
}>;

const NONE: readonly Target[] = [];
const NO_PRICES = new Float64Array();

/** Order counts by outcome, as in a backtest; `pending`: targets still waiting at the end. */
export type FusedTally = { sent: number; filled: number; expired: number; dropped: number; pending: number };

/**
 * Plays target weights over rows. Unlike the kernel, which handles every event of a bar, it visits only rows where
 * something happens: a weight changes, an order is pending, or a target waits. All other rows are skipped.
 */
export class FusedRun {
  readonly account: ExactAccount;
  readonly tally: FusedTally = { sent: 0, filled: 0, expired: 0, dropped: 0, pending: 0 };
  /** Equity at the start, and at the close of each session, in mUSD. */
  readonly equities: Float64Array;
  /** mUSD paid to holders. */
  dividends = 0n;
  readonly #input: RunInput;
  readonly #prices: Prices;
  readonly #weights: WeightCursor;
  /** Weight of the latest target of each symbol of the signals; NaN if there is none, or it was not filled. */
  readonly #ordered: Float64Array;
  /**
   * Prices for immediate trades, by change: the close of its row, and the open of the next; NaN if its symbol has no
   * bar. Read in one pass, because single reads would each wait for memory.
   */
  readonly #closes: Float64Array;
  readonly #opens: Float64Array;
  /** Symbols of the signals that change at a row. */
  readonly #changed: Int32Array;
  /** Orders at the exchange, in order of arrival, and those not ended, by symbol. */
  readonly #resting: Target[] = [];
  readonly #live: Target[][];
  /** Targets without an order, oldest first. */
  #waiting: Target[] = [];
  /** Ended orders that are not booked yet: the venue settles first. */
  readonly #ended: Target[] = [];
  #targets = 0;
  /** True when a target was not filled: it is placed again at the next row. */
  #retries = false;
  #session = -1;
  #rows: SessionRows | null = null;
  /** End of the session's rows. */
  #to = 0;
  /** True once the session is over: everything waits for the next one. */
  #isClosed = false;

  constructor(input: RunInput) {
    this.#input = input;
    this.equities = new Float64Array(input.timeline.sessions.length + 1);
    this.#prices = new Prices(input.timeline);
    this.#weights = new WeightCursor(input.signals);
    this.#ordered = new Float64Array(input.places.length).fill(NaN);
    this.#changed = new Int32Array(input.places.length);
    const { rows, symbols } = this.#weights.changes;
    const of = symbols && Int32Array.from(symbols, (index) => input.places[index] ?? -1);
    const isWanted = input.observer === null;
    this.#closes = isWanted ? this.#prices.closesAt(rows, of) : NO_PRICES;
    this.#opens = isWanted ? this.#prices.opensAfter(rows, of) : NO_PRICES;
    this.#live = input.timeline.symbols.map(() => []);
    this.account = new ExactAccount(input.money, { fees: input.model.fees, prices: this.#prices });
  }

  run(): void {
    const { sessions } = this.#input.timeline;
    this.equities[0] = this.account.equityNumber;
    for (let index = 0; index < sessions.length; index++) {
      const rows = sessions[index] as SessionRows;
      this.#open(index, rows);
      this.#play(rows);
      this.#close(rows);
      this.equities[index + 1] = this.account.equityNumber;
      this.#input.observer?.closed(rows.session, this.account, this.#prices);
    }
    this.tally.pending = this.#waiting.length;
  }

  #open(index: number, rows: SessionRows): void {
    this.#session = index;
    this.#rows = rows;
    this.#to = rows.to;
    this.#isClosed = false;
    // Sessions without any bar are not played: targets for them have expired.
    if (!rows.follows) for (const target of this.#waiting.splice(0)) this.#drop(target);
    const due = this.#input.actions.of(index);
    if (due === null) return;
    this.#input.observer?.acted(rows.session.open);
    this.#prices.row = rows.from - 1;
    this.dividends += due.apply(this.account, this.#prices);
  }

  get #isUnderWay(): boolean {
    return this.#resting.length + this.#waiting.length + this.#ended.length > 0;
  }

  get #isQuiet(): boolean {
    return !this.#isUnderWay && !this.#retries;
  }

  #play({ from, to }: SessionRows): void {
    for (let row = from; row < to; row++) {
      if (this.#isQuiet) row = Math.max(row, this.#weights.next);
      else if (this.#isUnderWay) this.#pass(row);
      if (row < to) this.#decide(row);
    }
  }

  /** Plays the open and the close of a row: waiting targets are tried, and orders fill. */
  #pass(row: number): void {
    const prices = this.#prices;
    prices.row = row;
    prices.isOpen = true;
    this.#try();
    if (!this.#fillsOnCloses) this.#fillResting();
    this.#report();
    prices.isOpen = false;
    const isLast = row === this.#rows?.closing;
    // The last bar of a session has no next open that day.
    if (this.#fillsOnCloses || isLast) this.#fillResting();
    if (isLast) this.#expire();
    // With a settlement delay, orders that end here are known only after the session.
    if (this.#input.model.settlementMs === 0) this.#report();
    this.#try();
  }

  get #fillsOnCloses(): boolean {
    return this.#input.model.fill === 'close';
  }

  #endOf(row: number): number {
    const { start, lengthMs } = this.#input.timeline;
    return Math.min((start[row] ?? NaN) + lengthMs, this.#rows?.session.close ?? NaN);
  }

  #close({ to }: SessionRows): void {
    this.#prices.row = to - 1;
    this.#prices.isOpen = false;
    if (!this.#isUnderWay) return;
    this.#expire();
    this.#try();
    this.#report();
  }

  /** Expires all orders, which are good for the day only. From then on the session is over. */
  #expire(): void {
    this.#isClosed = true;
    this.#ended.push(...this.#resting.splice(0));
  }

  /** Fills the orders of symbols with a bar at this row, symbol by symbol. */
  #fillResting(): void {
    const resting = this.#resting;
    if (resting.length <= 1) return resting[0] && this.#meet(resting[0]);
    for (const order of resting.toSorted((a, b) => a.symbol - b.symbol)) this.#meet(order);
  }

  #meet(order: Target): void {
    if (this.#prices.hasBar(order.symbol)) this.#fill(order);
  }

  #fill(order: Target): void {
    const prices = this.#prices;
    order.market = prices.exact(order.symbol);
    order.filled = this.#slipped(order.market, prices.of(order.symbol), order.isBuy);
    order.isFilled = true;
    order.place = prices.bar(order.symbol) + (prices.isOpen && prices.hasBar(order.symbol) ? 0 : 1);
    order.filledAt = prices.isOpen
      ? (this.#input.timeline.start[prices.row] ?? NaN)
      : this.#endOf(prices.row);
    without(this.#resting, order);
    this.#ended.push(order);
  }

  /** Fill price after slippage. @param found market price, exact and as float64 */
  #slipped(found: Price, price: number, isBuy: boolean): Price {
    const { model } = this.#input;
    if (model.slippage.kind === 'none' && model.fill !== 'venue') return found;
    return takenPrice(model, { side: isBuy ? 'buy' : 'sell', price, shares: 0, volume: 0 });
  }

  /** Books ended orders one by one, and after each tries the targets that waited for it. */
  #report(): void {
    for (let order = this.#ended.shift(); order; order = this.#ended.shift()) {
      this.#book(order);
      this.#try();
    }
  }

  #book(order: Target): void {
    without(this.#live[order.symbol] ?? [], order);
    order.state = 'ended';
    this.account.free(order);
    if (!order.isFilled) {
      this.tally.expired++;
      return this.#fail(order);
    }
    this.tally.filled++;
    this.account.settle(order);
    this.#input.observer?.filled(order);
  }

  #drop(target: Target): void {
    target.state = 'ended';
    this.tally.dropped++;
    this.#fail(target);
  }

  #fail({ symbol }: Target): void {
    this.#ordered[this.#input.places.indexOf(symbol)] = NaN;
    this.#retries = true;
  }

  /** Tries the waiting targets, oldest first, and places the resulting orders. */
  #try(): void {
    const tried = this.#waiting;
    if (tried.length === 0) return;
    this.#waiting = [];
    const orders: Target[] = [];
    for (const target of tried) {
      if (this.#isClosed) this.#postpone(target);
      else this.#size(target);
      if (target.state === 'waiting') this.#waiting.push(target);
      else if (target.state === 'ordered') orders.push(target);
    }
    for (const order of orders) this.#place(order);
  }

  /** Postpones a target to the next session; drops it if its own session had no price for it. */
  #postpone(target: Target): void {
    if (target.session > this.#session) return;
    if (this.#prices.isSince(target.symbol, this.#rows?.pricedFrom ?? 0)) target.session = this.#session + 1;
    else this.#drop(target);
  }

  #size(target: Target): void {
    const { symbol, decision } = target;
    if (!this.#prices.isSince(symbol, this.#rows?.pricedFrom ?? 0)) return;
    for (const { state } of decision.after) if (state !== 'ended') return;
    const live = this.#live[symbol] ?? [];
    const how = this.account.order(target, live);
    if (how === 'wait') return;
    target.state = how === 'ordered' ? 'ordered' : 'ended';
    if (how === 'ordered') live.push(target);
  }

  /** Sends an order. With fills on closes, it fills at once if its symbol has just closed. */
  #place(order: Target): void {
    this.tally.sent++;
    this.#resting.push(order);
    if (!this.#fillsOnCloses || !this.#hasJustClosed(order.symbol)) return;
    this.#fill(order);
    this.#report();
  }

  /** True if a bar of a symbol ends at this moment and none begins; at an open, the bar of the row before. */
  #hasJustClosed(symbol: number): boolean {
    const { row, isOpen } = this.#prices;
    if (!isOpen) return this.#prices.hasBar(symbol);
    if (this.#prices.hasBar(symbol) || this.#prices.barAt(symbol, row - 1) < 0) return false;
    return row > (this.#rows?.from ?? 0) && this.#endOf(row - 1) === this.#input.timeline.start[row];
  }

  /** Creates targets for weights that differ from those of the latest targets. */
  #decide(row: number): void {
    this.#retries = false;
    this.#weights.advance(row);
    this.#prices.row = row;
    this.#prices.isOpen = false;
    this.#isClosed = row === this.#rows?.closing;
    const count = this.#findChanges(row);
    if (count === 0) return;
    const first = this.#changed[0] ?? 0;
    // A single change has no pending order to look for and no sell to wait for.
    if (count > 1 || this.#resting.length > 0) this.#rebalance(this.#changed.slice(0, count), row);
    else if (this.#tradeAtOnce(first, row)) return;
    else this.#aim(first, row, NONE);
    this.#try();
  }

  /**
   * Trades a change directly if its size is certain and nothing else happens until it has filled: at this close, or at
   * the open of the next row. Has the effects of `#try`, `#place` and `#pass` in sequence, without allocating objects.
   */
  #tradeAtOnce(index: number, row: number): boolean {
    const change = this.#weights.changeAt(row, index);
    const [close, open] = [this.#closes[change] ?? NaN, this.#opens[change] ?? NaN];
    const isAhead = !this.#fillsOnCloses;
    const fill = isAhead ? open : close;
    if (this.#isClosed || this.#waiting.length > 0 || !(close > 0 && fill > 0)) return false;
    if (isAhead && row + 1 >= this.#to) return false;
    const symbol = this.#input.places[index] ?? 0;
    const weight = this.#weights.inForce[index] ?? NaN;
    const isBuy = weight !== 0;
    const cents = isBuy
      ? this.account.clearBuy(symbol, weight, close)
      : this.account.clearSale(symbol, close);
    if (Number.isNaN(cents)) return false;
    this.#ordered[index] = weight;
    this.#targets++;
    if (cents < ORDER_CENTS) return true;
    this.tally.sent++;
    this.tally.filled++;
    const market = asPrice(wadFromNumber(fill));
    const at = { market, filled: this.#slipped(market, fill, isBuy) };
    if (isBuy) this.account.buyCents(symbol, cents, at);
    else this.account.sellAll(symbol, at);
    return true;
  }

  /** Finds symbols whose weight differs from that of their latest target. @returns their number */
  #findChanges(row: number): number {
    const { inForce } = this.#weights;
    let [count, sum] = [0, 0];
    for (let index = 0; index < inForce.length; index++) {
      const weight = inForce[index] ?? NaN;
      const ordered = this.#ordered[index] ?? NaN;
      sum += weight >= 0 ? weight : ordered >= 0 ? ordered : 0;
      if (Number.isNaN(weight) || weight === ordered) continue;
      if (weight === 0 && Number.isNaN(ordered) && this.#hasNothing(index)) this.#ordered[index] = 0;
      else this.#changed[count++] = index;
    }
    if (sum > 1) requireWhole(sum, () => toIso(epochMs(this.#input.timeline.start[row] ?? NaN)));
    return count;
  }

  #hasNothing(index: number): boolean {
    const symbol = this.#input.places[index] ?? 0;
    const isHeld = this.account.holdings[symbol]?.held !== 0n || this.#live[symbol]?.length !== 0;
    return !isHeld && !this.#waiting.some((target) => target.symbol === symbol);
  }

  /** Creates targets by excess, largest first; buys wait for the proceeds of all pending sells. */
  #rebalance(changed: Int32Array, row: number): void {
    const sells = this.#resting.filter(({ isBuy }) => !isBuy);
    const equity = Number(this.account.equity);
    const ranked = Array.from(changed, (index) => {
      const weight = this.#weights.inForce[index] ?? NaN;
      const symbol = this.#input.places[index] ?? 0;
      const buys = this.#live[symbol]?.filter(({ isBuy }) => isBuy);
      return { index, excess: Number(this.account.worth(symbol, buys)) - weight * equity };
    });
    for (const { index, excess } of ranked.sort((a, b) => b.excess - a.excess)) {
      const target = this.#aim(index, row, excess > 0 ? NONE : [...sells]);
      if (excess > 0) sells.push(target);
    }
  }

  /** Creates the target of a symbol, replacing a waiting one. */
  #aim(index: number, row: number, after: readonly Target[]): Target {
    const at = this.#endOf(row);
    const symbol = this.#input.places[index] ?? 0;
    const weight = this.#weights.inForce[index] ?? NaN;
    for (const target of this.#waiting) if (target.symbol === symbol) target.state = 'ended';
    if (this.#waiting.length > 0) this.#waiting = this.#waiting.filter(({ state }) => state === 'waiting');
    const price = this.#prices.of(symbol);
    const session = this.#session + (this.#isClosed ? 1 : 0);
    const target = new Target({ number: ++this.#targets, symbol, weight, after, at, price, session });
    this.#waiting.push(target);
    this.#ordered[index] = weight;
    return target;
  }
}
