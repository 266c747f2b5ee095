import type { z } from 'zod';
import type { Bar, Interval } from '../domain/bar.ts';
import type { QuotePhase } from '../domain/instrument.ts';
import type { EndCode } from '../domain/orders/endCode.ts';
import type { SeriesHistory, SeriesNeed } from './datedSeries.ts';
import type {
  DividendView,
  FeeView,
  InstrumentView,
  Log,
  Plot,
  QuoteView,
  SplitView,
  StrategyLimit,
} from './shown.ts';

/**
 * Size or price as an author writes it. A string is exact and must fit the instrument; a number counts as the decimal that it
 * prints as, then sizes are cut to the instrument's step and prices to the tick, buys down and sells up.
 */
export type Decimal = number | string;

/** Time of a session: New York wall time, `10:30`, or relative, early closes included: `open`, `open+5m`, `close-30m`. */
export type SessionTime = string;

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
 * Data that a strategy asks for. Known before it starts, so that nothing is fetched while it decides. A symbol that is not
 * named here has no price and takes no order.
 */
export type DataNeeds = Readonly<{
  /** Finished bars; the last `warmUp` before the start are shown first, while orders are ignored. */
  bars?: readonly Readonly<{ symbol: string; interval: Interval; warmUp?: number }>[];
  /**
   * Symbols whose price changes call `onQuote`: a symbol alone in the regular session, and nowhere else;
   * `{ symbol: 'MSFT', phases: ['regular', 'post'] }` in the phases that it names.
   */
  quotes?: readonly (string | QuoteNeed)[];
  /** Times that call `onTimer`. */
  timers?: readonly TimerNeed[];
  /** Dated series of its owner, whose files the config or the command names. */
  series?: readonly SeriesNeed[];
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
export type Leg = 'entry' | 'take profit' | 'exit' | 'slice';

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
  /** Stop price now, of a whole that the bot holds; null without one. */
  stop: number | null;
  status: OrderStatus;
  /** Filled shares; known when the order has ended. */
  filled: number;
  /** Author's reason for the order. */
  reason: string;
  tag: string | null;
  /** Reason of an end, of a wait or of a smaller size, for programs; null where there is none, and in `view.orders`. */
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
  /** Cash of this strategy that no live order needs. */
  readonly cash: number;
  /** Cash and shares of this strategy, marked at the latest prices. */
  readonly equity: number;
  /** Settled shares of this strategy, including those that a sell order has reserved. */
  position(symbol: string): number;
  /** Average cost of a held share, fees included; null when none is held. */
  averagePrice(symbol: string): number | null;
  /** Worth of its shares less their cost, fees of buying included: of a stock (null without a price), or of all with a price. */
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
  /** Orders of this strategy that have not ended, oldest first. */
  orders(symbol?: string): readonly OrderView[];
}

/** Time at which an intent may be sent. Default: now, or at the next open when the session is closed. */
export type Timing = Readonly<{
  /** Author's own word for the order, kept through orders, fills and trades; at most 100 characters. */
  tag?: string;
  /**
   * Earliest time of sending: `now` (default), or the next instant of a time of a session. `open`: the next open, even when the
   * session is open now. A session that does not reach the time, as one that closes early, is passed over.
   */
  at?: SessionTime;
  /** Action for an intent outside the session: keep it for the open, or drop it. */
  outside?: 'wait' | 'refuse';
  /**
   * End: it is not sent any more from then on, and an order that rests is cancelled. The next instant of a time of a session after
   * `at`, or minutes from `at`, which run outside the session, too.
   */
  expires?: SessionTime | Readonly<{ minutes: number }>;
}>;

export type BuySize = Readonly<{ notional: Decimal } | { shares: Decimal }>;
/** Size of a sell. `shares` equal to `view.position` means all of them, to the last digit that no number shows. */
export type SellSize = Readonly<{ shares: Decimal } | { all: true }>;
/** Place from which a sell of a number of shares is delivered. */
export type SellDelivery = Readonly<{
  /**
   * Stock that is missing at the venue is deposited from the wallet first, and the sell waits for it. Only where `allowOrders`
   * of the strategy's entry in the config names `depositsBeforeSells`.
   */
  depositFirst?: true;
  /**
   * Sells stock of the wallet that is not at the venue: it is owed from the sale on, and the run repays it from the wallet. What the
   * strategy holds at the venue stays. Only where `allowOrders` names `deferredSells`, and at most what the wallet has.
   */
  deferred?: true;
}>;
export type TargetSize = Readonly<{ weight: number } | { shares: Decimal } | { notional: Decimal }>;
export type LimitTerms = Readonly<{
  side: 'buy' | 'sell';
  shares: Decimal;
  price: Decimal;
  /** Life of the order. `cancelled`: a DAY order placed again each session until it fills or is cancelled. */
  goodTill?: 'day' | 'cancelled';
}>;

/** Change of an open limit order: at least one of the two. `shares`: in all, those that have filled included. */
export type OrderChange = Readonly<{ shares?: Decimal; limit?: Decimal }>;

/** Life of an order that the bot holds. Default: good till cancelled. */
export type HeldTiming = Readonly<{
  /** Author's own word for it, kept through orders, fills and trades; at most 100 characters. */
  tag?: string;
  /** Earliest time: `now` (default), or the next instant of a time of a session. */
  at?: SessionTime;
  /** End unless it was triggered before: the next instant of a time of a session after `at`, or minutes from `at`. */
  expires?: SessionTime | Readonly<{ minutes: number }>;
  goodTill?: 'day' | 'cancelled';
  /** Phases whose prices trigger it. Default: the regular session alone. */
  phases?: readonly QuotePhase[];
}>;

/** Size of an exit. `all`: what the strategy holds when it sells. */
export type ExitSize = Readonly<{ shares: Decimal } | { all: true }>;

/** A stop. A sell sells at the market once the price is at or below it, with `limit` at that price or better. */
export type StopTerms = ExitSize &
  HeldTiming &
  Readonly<{ side?: 'buy' | 'sell'; stop: Decimal; limit?: Decimal }>;

/** Distance of a trailing stop below the highest price; 5 is 5 %. */
export type TrailDistance = Readonly<{ percent: number } | { amount: Decimal }>;
export type TrailTerms = ExitSize & HeldTiming & Readonly<{ by: TrailDistance }>;

/** Price of an exit, or its distance in percent from the average price of the entry's fills. */
export type LevelTerms = Decimal | Readonly<{ percent: number }>;

/** Entry with its exits. At least one exit is given; sizes follow what has really filled. */
export type BracketTerms = HeldTiming &
  Readonly<{
    /** Market order by notional; by shares a marketable limit, or with `limit` a limit order at that price. */
    entry: Readonly<{ notional: Decimal; limit?: never } | { shares: Decimal; limit?: Decimal }>;
    takeProfit?: LevelTerms;
    /**
     * Fixed level; with `trail` one that follows the price, from that distance below what was paid, or from `percent` below it where
     * that is nearer.
     */
    stopLoss?: LevelTerms | Readonly<{ trail: TrailDistance; percent?: number }>;
    /**
     * Longest time from the first fill to the sale: bars, minutes, sessions (`{ days: 1 }`: the next open), or a time of the session
     * of that fill, such as `close-5m`: a minute before the close at the latest.
     */
    exitAfter?:
      SessionTime | Readonly<{ bars: number; interval: Interval } | { minutes: number } | { days: number }>;
  }>;

/** New exit prices: at least one. `stop` of a trailing stop may only be higher, `trail` counts from the highest price. */
export type ExitChange = Readonly<{ stop?: Decimal; takeProfit?: Decimal; trail?: TrailDistance }>;

/** Two sells of the same shares: a limit above the market and a stop below it. The first to trade ends the other. */
export type OcoTerms = HeldTiming &
  Readonly<{
    limit: ExitSize & Readonly<{ price: Decimal }>;
    stop: Readonly<{ stop: Decimal; limit?: Decimal }>;
  }>;

/** Order that is worked in slices over a span of time, of which at most one is at the venue. Ends when its time is over. */
export type WorkTerms = BuySize &
  Omit<HeldTiming, 'phases'> &
  Readonly<{
    side: 'buy' | 'sell';
    /**
     * `twap`: equal parts over the time. `pov`: a share of the volume of each finished bar. `chase`: a limit order at the price, which
     * follows it.
     */
    style: 'twap' | 'pov' | 'chase';
    /** Length of the span from `at`, or from the open after it. */
    over?: Readonly<{ minutes: number }>;
    /** End of the span: a time of the session in which it begins. */
    until?: SessionTime;
    /** Part of the volume that a `pov` may be: above 0, up to 1. */
    share?: number;
    /** Worst price: nothing is sent while the market is beyond it. */
    limit?: Decimal;
    /** Length of a part of a `twap` (five minutes; one, in less than half an hour), or time between two prices of a `chase` (30 s). */
    every?: Readonly<{ minutes: number } | { seconds: number }>;
  }>;

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
 * Hooks of a strategy, all synchronous: it sees the market as of now and answers with order intents. Warm-up (`onBar` alone)
 * comes before `onStart`, `onSession` with `opened` before all else of a session. At one instant of a backtest come `onOrder`
 * and `onFill`, then `onQuote` and `onBar` of bars that have ended, `onTimer`, and `onQuote` of bars that begin; in a run each
 * comes when it is known. docs/hooks.md has the whole order.
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
