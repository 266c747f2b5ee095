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
 * Sessions of a timer: the first or last of a week, or of a month. `monday` is the week's first session even if Monday
 * is a holiday; `friday` is the last.
 */
export type TimerDay = 'monday' | 'friday' | 'month-start' | 'month-end';

/**
 * Times at which `onTimer` is called. `at`: a session time, or New York wall time on a day with a session, such as
 * `08:00`; `every`: at that many minutes from the open, including the close.
 */
export type TimerNeed = Readonly<{
  name: string;
  /** Default: every session. */
  on?: TimerDay;
  /**
   * Handling of a time that passed while the bot was down. `skip` (default): fires late until the session's close, then
   * not at all; `run`: fires once at the next start, however many were missed.
   */
  missed?: 'run' | 'skip';
}> &
  Readonly<{ at: SessionTime; every?: never } | { every: Readonly<{ minutes: number }>; at?: never }>;

/** Symbol whose price changes are delivered, and the phases: by default only the regular session. */
export type QuoteNeed = Readonly<{ symbol: string; phases?: readonly QuotePhase[] }>;

/**
 * Finished bars. The last `warmUp` before the start are shown first, during which orders are ignored. `phases`: bars of
 * all these phases as one series, of at most 15 minutes each; by default of the regular session only.
 */
export type BarNeed = Readonly<{
  symbol: string;
  interval: Interval;
  warmUp?: number;
  phases?: readonly QuotePhase[];
}>;

/**
 * Data that a strategy requests. Known before it starts, so that nothing is fetched while it decides. A symbol that is
 * not named here has no price and accepts no order.
 */
export type DataNeeds = Readonly<{
  bars?: readonly BarNeed[];
  /**
   * Symbols whose price changes call `onQuote`: a plain symbol only in the regular session; `{ symbol: 'MSFT', phases:
   * ['regular', 'post'] }` in the phases listed.
   */
  quotes?: readonly (string | QuoteNeed)[];
  /** Times at which `onTimer` is called. */
  timers?: readonly TimerNeed[];
  /** Dated series of the user, whose files the config or the command line names. */
  series?: readonly SeriesNeed[];
  /** Names of addresses whose text the run fetches for it, defined in its config. Not available in studies. */
  fetch?: readonly string[];
}>;

/**
 * Plain JSON that the engine keeps over restarts; a kill loses at most the last 20 s. The strategy owns the contents
 * and changes them in its hooks. A value that JSON would change, such as NaN or a Map, stops the strategy.
 */
export type StrategyState = Record<string, unknown>;

/**
 * Status of an order. `waiting`: not sent yet, because it waits for the open or for another order to end. `armed`,
 * `triggered`: for an order held by the bot, before and after its price or time was reached.
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

/** Part of an order held by the bot. `exit`: the sale after a trigger; `slice`: part of a working order. */
export type Leg = 'entry' | 'take profit' | 'second take profit' | 'exit' | 'slice';

export type OrderView = Readonly<{
  /** Id returned by the call. Orders of a bracket, an exit or a working order have the id of the whole. */
  id: string;
  /** Which part of the whole it is; null for the whole itself, and for any other order. */
  leg: Leg | null;
  symbol: string;
  side: 'buy' | 'sell';
  type: 'market' | 'limit';
  /** Shares of the order; null for a buy by notional. */
  shares: number | null;
  notional: number | null;
  /** Limit price; null for a market order. */
  price: number | null;
  /** Current stop price of an order held by the bot; for a bracket with a stop entry, first the entry's. Else null. */
  stop: number | null;
  status: OrderStatus;
  /** Filled shares, known once the order has ended. */
  filled: number;
  /** Author's reason for the order. */
  reason: string;
  tag: string | null;
  /** Reason for an end, a wait or a smaller size, for programs; null if there is none, and in `view.orders`. */
  code: EndCode | null;
  /** Reason in words, for people: its text may change, while that of `code` does not. */
  why: string | null;
}>;

/** Amounts that one order moved, delivered once, when the order has ended. */
export type Fill = Readonly<{
  /** Id returned by the call; for a bracket, an exit or a working order, that of the whole. */
  orderId: string;
  leg: Leg | null;
  symbol: string;
  side: 'buy' | 'sell';
  shares: number;
  price: number;
  /** Total fees, in mUSD. */
  fee: number;
  tag: string | null;
  at: number;
}>;

export type SessionView = Readonly<{ date: string; open: number; close: number; early: boolean }>;

/** Finished bars up to now, oldest first; never an unfinished one. */
export interface BarHistory {
  readonly length: number;
  /** Bar `back` positions before the latest; `at(0)` is the latest. */
  at(back: number): Bar | undefined;
  /** Last `count` closes, or fewer if there are fewer; the latest is last. Takes time proportional to the result. */
  closes(count: number): Float64Array;
}

/** Market and account as known now. Money in mUSD, quantities in shares, times in epoch ms. */
export interface View {
  readonly now: number;
  /** Regular session in progress, or null. */
  readonly session: SessionView | null;
  /** Phase of the trading day; `instrument(symbol).window` shows whether a stock can be traded in it. */
  readonly phase: QuotePhase | 'closed';
  /** Cash of this strategy that is not reserved for live orders. */
  readonly cash: number;
  /** Cash and shares of this strategy, valued at the latest prices. */
  readonly equity: number;
  /** Settled shares of this strategy, including those reserved for sell orders. */
  position(symbol: string): number;
  /** Average cost of a share held, fees included; null when there is no position. */
  averagePrice(symbol: string): number | null;
  /** Market value of shares less cost with buying fees: for a stock (null without a price), or for all with one. */
  unrealised(symbol: string): number | null;
  unrealised(): number;
  /** Latest price; null before the first. */
  price(symbol: string): number | null;
  /** Latest price with its time; null before the first one. */
  quote(symbol: string): QuoteView | null;
  /** Trading terms of a stock that the strategy requests; null for any other. */
  instrument(symbol: string): InstrumentView | null;
  readonly fees: FeeView;
  /** Limits that apply to its orders: those of the run, then its own. */
  readonly limits: readonly StrategyLimit[];
  /** Value of the position as a fraction of the equity. */
  weight(symbol: string): number;
  bars(symbol: string, interval: Interval): BarHistory;
  /** Rows of a dated series known by now. @throws {InvalidValueError} for one that `data` does not request */
  series(name: string): SeriesHistory;
  /** Latest text of an address; null before the first. @throws {InvalidValueError} if `data` does not request it */
  fetched(name: string): FetchedView | null;
  /** Orders of this strategy that have not ended, oldest first. */
  orders(symbol?: string): readonly OrderView[];
}

/**
 * Orders of a strategy. Each call creates an order intent: checks and limits follow, and `onOrder` reports the outcome.
 * The id stays the same however often the order is placed again. `reason` is shown to people and recorded, up to 500
 * characters.
 */
export interface Orders {
  /** Buys: by notional a market order, by shares a marketable DAY limit, because the venue accepts no other. */
  buy(symbol: string, size: BuySize & Timing, reason?: string): string;
  sell(symbol: string, size: SellSize & SellDelivery & Timing, reason?: string): string;
  limit(symbol: string, terms: LimitTerms & Timing, reason?: string): string;
  /** Trades towards a position. Pending orders count towards it; if nothing is missing, nothing is sent. */
  target(symbol: string, size: TargetSize & Timing, reason?: string): void;
  /** Targets for several symbols, sells first; weights within `band` stay. `rest` (`sell`): for stocks not listed. */
  rebalance(
    weights: Readonly<Record<string, number>>,
    options?: Readonly<{ band?: number; rest?: 'sell' | 'keep' }> & Timing,
    reason?: string,
  ): void;
  /** Sells (default) or buys once the price touches a stop. Held by the bot, not the venue: the bot must be running. */
  stop(symbol: string, terms: StopTerms, reason?: string): string;
  /** Sells once the price falls by a distance from its high since now, the latest price included. Held by the bot. */
  trail(symbol: string, terms: TrailTerms, reason?: string): string;
  /** Buys, then sells those shares at a profit, at a loss or after a time. One id for the whole. Held by the bot. */
  bracket(symbol: string, terms: BracketTerms, reason?: string): string;
  /** Sells at a limit price or at a stop, whichever comes first. One id for both. Held by the bot. */
  oco(symbol: string, terms: OcoTerms, reason?: string): string;
  /** Buys or sells in slices over a span of time. One id for the whole. Held by the bot, which must be running. */
  work(symbol: string, terms: WorkTerms, reason?: string): string;
  /** Cancels an open limit order, then sends a replacement for the remaining shares, and returns its id. */
  replace(id: string, change: OrderChange, reason?: string): string;
  /** Moves an exit held by the bot, unless triggered. Returns its id, or a new one if `onOrder` reports a refusal. */
  adjust(id: string, change: ExitChange, reason?: string): string;
  /** Cancels one order by its id, or all matching orders of this strategy. */
  cancel(which: string | Readonly<{ symbol?: string; side?: 'buy' | 'sell' }>, reason?: string): void;
}

export type HookContext = Readonly<{ view: View; order: Orders; log: Log; plot: Plot }>;

/**
 * Hooks of a strategy, all synchronous: each sees the market now and responds with order intents. The warm-up (`onBar`
 * only) comes before `onStart`, and `onSession` with `opened` before anything else in a session. At one instant of a
 * backtest the order is `onOrder` and `onFill`, `onQuote` and `onBar` for bars that have ended, `onTimer`, then
 * `onQuote` for bars that begin; a live run calls each hook when its event is known. docs/hooks.md has the full order.
 */
export type StrategyHooks = Readonly<{
  /** Start: decisions count from here on. Called again after a restart, and after a split of a stock with bars. */
  onStart?(context: HookContext): void;
  /** End of a bar; shorter bars come before longer ones. During the warm-up, `order` ignores all calls. */
  onBar?(context: HookContext & Readonly<{ bar: Bar }>): void;
  /** All requested bars that ended at the same instant, after the `onBar` of each. Not called during the warm-up. */
  onBars?(context: HookContext & Readonly<{ bars: readonly Bar[] }>): void;
  /**
   * Change from the price last delivered, or shown at the start: an open at the same price calls nothing. Only in the
   * regular session, unless `data` names other phases.
   */
  onQuote?(context: HookContext & Readonly<{ symbol: string; price: number }>): void;
  /** End of an order that moved money and stock. Called after its `onOrder`. */
  onFill?(context: HookContext & Readonly<{ fill: Fill }>): void;
  /** Change of an order's status. */
  onOrder?(context: HookContext & Readonly<{ update: OrderView }>): void;
  /** Open or close of a regular session. */
  onSession?(context: HookContext & Readonly<{ session: SessionView; change: 'opened' | 'closed' }>): void;
  onTimer?(context: HookContext & Readonly<{ timer: string }>): void;
  /** Split of a stock that it requests or holds, when booked. */
  onSplit?(context: HookContext & Readonly<{ split: SplitView }>): void;
  /** Payment for shares that it held, on arrival. */
  onDividend?(context: HookContext & Readonly<{ dividend: DividendView }>): void;
  /** Stop of the run: intents are ignored from here on. Fills and order ends are still delivered until the end. */
  onStop?(context: Readonly<{ view: View; log: Log }>): void;
}>;

export type StrategyDefinition<Params extends z.ZodType = z.ZodType> = Readonly<{
  name: string;
  description: string;
  /** Schema of the parameters. Checked before anything starts; errors name the line in the config. */
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
