import type { Interval } from '../domain/bar.ts';
import type { QuotePhase } from '../domain/instrument.ts';

/**
 * Size or price as an author writes it. A string is exact and must fit the instrument; a number counts as the decimal that it
 * prints as, then sizes are cut to the instrument's step and prices to the tick, buys down and sells up.
 */
export type Decimal = number | string;

/** Time of a session: New York wall time, `10:30`, or relative, early closes included: `open`, `open+5m`, `close-30m`. */
export type SessionTime = string;

/** Time at which an intent may be sent. Default: now, or at the next open when the session is closed. */
export type Timing = Readonly<{
  /** Author's own word for the order, kept through orders, fills and trades; at most 100 characters. */
  tag?: string;
  /**
   * Earliest time of sending: `now` (default), or the next instant of a time of a session. `open`: the next open, even when the
   * session is open now. A session that does not reach the time, as one that closes early, is passed over.
   */
  at?: SessionTime;
  /**
   * Action for an intent outside the session: keep it for the open, drop it, or send it as a limit order in the phases that `trade` of
   * the config names: a market order at the quote with the collar of `limits.outside`, in whole shares where fractions are not taken.
   * Default: `limit` for `order.limit` where such phases are traded, else `wait`.
   */
  outside?: 'wait' | 'refuse' | 'limit';
  /**
   * End: it is no longer sent from then on, and an order that rests is cancelled. The next instant of a time of a session after
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
  /**
   * End: the next instant of a time of a session after `at`, or minutes from `at`. Nothing is bought from then on; an exit that was
   * triggered before sells all the same.
   */
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

/** One of two take-profits, and its share of what was bought: 0.5 is a half. */
export type TakeProfitPart = Readonly<{ share: number }> &
  Readonly<{ price: Decimal; percent?: never } | { percent: number; price?: never }>;

/** Entry with its exits. At least one exit is given; sizes follow what has really filled. */
export type BracketTerms = HeldTiming &
  Readonly<{
    /**
     * Market order by notional; by shares a marketable limit, or with `limit` a limit order at that price. With `stop` it is sent
     * once the price has risen to that, as by `order.stop`.
     */
    entry: Readonly<
      | { notional: Decimal; limit?: never; stop?: never }
      | { shares: Decimal; limit?: Decimal; stop?: Decimal }
    >;
    /** One for all that was bought, or two, the nearer first, whose shares are 1 together. */
    takeProfit?: LevelTerms | readonly [TakeProfitPart, TakeProfitPart];
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
      | SessionTime
      | Readonly<{ bars: number; interval: Interval } | { minutes: number } | { days: number }>;
  }>;

/** New exit prices: at least one. `stop` of a trailing stop may only be higher, `trail` counts from the highest price. */
export type ExitChange = Readonly<{
  stop?: Decimal;
  /** The only one, or the first of two. */
  takeProfit?: Decimal;
  secondTakeProfit?: Decimal;
  trail?: TrailDistance;
}>;

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
