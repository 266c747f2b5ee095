import { z } from 'zod';
import type { Bar, Interval } from '../domain/bar.ts';
import type { QuotePhase } from '../domain/instrument.ts';
import { InvalidValueError } from '../core/errors.ts';

/**
 * A size or a price as an author writes it. A string is exact and must fit the instrument; a number is taken as the
 * decimal it prints as, then sizes are cut to the instrument's step and prices to the tick, buys down and sells up.
 */
export type Decimal = number | string;

/** `10:30` New York wall time, or relative to the session, early closes included: `open`, `open+5m`, `close-30m`. */
export type SessionTime = string;

/** Symbol whose price changes are heard, and when: by default in the regular session alone. */
export type QuoteNeed = Readonly<{ symbol: string; phases?: readonly QuotePhase[] }>;

/**
 * What a strategy wants to be shown. Known before it starts, so that nothing is fetched while it decides. Of a symbol that
 * stands nowhere in it there is no price and no order.
 */
export type DataNeeds = Readonly<{
  /** Finished bars; the last `warmUp` before the start are shown first, while orders are ignored. */
  bars?: readonly Readonly<{ symbol: string; interval: Interval; warmUp?: number }>[];
  /**
   * Symbols whose price changes call `onQuote`: a symbol alone in the regular session, and nowhere else;
   * `{ symbol: 'MSFT', phases: ['regular', 'post'] }` in the phases that it names.
   */
  quotes?: readonly (string | QuoteNeed)[];
  /** Instants of every session that call `onTimer`. */
  timers?: readonly Readonly<{ name: string; at: SessionTime }>[];
}>;

/**
 * Plain JSON that the engine keeps over restarts; a kill loses the last 20 s of it at most. The strategy owns the contents and
 * changes them in its hooks. What JSON would change, as NaN or a Map, stops it.
 */
export type StrategyState = Record<string, unknown>;

/** How far an order is. `waiting` has not been sent: it waits for the open or for another order to end. */
export type OrderStatus =
  | 'waiting'
  | 'sending'
  | 'unknown'
  | 'accepted'
  | 'working'
  | 'cancelling'
  | 'filled'
  | 'cancelled'
  | 'expired'
  | 'rejected'
  | 'refused'
  | 'reverted'
  | 'dropped';

export type OrderView = Readonly<{
  id: string;
  symbol: string;
  side: 'buy' | 'sell';
  type: 'market' | 'limit';
  /** Null for a buy by notional. */
  shares: number | null;
  notional: number | null;
  /** Limit price; null for a market order. */
  price: number | null;
  status: OrderStatus;
  /** Shares; known when the order has ended. */
  filled: number;
  reason: string;
}>;

/** What one order moved, told once, when it has ended. */
export type Fill = Readonly<{
  orderId: string;
  symbol: string;
  side: 'buy' | 'sell';
  shares: number;
  price: number;
  /** All fees, in mUSD. */
  fee: number;
  at: number;
}>;

export type SessionView = Readonly<{ date: string; open: number; close: number; early: boolean }>;

/** Finished bars up to now, oldest first. Never a forming one. */
export interface BarHistory {
  readonly length: number;
  /** The bar `back` places before the latest; `at(0)` is the latest. */
  at(back: number): Bar | undefined;
  /** The last `count` closes, fewer when there are fewer; the latest is last. Costs its window, not the history. */
  closes(count: number): Float64Array;
}

/** The world as far as it is known at this instant. Money in mUSD, quantities in shares, times in epoch ms. */
export interface View {
  readonly now: number;
  /** The regular session that is open now. */
  readonly session: SessionView | null;
  /** This strategy's cash that no live order needs. */
  readonly cash: number;
  /** This strategy's cash and shares, marked at the latest prices. */
  readonly equity: number;
  /** Settled shares this strategy holds, those that a sell order has reserved included. */
  position(symbol: string): number;
  /** What a held share cost on average, fees included; null when none is held. */
  averagePrice(symbol: string): number | null;
  /** The latest price, null before the first. */
  price(symbol: string): number | null;
  /** Share of the equity that the position is worth. */
  weight(symbol: string): number;
  bars(symbol: string, interval: Interval): BarHistory;
  /** This strategy's orders that have not ended, oldest first. */
  orders(symbol?: string): readonly OrderView[];
}

/** When an intent may leave. Default: now, and when the session is closed, at the next open. */
export type Timing = Readonly<{
  /** `open`: at the next open even when the session is open now. */
  at?: 'now' | 'open';
  /** What to do with an intent outside the session: keep it for the open, or drop it. */
  outside?: 'wait' | 'refuse';
}>;

export type BuySize = Readonly<{ notional: Decimal } | { shares: Decimal }>;
/** `shares` as `view.position` tells them is all of them, to the last digit that no number shows. */
export type SellSize = Readonly<{ shares: Decimal } | { all: true }>;
export type TargetSize = Readonly<{ weight: number } | { shares: Decimal } | { notional: Decimal }>;
export type LimitTerms = Readonly<{
  side: 'buy' | 'sell';
  shares: Decimal;
  price: Decimal;
  /** `cancelled`: a DAY order placed anew each session until it fills or is cancelled. */
  goodTill?: 'day' | 'cancelled';
}>;

/**
 * What a strategy may ask for. Each call is an order intent: checks and limits come after it, and `onOrder` tells what became of
 * it. The id stays the same however often the order is placed anew. `reason` is shown to people and kept,
 * 500 characters of it at most.
 */
export interface Orders {
  /** By notional a market order; by shares a marketable DAY limit, as the venue takes no other. */
  buy(symbol: string, size: BuySize & Timing, reason?: string): string;
  sell(symbol: string, size: SellSize & Timing, reason?: string): string;
  limit(symbol: string, terms: LimitTerms & Timing, reason?: string): string;
  /** Trades towards a position. Orders on their way count; when nothing is missing, nothing is done. */
  target(symbol: string, size: TargetSize & Timing, reason?: string): void;
  /** Targets for several symbols, sells first; weights within `band` of their target are left alone. */
  rebalance(
    weights: Readonly<Record<string, number>>,
    options?: Readonly<{ band?: number }> & Timing,
    reason?: string,
  ): void;
  /** Cancels one order by its id, or all of this strategy's that match. */
  cancel(which: string | Readonly<{ symbol?: string; side?: 'buy' | 'sell' }>, reason?: string): void;
}

export type HookContext = Readonly<{ view: View; order: Orders }>;

/**
 * All hooks are synchronous: a strategy sees the world cut at now and answers with order intents. Warm-up (`onBar` alone) comes
 * before `onStart`, `onSession` with `opened` before all else of a session. At one instant of a backtest come `onOrder` and
 * `onFill`, then `onQuote` and `onBar` of bars that have ended, `onTimer`, and `onQuote` of bars that begin; in a run each
 * comes when it is known. docs/hooks.md has the whole order.
 */
export type StrategyHooks = Readonly<{
  /** Decisions count from here on. Comes again after a restart, and after a split of a stock whose bars are watched. */
  onStart?(context: HookContext): void;
  /** A bar has ended; shorter ones come before longer ones. While warming up `order` ignores what it is asked. */
  onBar?(context: HookContext & Readonly<{ bar: Bar }>): void;
  /**
   * The price is another than the one that the strategy was told last, or saw at the start: an open that equals it calls
   * nothing. In the regular session alone, unless `data` names other phases: never at night by itself.
   */
  onQuote?(context: HookContext & Readonly<{ symbol: string; price: number }>): void;
  /** An order has moved money and stock, and has ended. Comes after the `onOrder` of it. */
  onFill?(context: HookContext & Readonly<{ fill: Fill }>): void;
  /** An order of this strategy has another status. */
  onOrder?(context: HookContext & Readonly<{ update: OrderView }>): void;
  /** A regular session has opened or closed. */
  onSession?(context: HookContext & Readonly<{ session: SessionView; change: 'opened' | 'closed' }>): void;
  onTimer?(context: HookContext & Readonly<{ timer: string }>): void;
  /** The runner is stopping: order intents are ignored from here on. What becomes of orders until the end is still told. */
  onStop?(context: Readonly<{ view: View }>): void;
}>;

export type StrategyDefinition<Params extends z.ZodType = z.ZodType> = Readonly<{
  name: string;
  description: string;
  /** Checked before anything starts; errors name the line of the config. */
  params: Params;
  data(params: z.output<Params>): DataNeeds;
  create(setup: Readonly<{ params: z.output<Params>; state: StrategyState }>): StrategyHooks;
}>;

/** The default export of a strategy file. */
export function defineStrategy<Params extends z.ZodType>(
  definition: StrategyDefinition<Params>,
): StrategyDefinition<Params> {
  return definition;
}

/**
 * Gives the state that the engine keeps a shape. What is missing starts with its default; change the fields of the
 * answer in the hooks and they are kept.
 * @throws {InvalidValueError} when what was kept has another shape, as after an edit of the strategy
 */
export function remember<Shape extends z.ZodObject>(state: StrategyState, shape: Shape): z.output<Shape> {
  const kept = shape.safeParse(state);
  if (!kept.success)
    throw new InvalidValueError(
      `The kept state does not fit this strategy; let its schema read what was kept, a new field with a default:\n${z.prettifyError(kept.error)}`,
    );
  return Object.assign(state, kept.data);
}
