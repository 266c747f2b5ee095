import type { Cash } from '../core/amount.ts';
import type { EpochMs } from '../core/brand.ts';
import type { StrategyId } from './account/ledger.ts';
import type { DividendRules, ExitDividends } from './corporateAction.ts';
import type { FeeSchedule } from './fees.ts';
import type { Address, DayReading, Quote, QuotePhase, Ticker } from './instrument.ts';
import type { EndCode } from './orders/endCode.ts';
import type { Premium, TokenRatios } from './premium.ts';

/** Policy for an order over a limit on sizes: it is dropped, or cut to what the limit allows. */
export const LIMIT_POLICIES = ['drop', 'reduce'] as const;
export type LimitPolicy = (typeof LIMIT_POLICIES)[number];

export type SymbolLimits = Pick<Limits, 'orderNotional' | 'positionNotional'>;

/** Limit on several stocks together. `positionNotional`: value of their positions after the order. */
export type GroupLimit = Readonly<{ symbols: readonly string[]; positionNotional: Cash }>;

/** Pause of buys after losing exits in a row: minutes from the last of them, or until the close of its session. */
export type LossStreakLimit = Readonly<{ trades: number; pause: 'session' | Readonly<{ minutes: number }> }>;

/** Action of a limit of drawdown: only sells from then on, or sells everything. */
export const DRAWDOWN_ACTIONS = ['reduce', 'flatten'] as const;

/** Largest fall of equity from its peak: in percent of the peak (5 is 5 %), or in mUSD. Exactly one of them is set. */
export type DrawdownLimit = Readonly<{
  percent?: number | undefined;
  amount?: Cash | undefined;
  action: (typeof DRAWDOWN_ACTIONS)[number];
}>;

/** Limits outside the regular session, in place of those of the day. `collarBps`: furthest of a limit made of a market order from the quote. */
export type OutsideLimits = Pick<
  Limits,
  'orderNotional' | 'positionNotional' | 'grossExposure' | 'priceBandBps' | 'premiumBps' | 'quoteAgeMs'
> &
  Readonly<{ collarBps?: number | undefined }>;

/** Limits that every send is checked against. Money in mUSD; an absent limit does not bind. */
export type Limits = Readonly<{
  orderNotional?: Cash | undefined;
  /** Value of one symbol's position after the order. */
  positionNotional?: Cash | undefined;
  /** Value of all positions and of buys under way, after the order. */
  grossExposure?: Cash | undefined;
  ordersPerMinute?: number | undefined;
  /** Loss since the session's open from which on only sells are sent. */
  dayLoss?: Cash | undefined;
  /** Largest distance of a limit price on the wrong side of the quote. */
  priceBandBps?: number | undefined;
  /** Largest premium of a token over its shares at which it is bought, and largest discount at which it is sold. */
  premiumBps?: number | undefined;
  /** Furthest that a fill may be from every quote of its order's life without an alarm. Default: price band and collar. */
  fillBandBps?: number | undefined;
  quoteAgeMs?: number | undefined;
  /** Largest move in percent from the last accepted price that needs no second witness. Default: 15. */
  jumpPercent?: number | undefined;
  /** Highest fee of an order, all of it, in hundredths of a percent of its notional. */
  feeBps?: number | undefined;
  /** Default: `drop`. That of a strategy goes before that of the account. */
  limitPolicy?: LimitPolicy | undefined;
  symbols?: Readonly<Record<string, SymbolLimits>> | undefined;
  /** Limits on groups of stocks, by a name of their own. */
  groups?: Readonly<Record<string, GroupLimit>> | undefined;
  /** Value of the orders of one session, from which on only sells are sent. What they fill counts, and whole what is open or in doubt. */
  turnoverPerDay?: Cash | undefined;
  /**
   * Amount of one stock's buys in doubt that does not count against the sizes: cancelled ones, and those of a DAY that is over. Default:
   * `positionNotional`, that of the stock if it has its own.
   */
  doubt?: Cash | undefined;
  /** Value of all shares that deferred sells owe, those under way included. Without one nothing is sold deferred. */
  debt?: Cash | undefined;
  outside?: OutsideLimits | undefined;
  drawdown?: DrawdownLimit | undefined;
  lossStreak?: LossStreakLimit | undefined;
  /** Pause of buys of a stock after an exit of it at a loss. */
  cooldown?: Readonly<{ minutes: number }> | undefined;
}>;

/** Policy for the moment at which a kill file appears: what becomes of open orders and positions. */
export const ON_KILL = ['leave', 'cancel', 'flatten'] as const;
export type OnKill = (typeof ON_KILL)[number];

/** Rules for orders and transfers of another hand. A transfer has the owner that it is booked to; null for an alarm. */
export type ExternalRules = Readonly<{
  /** `count`: open orders of others on the key count in the exposure, without an alarm. */
  orders: 'alarm' | 'count';
  deposits: StrategyId | null;
  withdrawals: StrategyId | null;
  stockMoves: StrategyId | null;
  /** Owner of what ended orders of others have bought and sold. Absent in the settings of 0.8.0 and before. */
  fills?: StrategyId | null;
}>;

/** Phases of one stock, and whether it trades in pre and post; absent: as all others. */
type StockHours = Readonly<{ phases?: ReadonlySet<QuotePhase>; extendedHours?: boolean | undefined }>;

/** Phases in which orders are sent, if they are others than the regular session alone. */
export type TradeRules = Readonly<{
  /** Phases of strategies without their own, and of unallocated stock. */
  run: ReadonlySet<QuotePhase>;
  strategies: ReadonlyMap<string, ReadonlySet<QuotePhase>>;
  stocks: ReadonlyMap<Ticker, StockHours>;
  /** True if stocks trade in pre and post; absent: those that trade overnight do. */
  extendedHours?: boolean | undefined;
  /** End of a DAY order that reaches the venue outside the regular session; absent: not known, so it counts as live until the latest. */
  dayEnds?: DayReading | undefined;
}>;

/** Rules for making and checking orders. */
export type TradingRules = Readonly<{
  limits: Limits;
  /** Narrower limits of one strategy, by its id. */
  ownLimits: ReadonlyMap<string, Limits>;
  /** Contracts by stock that the config pins: orders name no other. */
  contracts?: ReadonlyMap<Ticker, Address>;
  /** Proxy wallet that One Click may send by, where the config or a person has pinned it. */
  delegatee?: Address;
  /** Default: `leave`. */
  onKill?: OnKill;
  /** Absent: the regular session alone. */
  trade?: TradeRules;
  /** Maximum that a buy by shares may pay above the quote, in bps. */
  collarBps: number;
  /** Life of a send in ms, at most 120 s. */
  deadlineMs: number;
  /** Time in ms after its deadline at which an unanswered order is assumed never placed, without proof. */
  assumeGoneAfterMs?: number | undefined;
  /** True when proceeds of an order are spent only once the balance shows them. */
  confirmsBalance?: boolean;
  /** Maximum age in ms of the last read of orders and account at which orders are sent. */
  stateAgeMs?: number;
  /** Wait in ms after a failed order before the next of its strategy, symbol and side; doubled after each further failure. */
  failureSpacingMs?: number;
  /** True when the chain itself can be asked about an order that the venue does not show. Default no. */
  readsChain?: boolean;
  /** True when the venue lists corporate actions. Default no. */
  readsActions?: boolean;
  /** Rules for what another hand does. Default: an alarm of everything. */
  external?: ExternalRules;
  /** How dividends come. Default: in cash, nothing withheld. */
  dividends?: DividendRules;
  /** Default: `keep`. */
  exitDividends?: ExitDividends;
  /** Shares that tokens stand for. Default: as the venue states it. */
  tokenRatios?: TokenRatios;
  /** Fees that orders cost where the venue states no others: the documented ones, or those of a backtest. */
  fees: FeeSchedule;
  /**
   * True when a simulated venue answers every send at once, so that none is under way and deadlines need not differ.
   * Default: false.
   */
  answersAtOnce?: boolean;
  /** True for a simulated plain exchange, which takes market buys of exact shares and prices off the tick. */
  plainExchange?: boolean;
}>;

/** Current exposure. Orders that are sent, unknown or working count as if they had filled. */
export type Exposure = Readonly<{
  now: EpochMs;
  quote: Quote;
  /** Value at the quote, or at cost without a price; with buys under way and without the order in question. */
  position: Cash;
  gross: Cash;
  ordersLastMinute: number;
  /** Negative when money was lost today. */
  dayProfit: Cash;
  /** Positions of the groups that the stock is in, buys under way included; absent without such a limit. */
  groups?: ReadonlyMap<string, Cash>;
  /** Value of this session's orders, without the one in question; absent without such a limit. */
  turnover?: Cash;
  /** Debt of deferred sells, without the order in question; absent without such a limit. */
  debt?: OwedShares;
  /** Premium of the token; absent without such a limit, and for a sell that protects. */
  premium?: Premium;
}>;

/** Value of the shares of the account that are owed. `unpriced`: owed ones without a known price, which the value leaves out. */
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
