import { formatDecimal, type Cash, type Price } from '../core/amount.ts';
import type { EpochMs } from '../core/brand.ts';
import type { StrategyId } from './account/ledger.ts';
import type { FeeSchedule } from './fees.ts';
import type { Address, Quote, Ticker } from './instrument.ts';
import type { OrderTerms } from './venue.ts';

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
  quoteAgeMs?: number | undefined;
  /** Highest fee of an order, all of it, in hundredths of a percent of its notional. */
  feeBps?: number | undefined;
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
  /** Most that a buy by shares may pay above the quote, in bps. */
  collarBps: number;
  /** Life of a send in ms, at most 120 s. */
  deadlineMs: number;
  /** Time in ms after its deadline at which an unanswered order is assumed never placed, without proof. */
  assumeGoneAfterMs?: number | undefined;
  /** True when proceeds of an order are spent only once the balance shows them. */
  confirmsBalance?: boolean;
  /** Greatest age in ms of the last read of orders and account at which orders are sent. */
  stateAgeMs?: number;
  /** Wait in ms after a failed order before the next of its strategy, symbol and side; doubled after each further failure. */
  failureSpacingMs?: number;
  /** True when the chain itself can be asked about an order that the venue does not show. Default no. */
  readsChain?: boolean;
  /** True when the venue lists corporate actions. Default no. */
  readsActions?: boolean;
  /** Rules for what another hand does. Default: an alarm of everything. */
  external?: ExternalRules;
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
  /** Value at the quote, with buys under way and without the order in question. */
  position: Cash;
  gross: Cash;
  /** Held stock without a known price: `gross` and `dayProfit` leave it out. */
  unpriced: Ticker | null;
  ordersLastMinute: number;
  /** Negative when money was lost today. */
  dayProfit: Cash;
}>;

export type LimitName = Exclude<keyof Limits, undefined>;
/** `failureSpacing`: an order like it has just failed. No config sets that. */
export type Breach = Readonly<{ limit: LimitName | 'failureSpacing'; message: string }>;

type Order = Readonly<{
  terms: OrderTerms;
  /** Value at the order's own price, or at the quote. */
  notional: Cash;
}>;

/** First limit that the order would break, or null. A sell only reduces, so no limit on holdings stops it. */
export function breachOf({ terms, notional }: Order, limits: Limits, at: Exposure): Breach | null {
  const order = { limit: 'orderNotional', what: 'order of', value: notional } as const;
  const position = {
    limit: 'positionNotional',
    what: `position in ${terms.symbol} of`,
    value: at.position + notional,
  } as const;
  const gross = { limit: 'grossExposure', what: 'gross exposure of', value: at.gross + notional } as const;
  const loss = { limit: 'dayLoss', what: "today's loss of", value: 0n - at.dayProfit } as const;
  const sums = terms.side === 'sell' ? [order] : [order, position, gross, loss];
  return (
    staleQuote(limits, at) ??
    tooMany(limits, at) ??
    outsideBand(terms, limits, at.quote.price) ??
    (terms.side === 'buy' ? uncounted(limits, at) : null) ??
    sums.map((sum) => over(limits, sum)).find((breach) => breach !== null) ??
    null
  );
}

type Sum = Readonly<{
  limit: 'orderNotional' | 'positionNotional' | 'grossExposure' | 'dayLoss';
  what: string;
  value: bigint;
}>;

function over(limits: Limits, { limit, what, value }: Sum): Breach | null {
  const max = limits[limit];
  if (max === undefined || value < max || (value === max && limit !== 'dayLoss')) return null;
  const how = value === max ? 'at' : 'over';
  const message = `${what} ${formatDecimal(value)} is ${how} the limit of ${formatDecimal(max)} (${limit})`;
  return { limit, message };
}

function staleQuote({ quoteAgeMs }: Limits, { now, quote }: Exposure): Breach | null {
  if (quoteAgeMs === undefined || now - quote.at <= quoteAgeMs) return null;
  const message = `the price of ${quote.symbol} is ${Math.round((now - quote.at) / 1000)} s old, over ${quoteAgeMs / 1000} s (quoteAgeMs)`;
  return { limit: 'quoteAgeMs', message };
}

/** Refusal for a position without a known price, which no limit can be checked against. */
function uncounted({ grossExposure, dayLoss }: Limits, { unpriced }: Exposure): Breach | null {
  if (unpriced === null || (grossExposure === undefined && dayLoss === undefined)) return null;
  const limit = grossExposure === undefined ? 'dayLoss' : 'grossExposure';
  return {
    limit,
    message: `no price of ${unpriced} is known, which is held: it cannot be counted (${limit})`,
  };
}

function tooMany({ ordersPerMinute }: Limits, { ordersLastMinute }: Exposure): Breach | null {
  if (ordersPerMinute === undefined || ordersLastMinute < ordersPerMinute) return null;
  const message = `${ordersLastMinute} orders in the last minute, at most ${ordersPerMinute} (ordersPerMinute)`;
  return { limit: 'ordersPerMinute', message };
}

/**
 * Check of a limit price that would give money away: a buy far above or a sell far below the market. The other side has no
 * bound.
 */
function outsideBand(terms: OrderTerms, { priceBandBps }: Limits, quoted: Price): Breach | null {
  if (priceBandBps === undefined || terms.type === 'market') return null;
  const slack = (quoted * BigInt(priceBandBps)) / 10_000n;
  const bad = terms.side === 'buy' ? terms.price > quoted + slack : terms.price < quoted - slack;
  if (!bad) return null;
  const message = `a ${terms.side} at ${formatDecimal(terms.price)} is more than ${priceBandBps} bps from the price of ${formatDecimal(quoted)} (priceBandBps)`;
  return { limit: 'priceBandBps', message };
}
