import type { z } from 'zod';
import { epochMs } from '../../src/core/brand.ts';
import { ticker } from '../../src/domain/instrument.ts';
import type {
  BarHistory,
  HookContext,
  Interval,
  Orders,
  OrderStatus,
  OrderView,
  StrategyDefinition,
  StrategyState,
  View,
} from '../../src/strategy/index.ts';

/** A wish as the strategy uttered it: the verb, then its arguments without the reason. */
export type Wish = readonly [verb: keyof Orders, ...terms: unknown[]];

type Holding = Readonly<{ shares: number; cost: number }>;

const OPEN_AT = Date.parse('2026-03-02T14:30:00Z');
const SESSION_MS = 390 * 60_000;
const noBars: BarHistory = { length: 0, at: () => undefined, closes: () => new Float64Array() };

/**
 * One strategy on a bare stage. The test sets prices, ends orders and calls hooks; the stage keeps the view true to
 * that and records the wishes. An order of its own works at once and ends only when the test says so.
 */
export class Stage<Params extends z.ZodType> {
  readonly wishes: Wish[] = [];
  readonly lines: string[] = [];
  cash = 10_000;
  /** Of the session that is open; null outside. */
  date: string | null = '2026-03-02';
  readonly holdings = new Map<string, Holding>();
  readonly params: z.output<Params>;
  state: StrategyState = {};
  readonly #definition: StrategyDefinition<Params>;
  readonly #prices = new Map<string, number>();
  #orders: OrderView[] = [];
  #orderCount = 0;
  #hooks;

  constructor(definition: StrategyDefinition<Params>, params: z.input<Params>) {
    this.#definition = definition;
    this.params = definition.params.parse(params);
    this.#hooks = definition.create({ params: this.params, state: this.state });
  }

  /** The strategy anew, with the state as a journal would give it back. */
  restart() {
    this.state = JSON.parse(JSON.stringify(this.state)) as StrategyState;
    this.#hooks = this.#definition.create({ params: this.params, state: this.state });
  }

  setPrice(symbol: string, price: number) {
    this.#prices.set(symbol, price);
  }

  quote(symbol: string, price: number) {
    this.setPrice(symbol, price);
    this.#hooks.onQuote?.({ ...this.#context(), symbol, price });
  }

  bar(symbol: string, close: number, interval: Interval = '1d') {
    this.setPrice(symbol, close);
    const prices = { open: close, high: close, low: close, close };
    const bar = { symbol: ticker(symbol), interval, start: epochMs(OPEN_AT), ...prices, volume: 1 };
    this.#hooks.onBar?.({ ...this.#context(), bar });
  }

  timer(name: string) {
    this.#hooks.onTimer?.({ ...this.#context(), timer: name });
  }

  /** Gives a live order another status; one that ends may have filled something. */
  report(id: string, status: OrderStatus, fill?: { shares: number; price: number }) {
    const before = this.#orders.find((order) => order.id === id);
    if (!before) throw new Error(`no live order ${id}`);
    const update = { ...before, status, filled: fill?.shares ?? 0 };
    this.#orders = ENDED.has(status)
      ? this.#orders.filter((order) => order !== before)
      : this.#orders.map((order) => (order === before ? update : order));
    if (fill) this.#settle(update, fill);
    this.#hooks.onOrder?.({ ...this.#context(), update });
  }

  /** Ids of the orders that have not ended. */
  live(side?: 'buy' | 'sell'): string[] {
    return this.#orders.filter((order) => !side || order.side === side).map(({ id }) => id);
  }

  /** What was wished for since the last call. */
  heard(): Wish[] {
    return this.wishes.splice(0);
  }

  #settle({ id: orderId, symbol, side }: OrderView, { shares, price }: { shares: number; price: number }) {
    const held = this.holdings.get(symbol) ?? { shares: 0, cost: 0 };
    const sign = side === 'buy' ? 1 : -1;
    const cost =
      side === 'buy' ? (held.shares * held.cost + shares * price) / (held.shares + shares) : held.cost;
    this.holdings.set(symbol, { shares: held.shares + sign * shares, cost });
    this.cash -= sign * shares * price;
    this.#hooks.onFill?.({
      ...this.#context(),
      fill: { orderId, symbol, side, shares, price, fee: 0, tag: null, at: OPEN_AT },
    });
  }

  #context(): HookContext {
    return { view: this.#view(), order: this.#desk(), log: (text) => void this.lines.push(text) };
  }

  #view(): View {
    const { date, cash } = this;
    const worth = (symbol: string) =>
      (this.holdings.get(symbol)?.shares ?? 0) * (this.#prices.get(symbol) ?? 0);
    const equity = [...this.holdings.keys()].reduce((sum, symbol) => sum + worth(symbol), cash);
    return {
      now: OPEN_AT,
      session: date === null ? null : { date, open: OPEN_AT, close: OPEN_AT + SESSION_MS, early: false },
      cash,
      equity,
      position: (symbol) => this.holdings.get(symbol)?.shares ?? 0,
      averagePrice: (symbol) => this.holdings.get(symbol)?.cost ?? null,
      price: (symbol) => this.#prices.get(symbol) ?? null,
      weight: (symbol) => worth(symbol) / equity,
      quote: (symbol) => quoteOf(this.#prices.get(symbol)),
      instrument: () => ({ step: 0.000001, tick: 0.01, minimum: 1, fractionable: true, tradable: true }),
      unrealised: () => 0,
      fees: { buyBps: 11, sellBps: 1 },
      limits: [],
      bars: () => noBars,
      orders: (symbol) => this.#orders.filter((order) => !symbol || order.symbol === symbol),
    };
  }

  #desk(): Orders {
    return {
      buy: (symbol, size) => {
        const { notional, shares } = { notional: null, shares: null, ...size };
        return this.#accept(['buy', symbol, size], {
          symbol,
          side: 'buy',
          type: 'market',
          ...sized(notional, shares),
        });
      },
      sell: (symbol, size) => {
        const shares = 'shares' in size ? size.shares : (this.holdings.get(symbol)?.shares ?? 0);
        return this.#accept(['sell', symbol, size], {
          symbol,
          side: 'sell',
          type: 'market',
          ...sized(null, shares),
        });
      },
      limit: (symbol, terms) => {
        const { side, shares, price } = terms;
        const order = { symbol, side, type: 'limit', ...sized(null, shares), price: Number(price) } as const;
        return this.#accept(['limit', symbol, terms], order);
      },
      target: (symbol, size) => void this.wishes.push(['target', symbol, size]),
      rebalance: (weights, options) => void this.wishes.push(['rebalance', weights, options]),
      stop: (symbol, terms) => this.#hold(['stop', symbol, terms]),
      trail: (symbol, terms) => this.#hold(['trail', symbol, terms]),
      bracket: (symbol, terms) => this.#hold(['bracket', symbol, terms]),
      oco: (symbol, terms) => this.#hold(['oco', symbol, terms]),
      work: (symbol, terms) => this.#hold(['work', symbol, terms]),
      cancel: (which) => {
        this.wishes.push(['cancel', which]);
        this.#orders = this.#orders.map((order) =>
          order.id === which ? { ...order, status: 'cancelling' } : order,
        );
      },
    };
  }

  /** An order that the runner would hold: it is only noted. */
  #hold(wish: Wish): string {
    this.wishes.push(wish);
    return `o${++this.#orderCount}`;
  }

  #accept(wish: Wish, terms: Pick<OrderView, 'symbol' | 'side' | 'type'> & Partial<OrderView>): string {
    this.wishes.push(wish);
    const id = `o${++this.#orderCount}`;
    const unset = { shares: null, notional: null, price: null };
    this.#orders.push({
      ...unset,
      ...terms,
      id,
      status: 'working',
      filled: 0,
      reason: '',
      tag: null,
      code: null,
      why: null,
    });
    return id;
  }
}

const quoteOf = (price: number | undefined) => (price === undefined ? null : { price, at: OPEN_AT });

const ENDED: ReadonlySet<OrderStatus> = new Set<OrderStatus>([
  'filled',
  'cancelled',
  'expired',
  'rejected',
  'refused',
  'reverted',
  'dropped',
]);

const numberOrNull = (value: number | string | null) => (value === null ? null : Number(value));
const sized = (notional: number | string | null, shares: number | string | null) => ({
  notional: numberOrNull(notional),
  shares: numberOrNull(shares),
});
