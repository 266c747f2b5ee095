import type { z } from 'zod';
import type { Bar, Interval } from '../domain/bar.ts';
import type { QuotePhase } from '../domain/instrument.ts';
import type { EndCode } from '../domain/orders/endCode.ts';
import type { SeriesHistory, SeriesNeed } from './datedSeries.ts';
import type {
  BracketTerms,
  BuySize,
  ExitChange,
  LimitTerms,
  OcoTerms,
  OrderChange,
  SellDelivery,
  SellSize,
  SessionTime,
  StopTerms,
  TargetSize,
  Timing,
  TrailTerms,
  WorkTerms,
} from './orderTerms.ts';
import type {
  DividendView,
  FeeView,
  FetchedView,
  InstrumentView,
  Log,
  Plot,
  QuoteView,
  SplitView,
  StrategyLimit,
} from './shown.ts';

/**
 * Sessions of a timer: the first or the last of a week, or of a month. `monday` is the first session of the week also where
 * Monday is a holiday, `friday` the last.
 */
export type TimerDay = 'monday' | 'friday' | 'month-start' | 'month-end';

/**
 * Times at which `onTimer` is called. `at`: a time of the session, or New York wall time of a day with a session, such as `08:00`;
 * `every`: each so many minutes from the open on, the close included.
 */
export type TimerNeed = Readonly<{
  name: string;
  /** Default: every session. */
  on?: TimerDay;
  /**
   * Time that passed while nothing ran. `skip` (default): fires late until the close of its session, then not at all; `run`: fires
   * at the next start, once, however many were missed.
   */
  missed?: 'run' | 'skip';
}> &
  Readonly<{ at: SessionTime; every?: never } | { every: Readonly<{ minutes: number }>; at?: never }>;

/** Symbol whose price changes are heard, and when: by default in the regular session alone. */
export type QuoteNeed = Readonly<{ symbol: string; phases?: readonly QuotePhase[] }>;

/**
 * Finished bars; the last `warmUp` before the start are shown first, while orders are ignored. `phases`: those of all these phases as
 * one series, of at most 15 minutes each; by default those of the regular session alone.
 */
export type BarNeed = Readonly<{
  symbol: string;
  interval: Interval;
  warmUp?: number;
  phases?: readonly QuotePhase[];
}>;

/**
 * Data that a strategy asks for. Known before it starts, so that nothing is fetched while it decides. A symbol that is not
 * named here has no price and takes no order.
 */
export type DataNeeds = Readonly<{
  bars?: readonly BarNeed[];
  /**
   * Symbols whose price changes call `onQuote`: a symbol alone in the regular session, and nowhere else;
   * `{ symbol: 'MSFT', phases: ['regular', 'post'] }` in the phases that it names.
   */
  quotes?: readonly (string | QuoteNeed)[];
  /** Times that call `onTimer`. */
  timers?: readonly TimerNeed[];
  /** Dated series of its owner, whose files the config or the command names. */
  series?: readonly SeriesNeed[];
  /** Names of addresses whose text the run gets for it, and which its config gives. Studies have none. */
  fetch?: readonly string[];
}>;

/**
 * Plain JSON that the engine keeps over restarts; a kill loses at most its last 20 s. The strategy owns the contents and
 * changes them in its hooks. A value that JSON would change, as NaN or a Map, stops the strategy.
 */
export type StrategyState = Record<string, unknown>;

/**
 * Status of an order. `waiting`: not sent yet, because it waits for the open or for another order to end. `armed`, `triggered`: of an
 * order that the bot holds, which waits for its price, or whose price or time has come.
 */
export type OrderStatus =
  | 'waiting'
  | 'armed'
  | 'triggered'
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

/** Part of an order that the bot holds. `exit`: the sale after a trigger; `slice`: part of a working order. */
export type Leg = 'entry' | 'take profit' | 'second take profit' | 'exit' | 'slice';

export type OrderView = Readonly<{
  /** Id that the call gave. An order of a bracket, an exit or a working order has the id of the whole. */
  id: string;
  /** Part of the whole that it is; null for the whole itself, and for any other order. */
  leg: Leg | null;
  symbol: string;
  side: 'buy' | 'sell';
  type: 'market' | 'limit';
  /** Shares of the order; null for a buy by notional. */
  shares: number | null;
  notional: number | null;
  /** Limit price; null for a market order. */
  price: number | null;
  /** Stop price now, of a whole that the bot holds: of a bracket that enters by a stop that one first; null without one. */
  stop: number | null;
  status: OrderStatus;
  /** Filled shares; known when the order has ended. */
  filled: number;
  /** Author's reason for the order. */
  reason: string;
  tag: string | null;
  /** Reason of an end, of a wait or of a smaller size, for programs; null if there is none, and in `view.orders`. */
  code: EndCode | null;
  /** The same for people: its words may change, those of `code` do not. */
  why: string | null;
}>;

/** Amounts that one order moved, delivered once, when it has ended. */
export type Fill = Readonly<{
  /** Id that the call gave: of a bracket, an exit or a working order that of the whole. */
  orderId: string;
  leg: Leg | null;
  symbol: string;
  side: 'buy' | 'sell';
  shares: number;
  price: number;
  /** All fees, in mUSD. */
  fee: number;
  tag: string | null;
  at: number;
}>;

export type SessionView = Readonly<{ date: string; open: number; close: number; early: boolean }>;

/** Finished bars up to now, oldest first; never a forming one. */
export interface BarHistory {
  readonly length: number;
  /** Bar `back` places before the latest; `at(0)` is the latest. */
  at(back: number): Bar | undefined;
  /** Last `count` closes, or fewer when there are fewer; the latest is last. Costs its window, not the history. */
  closes(count: number): Float64Array;
}

/** Market and account as known at this instant. Money in mUSD, quantities in shares, times in epoch ms. */
export interface View {
  readonly now: number;
  /** Regular session that is open now. */
  readonly session: SessionView | null;
  /** Phase of the trading day; `instrument(symbol).window` tells whether a stock may be traded in it. */
  readonly phase: QuotePhase | 'closed';
  /** Cash of this strategy that no live order needs. */
  readonly cash: number;
  /** Cash and shares of this strategy, marked at the latest prices. */
  readonly equity: number;
  /** Settled shares of this strategy, including those that a sell order has reserved. */
  position(symbol: string): number;
  /** Average cost of a held share, fees included; null when none is held. */
  averagePrice(symbol: string): number | null;
  /** Value of its shares less their cost, fees of buying included: of a stock (null without a price), or of all with a price. */
  unrealised(symbol: string): number | null;
  unrealised(): number;
  /** Latest price; null before the first. */
  price(symbol: string): number | null;
  /** Latest price with its time; null before the first. */
  quote(symbol: string): QuoteView | null;
  /** Terms of a stock that it asks for; null for any other. */
  instrument(symbol: string): InstrumentView | null;
  readonly fees: FeeView;
  /** Limits in force for its orders: those of the run, then its own. */
  readonly limits: readonly StrategyLimit[];
  /** Value of the position as a share of the equity. */
  weight(symbol: string): number;
  bars(symbol: string, interval: Interval): BarHistory;
  /** Rows of a dated series that are known by now. @throws {InvalidValueError} for one that `data` does not ask for */
  series(name: string): SeriesHistory;
  /** Latest text of an address; null before the first. @throws {InvalidValueError} for one that `data` does not ask for */
  fetched(name: string): FetchedView | null;
  /** Orders of this strategy that have not ended, oldest first. */
  orders(symbol?: string): readonly OrderView[];
}

/**
 * Orders of a strategy. Each call makes an order intent: checks and limits come after it, and `onOrder` reports the outcome.
 * The id stays the same however often the order is placed again. `reason` is shown to people and kept, at most 500 characters
 * of it.
 */
export interface Orders {
  /** Buys: by notional a market order, by shares a marketable DAY limit, because the venue takes no other. */
  buy(symbol: string, size: BuySize & Timing, reason?: string): string;
  sell(symbol: string, size: SellSize & SellDelivery & Timing, reason?: string): string;
  limit(symbol: string, terms: LimitTerms & Timing, reason?: string): string;
  /** Trades towards a position. Orders under way count; when nothing is missing, nothing is sent. */
  target(symbol: string, size: TargetSize & Timing, reason?: string): void;
  /** Targets for several symbols, sells first; weights within `band` are left alone. `rest` (`sell`): stocks that weights omit. */
  rebalance(
    weights: Readonly<Record<string, number>>,
    options?: Readonly<{ band?: number; rest?: 'sell' | 'keep' }> & Timing,
    reason?: string,
  ): void;
  /** Sells (default) or buys once the price touches a stop. The bot holds it, not the venue: it needs the bot to run. */
  stop(symbol: string, terms: StopTerms, reason?: string): string;
  /** Sells once the price has fallen by a distance from its highest since now; the latest price, of whatever phase, is the first. Held by the bot. */
  trail(symbol: string, terms: TrailTerms, reason?: string): string;
  /** Buys, and sells what was bought at a profit, at a loss or after a time. One id for all of it. Held by the bot. */
  bracket(symbol: string, terms: BracketTerms, reason?: string): string;
  /** Sells at a limit price, or at a stop, whichever comes first. One id for both. Held by the bot. */
  oco(symbol: string, terms: OcoTerms, reason?: string): string;
  /** Buys or sells in slices over a span of time. One id for all of them. Held by the bot: it needs the bot to run. */
  work(symbol: string, terms: WorkTerms, reason?: string): string;
  /** Ends an open limit order, then sends a successor for what is left. Gives the id of the successor. */
  replace(id: string, change: OrderChange, reason?: string): string;
  /** Moves an exit that the bot holds and that was not touched. Gives its id; of a refused call another, under which `onOrder` says why. */
  adjust(id: string, change: ExitChange, reason?: string): string;
  /** Cancels one order by its id, or all of this strategy's that match. */
  cancel(which: string | Readonly<{ symbol?: string; side?: 'buy' | 'sell' }>, reason?: string): void;
}

export type HookContext = Readonly<{ view: View; order: Orders; log: Log; plot: Plot }>;

/**
 * Hooks of a strategy, all synchronous: it sees the market now and answers with order intents. Warm-up (`onBar` alone) comes before
 * `onStart`, `onSession` with `opened` before all else of a session. At one instant of a backtest come `onOrder` and `onFill`, then
 * `onQuote` and `onBar` of bars that have ended, `onTimer`, and `onQuote` of bars that begin; in a run each comes when it is known.
 * docs/hooks.md has the whole order.
 */
export type StrategyHooks = Readonly<{
  /** Start: decisions count from here on. Comes again after a restart, and after a split of a stock whose bars are watched. */
  onStart?(context: HookContext): void;
  /** End of a bar; shorter ones come before longer ones. During the warm-up `order` ignores every call. */
  onBar?(context: HookContext & Readonly<{ bar: Bar }>): void;
  /** All bars that have ended at one instant and that it asks for, after the `onBar` of each. Not during the warm-up. */
  onBars?(context: HookContext & Readonly<{ bars: readonly Bar[] }>): void;
  /**
   * Change of the price that was delivered last, or shown at the start: an open that equals it calls nothing. Only in the
   * regular session, unless `data` names other phases.
   */
  onQuote?(context: HookContext & Readonly<{ symbol: string; price: number }>): void;
  /** End of an order that has moved money and stock. Comes after its `onOrder`. */
  onFill?(context: HookContext & Readonly<{ fill: Fill }>): void;
  /** Change of an order's status. */
  onOrder?(context: HookContext & Readonly<{ update: OrderView }>): void;
  /** Open or close of a regular session. */
  onSession?(context: HookContext & Readonly<{ session: SessionView; change: 'opened' | 'closed' }>): void;
  onTimer?(context: HookContext & Readonly<{ timer: string }>): void;
  /** Split of a stock that it asks for or holds, at its booking. */
  onSplit?(context: HookContext & Readonly<{ split: SplitView }>): void;
  /** Payment for shares that it held, at its arrival. */
  onDividend?(context: HookContext & Readonly<{ dividend: DividendView }>): void;
  /** Stop of the run: intents are ignored from here on. Fills and ends of orders are still delivered until the end. */
  onStop?(context: Readonly<{ view: View; log: Log }>): void;
}>;

export type StrategyDefinition<Params extends z.ZodType = z.ZodType> = Readonly<{
  name: string;
  description: string;
  /** Schema of the parameters. Checked before anything starts; errors name the line of the config. */
  params: Params;
  data(params: z.output<Params>): DataNeeds;
  create(setup: Readonly<{ params: z.output<Params>; state: StrategyState }>): StrategyHooks;
}>;

/** Default export of a strategy file. */
export function defineStrategy<Params extends z.ZodType>(
  definition: StrategyDefinition<Params>,
): StrategyDefinition<Params> {
  return definition;
}
