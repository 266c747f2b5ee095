import type { Cash } from '../core/amount.ts';
import type { EpochMs } from '../core/brand.ts';
import type { StrategyId } from './account/ledger.ts';
import type { DividendRules, ExitDividends } from './corporateAction.ts';
import type { FeeSchedule } from './fees.ts';
import type { Address, DayReading, Quote, QuotePhase, Ticker } from './instrument.ts';
import type { EndCode } from './orders/endCode.ts';
import type { Premium, TokenRatios } from './premium.ts';

/** Policy for an order over a size limit: drop it, or cut it to what the limit allows. */
export const LIMIT_POLICIES = ['drop', 'reduce'] as const;
export type LimitPolicy = (typeof LIMIT_POLICIES)[number];

export type SymbolLimits = Pick<Limits, 'orderNotional' | 'positionNotional'>;

/** Limit on several stocks together. `positionNotional`: value of their positions after the order. */
export type GroupLimit = Readonly<{ symbols: readonly string[]; positionNotional: Cash }>;

/** Pause of buys after consecutive losing exits: minutes from the last of them, or until the close of its session. */
export type LossStreakLimit = Readonly<{ trades: number; pause: 'session' | Readonly<{ minutes: number }> }>;

/** Action of a drawdown limit: send only sells from then on, or sell everything. */
export const DRAWDOWN_ACTIONS = ['reduce', 'flatten'] as const;

/** Largest fall of equity from its peak: in percent of the peak (5 is 5 %), or in mUSD. Exactly one is set. */
export type DrawdownLimit = Readonly<{
  percent?: number | undefined;
  amount?: Cash | undefined;
  action: (typeof DRAWDOWN_ACTIONS)[number];
}>;

/** Limits outside the regular session, replacing the usual ones. `collarBps`: collar of limits made from market orders. */
export type OutsideLimits = Pick<
  Limits,
  'orderNotional' | 'positionNotional' | 'grossExposure' | 'priceBandBps' | 'premiumBps' | 'quoteAgeMs'
> &
  Readonly<{ collarBps?: number | undefined }>;

/** Limits checked for every send. Money in mUSD; an absent limit does not apply. */
export type Limits = Readonly<{
  orderNotional?: Cash | undefined;
  /** Value of one symbol's position after the order. */
  positionNotional?: Cash | undefined;
  /** Value of all positions and of buys under way, after the order. */
  grossExposure?: Cash | undefined;
  ordersPerMinute?: number | undefined;
  /** Loss since the session's open at which only sells are sent. */
  dayLoss?: Cash | undefined;
  /** Largest distance of a limit price on the wrong side of the quote. */
  priceBandBps?: number | undefined;
  /** Largest premium of a token over its shares at which it is bought, and largest discount at which it is sold. */
  premiumBps?: number | undefined;
  /** Largest distance of a fill from every quote of its order's life without an alarm. Default: price band plus collar. */
  fillBandBps?: number | undefined;
  quoteAgeMs?: number | undefined;
  /** Largest move in percent from the last accepted price that needs no witness. Default: 15. */
  jumpPercent?: number | undefined;
  /** Highest total fee of an order, in hundredths of a percent of its notional. */
  feeBps?: number | undefined;
  /** Default: `drop`. A strategy's policy overrides the account's. */
  limitPolicy?: LimitPolicy | undefined;
  symbols?: Readonly<Record<string, SymbolLimits>> | undefined;
  /** Limits on groups of stocks, by group name. */
  groups?: Readonly<Record<string, GroupLimit>> | undefined;
  /** Value of one session's orders at which only sells are sent. Counts fills, and in full what is open or in doubt. */
  turnoverPerDay?: Cash | undefined;
  /**
   * Amount of one stock's buys in doubt that does not count against size limits: cancelled ones, and those of a DAY
   * that is over. Default: `positionNotional`, the stock's own if it has one.
   */
  doubt?: Cash | undefined;
  /** Value of all shares owed by deferred sells, including those under way. If unset, nothing is sold deferred. */
  debt?: Cash | undefined;
  outside?: OutsideLimits | undefined;
  drawdown?: DrawdownLimit | undefined;
  lossStreak?: LossStreakLimit | undefined;
  /** Pause of buys of a stock after a losing exit from it. */
  cooldown?: Readonly<{ minutes: number }> | undefined;
}>;

/** Effects of a kill file on open orders and positions. */
export const ON_KILL = ['leave', 'cancel', 'flatten'] as const;
export type OnKill = (typeof ON_KILL)[number];

/** Rules for external orders and transfers. Transfers have the owner they are booked to; null raises an alarm. */
export type ExternalRules = Readonly<{
  /** `count`: external open orders on the key count in the exposure, without an alarm. */
  orders: 'alarm' | 'count';
  deposits: StrategyId | null;
  withdrawals: StrategyId | null;
  stockMoves: StrategyId | null;
  /** Owner of the stock and cash that ended external orders have moved. Absent in the settings of 0.8.0 and earlier. */
  fills?: StrategyId | null;
}>;

/** Phases of one stock, and whether it trades in pre and post; absent: as for all others. */
type StockHours = Readonly<{ phases?: ReadonlySet<QuotePhase>; extendedHours?: boolean | undefined }>;

/** Phases in which orders are sent, if not only the regular session. */
export type TradeRules = Readonly<{
  /** Phases of strategies without their own setting, and of unallocated stock. */
  run: ReadonlySet<QuotePhase>;
  strategies: ReadonlyMap<string, ReadonlySet<QuotePhase>>;
  stocks: ReadonlyMap<Ticker, StockHours>;
  /** True if stocks trade in pre and post; absent: those that trade overnight do. */
  extendedHours?: boolean | undefined;
  /** End of a DAY order that reaches the venue outside the regular session; absent: unknown, so it counts as live the longest. */
  dayEnds?: DayReading | undefined;
}>;

/** Rules for making and checking orders. */
export type TradingRules = Readonly<{
  limits: Limits;
  /** Stricter limits of one strategy, by its id. */
  ownLimits: ReadonlyMap<string, Limits>;
  /** Contracts by stock, pinned by the config: orders use no other. */
  contracts?: ReadonlyMap<Ticker, Address>;
  /** Proxy wallet that One Click may send from, if pinned by the config or a person. */
  delegatee?: Address;
  /** Default: `leave`. */
  onKill?: OnKill;
  /** Absent: only the regular session. */
  trade?: TradeRules;
  /** Maximum that a buy by shares may pay above the quote, in bps. */
  collarBps: number;
  /** Lifetime of a send in ms, at most 120 s. */
  deadlineMs: number;
  /** Time in ms after its deadline at which an unanswered order is assumed never placed, without proof. */
  assumeGoneAfterMs?: number | undefined;
  /** True if the proceeds of an order are spent only once the balance shows them. */
  confirmsBalance?: boolean;
  /** Maximum age in ms of the last reads of orders and account for orders to be sent. */
  stateAgeMs?: number;
  /** Wait in ms after a failed order before the next of its strategy, symbol and side; doubled by each further failure. */
  failureSpacingMs?: number;
  /** True if the chain itself can be asked about an order that the venue does not show. Default: false. */
  readsChain?: boolean;
  /** True if the venue lists corporate actions. Default: false. */
  readsActions?: boolean;
  /** Rules for external orders and transfers. Default: always an alarm. */
  external?: ExternalRules;
  /** How dividends arrive. Default: in cash, nothing withheld. */
  dividends?: DividendRules;
  /** Default: `keep`. */
  exitDividends?: ExitDividends;
  /** Number of shares that each token stands for. Default: as stated by the venue. */
  tokenRatios?: TokenRatios;
  /** Fees of orders unless the venue states others: the documented ones, or those of a backtest. */
  fees: FeeSchedule;
  /**
   * True if a simulated venue answers every send at once, so that none is under way and deadlines need not differ.
   * Default: false.
   */
  answersAtOnce?: boolean;
  /** True for a simulated plain exchange, which accepts market buys of exact shares and prices off the tick. */
  plainExchange?: boolean;
}>;

/** Current exposure. Orders that are sent, unknown or working count as filled. */
export type Exposure = Readonly<{
  now: EpochMs;
  quote: Quote;
  /** Value at the quote, or at cost without a price; including buys under way, without the order being checked. */
  position: Cash;
  gross: Cash;
  ordersLastMinute: number;
  /** Negative when money was lost today. */
  dayProfit: Cash;
  /** Positions of the stock's groups, including buys under way; absent without such a limit. */
  groups?: ReadonlyMap<string, Cash>;
  /** Value of this session's orders, without the one being checked; absent without such a limit. */
  turnover?: Cash;
  /** Debt of deferred sells, without the order being checked; absent without such a limit. */
  debt?: OwedShares;
  /** Premium of the token; absent without such a limit, and for a protective sell. */
  premium?: Premium;
}>;

/** Value of the account's owed shares. `unpriced`: an owed stock without a known price, which the value leaves out. */
export type OwedShares = Readonly<{ value: Cash; unpriced: Ticker | null }>;

/** Names of limits that an order may break. */
export type LimitName = Exclude<
  keyof Limits,
  'limitPolicy' | 'symbols' | 'outside' | 'drawdown' | 'fillBandBps' | 'jumpPercent'
>;

export const LIMIT_CODES: Readonly<Record<LimitName | 'failureSpacing', EndCode>> = {
  orderNotional: 'ORDER_NOTIONAL',
  positionNotional: 'POSITION_NOTIONAL',
  grossExposure: 'GROSS_EXPOSURE',
  groups: 'GROUP_NOTIONAL',
  turnoverPerDay: 'TURNOVER',
  doubt: 'DOUBT',
  debt: 'DEBT',
  lossStreak: 'LOSS_STREAK',
  cooldown: 'COOLDOWN',
  ordersPerMinute: 'ORDERS_PER_MINUTE',
  dayLoss: 'DAY_LOSS',
  priceBandBps: 'PRICE_BAND',
  premiumBps: 'PREMIUM',
  quoteAgeMs: 'QUOTE_AGE',
  feeBps: 'FEE',
  failureSpacing: 'FAILURES',
};
