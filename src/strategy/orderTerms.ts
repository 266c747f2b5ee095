import type { Interval } from '../domain/bar.ts';
import type { QuotePhase } from '../domain/instrument.ts';

/**
 * Size or price as an author writes it. A string is exact and must fit the instrument; a number is read as it prints,
 * then sizes are truncated to the instrument's step and prices rounded to the tick, buys down and sells up.
 */
export type Decimal = number | string;

/** Time of a session: New York time, `10:30`, or relative, also on short days: `open`, `open+5m`, `close-30m`. */
export type SessionTime = string;

/** Time at which an intent may be sent. Default: now, or at the next open if the session is closed. */
export type Timing = Readonly<{
  /** Author's tag for the order, carried over to orders, fills and trades; at most 100 characters. */
  tag?: string;
  /**
   * Earliest time of sending: `now` (default), or the next occurrence of a session time. `open`: the next open, even if
   * the session is open now. Sessions that do not include the time, such as one with an early close, are skipped.
   */
  at?: SessionTime;
  /**
   * Treatment of an intent outside the session: keep it for the open, drop it, or send it as a limit order in the
   * phases of `trade` in the config: a market order at the quote with the collar of `limits.outside`, in whole shares
   * where needed. Default: `limit` for `order.limit` where such phases are traded, else `wait`.
   */
  outside?: 'wait' | 'refuse' | 'limit';
  /**
   * Expiry: it is no longer sent after that, and a resting order is cancelled. The next occurrence of a session time
   * after `at`, or minutes from `at`, which also count outside the session.
   */
  expires?: SessionTime | Readonly<{ minutes: number }>;
}>;

export type BuySize = Readonly<{ notional: Decimal } | { shares: Decimal }>;
/** Size of a sell. `shares` equal to `view.position` sells all of them, including digits beyond float64 precision. */
export type SellSize = Readonly<{ shares: Decimal } | { all: true }>;
/** Location from which shares sold are delivered. */
export type SellDelivery = Readonly<{
  /**
   * Deposits missing stock from the wallet to the venue first, and holds the sell until then. Only if `allowOrders` of
   * the strategy's entry in the config lists `depositsBeforeSells`.
   */
  depositFirst?: true;
  /**
   * Sells stock in the wallet that is not at the venue: it is owed until the run repays it from the wallet. Holdings at
   * the venue stay. Only if `allowOrders` lists `deferredSells`, and at most what the wallet has.
   */
  deferred?: true;
}>;
export type TargetSize = Readonly<{ weight: number } | { shares: Decimal } | { notional: Decimal }>;
export type LimitTerms = Readonly<{
  side: 'buy' | 'sell';
  shares: Decimal;
  price: Decimal;
  /** Lifetime of the order. `cancelled`: a DAY order, placed again each session until it fills or is cancelled. */
  goodTill?: 'day' | 'cancelled';
}>;

/** Change of an open limit order; at least one of the two. `shares`: the total, including those already filled. */
export type OrderChange = Readonly<{ shares?: Decimal; limit?: Decimal }>;

/** Lifetime of an order held by the bot. Default: good till cancelled. */
export type HeldTiming = Readonly<{
  /** Author's tag for it, carried over to orders, fills and trades; at most 100 characters. */
  tag?: string;
  /** Earliest time: `now` (default), or the next occurrence of a session time. */
  at?: SessionTime;
  /**
   * Expiry: the next occurrence of a session time after `at`, or minutes from `at`. Nothing is bought after that; an
   * exit triggered before still sells.
   */
  expires?: SessionTime | Readonly<{ minutes: number }>;
  goodTill?: 'day' | 'cancelled';
  /** Phases whose prices trigger it. Default: the regular session alone. */
  phases?: readonly QuotePhase[];
}>;

/** Size of an exit. `all`: all shares of the strategy at the time of the sale. */
export type ExitSize = Readonly<{ shares: Decimal } | { all: true }>;

/** Stop order. A sell goes to the market once the price is at or below it; with `limit`, at that price or better. */
export type StopTerms = ExitSize &
  HeldTiming &
  Readonly<{ side?: 'buy' | 'sell'; stop: Decimal; limit?: Decimal }>;

/** Distance of a trailing stop below the highest price; 5 is 5 %. */
export type TrailDistance = Readonly<{ percent: number } | { amount: Decimal }>;
export type TrailTerms = ExitSize & HeldTiming & Readonly<{ by: TrailDistance }>;

/** Price of an exit, or its distance in percent from the average fill price of the entry. */
export type LevelTerms = Decimal | Readonly<{ percent: number }>;

/** One of two take-profits, and its fraction of the shares bought: 0.5 is a half. */
export type TakeProfitPart = Readonly<{ share: number }> &
  Readonly<{ price: Decimal; percent?: never } | { percent: number; price?: never }>;

/** Entry with its exits. At least one exit is required; sizes follow the actual fills. */
export type BracketTerms = HeldTiming &
  Readonly<{
    /**
     * Market order by notional; by shares a marketable limit or, with `limit`, a limit order at that price. With `stop`
     * it is sent once the price has risen to the stop, as with `order.stop`.
     */
    entry: Readonly<
      | { notional: Decimal; limit?: never; stop?: never }
      | { shares: Decimal; limit?: Decimal; stop?: Decimal }
    >;
    /** One for all shares bought, or two, the nearer first, whose shares add up to 1. */
    takeProfit?: LevelTerms | readonly [TakeProfitPart, TakeProfitPart];
    /**
     * Fixed level or, with `trail`, one that follows the price, starting that distance below the price paid, or at
     * `percent` below it if that is nearer.
     */
    stopLoss?: LevelTerms | Readonly<{ trail: TrailDistance; percent?: number }>;
    /**
     * Longest time from the first fill to the sale: bars, minutes, sessions (`{ days: 1 }`: the next open), or a time
     * of the session of that fill, such as `close-5m`: at the latest a minute before the close.
     */
    exitAfter?:
      | SessionTime
      | Readonly<{ bars: number; interval: Interval } | { minutes: number } | { days: number }>;
  }>;

/** New exit prices; at least one. A trailing stop's `stop` can only be raised, and `trail` counts from the high. */
export type ExitChange = Readonly<{
  stop?: Decimal;
  /** The only one, or the first of two. */
  takeProfit?: Decimal;
  secondTakeProfit?: Decimal;
  trail?: TrailDistance;
}>;

/** Two sells of the same shares: a limit above the market and a stop below it. The first to trade cancels the other. */
export type OcoTerms = HeldTiming &
  Readonly<{
    limit: ExitSize & Readonly<{ price: Decimal }>;
    stop: Readonly<{ stop: Decimal; limit?: Decimal }>;
  }>;

/** Order worked in slices over a span of time, with at most one slice at the venue. Ends when its time is over. */
export type WorkTerms = BuySize &
  Omit<HeldTiming, 'phases'> &
  Readonly<{
    side: 'buy' | 'sell';
    /**
     * `twap`: equal parts over the time. `pov`: a share of the volume of each finished bar. `chase`: a limit order that
     * follows the price.
     */
    style: 'twap' | 'pov' | 'chase';
    /** Length of the span from `at`, or from the open after it. */
    over?: Readonly<{ minutes: number }>;
    /** End of the span: a time of the session in which it starts. */
    until?: SessionTime;
    /** Participation rate of `pov`, as a fraction of the volume: above 0, up to 1. */
    share?: number;
    /** Worst price: nothing is sent while the market is beyond it. */
    limit?: Decimal;
    /** Interval of `twap` slices (5 min; 1 min in under half an hour), or of price updates of a `chase` (30 s). */
    every?: Readonly<{ minutes: number } | { seconds: number }>;
  }>;
