import type { TradingCalendar } from '../calendar/index.ts';
import { parseCash, type Cash } from '../core/amount.ts';
import { epochMs, type EpochMs } from '../core/brand.ts';
import type { Clock } from '../core/clock.ts';
import { ConfigError } from '../core/errors.ts';
import type { Interval } from '../domain/bar.ts';
import {
  dividendRulesOf,
  type DividendRules,
  type DividendWay,
  type ExDateBegin,
  type ExitDividends,
} from '../domain/corporateAction.ts';
import { ticker, type QuotePhase } from '../domain/instrument.ts';
import type { JournalEntry } from '../domain/journalEvent.ts';
import type { Limits } from '../domain/limits.ts';
import type { Rest } from '../domain/orders/orderIntent.ts';
import type { TokenPrice } from '../domain/premium.ts';
import type { CreateRuntime } from '../engine/strategy/strategyRuntime.ts';
import type { StoredAction } from '../market/manifest.ts';
import { mapColumns, type BarColumns } from '../domain/barColumns.ts';
import type { SeriesFile } from '../market/seriesCsv.ts';
import { type FeeSchedule, parseFees } from '../domain/fees.ts';
import { parseSlippage, type Slippage } from '../sim/slippage.ts';
import type { StrategyDefinition } from '../strategy/contract.ts';
import type { Delisted } from './delisting.ts';
import { OwnFill, requireFill, type UserFill } from './ownFill.ts';

/**
 * Fill model.
 *
 * - `venue`: like the venue. A buy of exact shares is a limit order with a collar, prices are on the tick, and the
 * result of an order is known some seconds later.
 * - `next-open`: a plain exchange. Orders of exact shares fill at the next bar's open; after the close, at the next
 * session's.
 * - `close`: a plain exchange. Orders fill at the close of the bar in which they arrive, `latencyMs` after they were
 * sent; without latency, at the close on which they were decided. The close of a session ends trading: orders decided
 * there fill at the first close of the next session.
 *
 * Orders placed during the last bar of a session, such as by a timer on daily bars, have no open left that day: they
 * fill at that bar's close.
 */
export type FillKind = 'venue' | 'next-open' | 'close';

/** Bars of one symbol and interval. `start` in epoch ms, ascending; a daily bar starts at its session's open. */
export type BacktestBars = Readonly<{ symbol: string; interval: Interval }> & BarColumns;

/**
 * Split or payment to holders, as the market data store keeps it. A `forward_split` or `reverse_split` turns `oldRate`
 * shares into `newRate`; a `cash_dividend` or `spin_off` pays `cashPerShare` in mUSD. Dates are days of the exchange.
 */
export type BacktestAction = Readonly<{ symbol: string; type: string; exDate: string }> &
  Partial<Omit<StoredAction, 'type' | 'exDate'>>;

/** Token prices read at an instant, valid until the stock's next reading. A token with a null price has none. */
export type TokenReading = Readonly<{ at: EpochMs; tokens: readonly TokenPrice[] }>;

/** Payment to holders, earned on its ex-date and paid later. `amount`: mUSD of all shares together. */
export type UnpaidDividend = Readonly<{
  symbol: string;
  type: string;
  exDate: string;
  payableDate: string | null;
  cashPerShare: string;
  amount: string;
}>;

/** Trading outside the regular session, in phases with bars. Only limit orders trade there, as in a live run. */
export type OutsideOptions = Readonly<{
  /** Default phases of strategies that name none. */
  trade: readonly QuotePhase[];
  /** Phases of single stocks, among those that their strategy trades. */
  stocks?: Readonly<Record<string, readonly QuotePhase[]>>;
  /** Bars outside the session, as long as the stock's shortest in it. Stocks without them trade only in the session. */
  bars: readonly BacktestBars[];
  /** Bars there as a live run has shown them to its strategies. Default: made from `bars`. */
  shown?: readonly BacktestBars[];
  /** Slippage in those phases, in the form of `slippage`. Default: the same as in the session. */
  slippage?: string;
  /** Stocks that trade in fractions of a share there. Default: none. */
  fractional?: readonly string[];
  /** Instant at which the ex-date of a payment begins. Default: `evening`. */
  exDates?: ExDateBegin;
}>;

export type BacktestStrategy = Readonly<{
  definition: StrategyDefinition;
  /** Default: the name of the strategy. */
  id?: string;
  params?: unknown;
  /** Capital in mUSD. Default: an equal part of the cash. */
  capital?: string;
  /** Limits of this strategy, narrower than those of the run. */
  limits?: Limits;
  /** Phases in which it trades, where `outside` is given. Default: those of the run. */
  trade?: readonly QuotePhase[];
  /** Treatment of stocks that its rebalances omit, unless a rebalance says otherwise. Default `sell`. */
  rest?: Rest | undefined;
  /** Files of the dated series that its `data` requests, by name. */
  series?: Readonly<Record<string, SeriesFile>>;
  /** Hash of its code, for the identity of the run. Default: the source of its functions. */
  codeHash?: string;
  /** Formats an error that its code threw. */
  explain?: (thrown: unknown) => string;
  /** Runs its code elsewhere. Default: in this thread, by the definition's `create`. */
  createRuntime?: CreateRuntime;
}>;

export type BacktestOptions = Readonly<{
  /** One strategy with all the cash; use `strategies` for several on one account. */
  strategy?: StrategyDefinition;
  params?: unknown;
  /** Files of the dated series of `strategy`, by name. */
  series?: Readonly<Record<string, SeriesFile>>;
  strategies?: readonly BacktestStrategy[];
  /** Raw prices, as traded, of the regular session. */
  bars: readonly BacktestBars[];
  /** Default: the regular session alone. */
  outside?: OutsideOptions | undefined;
  /** Corporate actions of the symbols above; others are ignored. Default: none. */
  actions?: readonly BacktestAction[];
  /** mUSD at the start, as a decimal. Default 100000. */
  cash?: string;
  /** Payments that the first strategy earned before the start: part of its equity, paid when due. Default: none. */
  unpaid?: readonly UnpaidDividend[];
  /** `venue` (default), `none` or `bps:10` of the notional on each side. */
  fees?: string;
  /** Default `venue`. A model of the user returns price and shares of each fill; the rest is as with `next-open`. */
  fill?: FillKind | UserFill;
  /** `none`, `bps:5`, `spread:0.5` or `volume:0.1`. Default: `spread:0.5` for `venue`, else `none`. */
  slippage?: string;
  /** Rule by which a resting limit fills: when the price reaches it, or only when it passes it. Default `touch`. */
  limitFill?: 'touch' | 'through';
  /** Largest share of a bar's volume that orders of one symbol may fill together, 0 to 1. Default: no limit. */
  volumeCap?: number;
  /** Latency from sending to the market, in ms. Default 0. */
  latencyMs?: number;
  /** Delay from a fill to its report, in ms. Default: 3500 for `venue`, which takes 2 to 5 s, else 0. */
  settlementMs?: number;
  /**
   * Rule for an order in the bar in which it arrived: it is unknown which of its prices came later. `worst` (default):
   * that bar cannot fill the order; `best`: it can.
   */
  ambiguous?: 'worst' | 'best';
  /**
   * How dividends are paid. `cash` (default): in mUSD; `tokens`: as shares at the last price before payment; `price`:
   * not at all, because the bars are adjusted for them.
   */
  dividends?: DividendWay;
  /** Exceptions for single stocks. */
  stockDividends?: Readonly<Record<string, DividendWay>>;
  /** Share of a payment that is withheld, in percent. Default 0. */
  withheldPercent?: number;
  /** Stops on the ex-date of a payment: lowered by it (`adjust`), or unchanged. Default `keep`. */
  exitDividends?: ExitDividends;
  /** Value of shares whose bars end before the run does. Default `last`. */
  delisted?: Delisted;
  /** Collar in basis points: how far above the quote a buy by shares may pay, for `venue`. Default 50. */
  collarBps?: number;
  limits?: Limits;
  /** Token prices as a live run read them, oldest first. Limits on premiums are simulated only with them. */
  tokenPrices?: readonly TokenReading[];
  /** First instant that counts; earlier bars warm the strategies up. Default: the first bar. */
  from?: EpochMs | number;
  /** End of the run, exclusive: bars that start at or after it are left out. */
  to?: EpochMs | number;
  /** True if the bars are generated; the results then say so. Default false. */
  generated?: boolean;
  /** Symbol of the benchmark (buy and hold), `none`, or the default `all`: all stocks in equal parts. */
  benchmark?: string;
  /** Annual risk-free rate as a fraction, 0.04 for 4 %; below 1. Used by the ratios. Default 0. */
  riskFree?: number;
  /** Number of runs this one was selected from, itself included, for the deflated Sharpe ratio. Default: unknown. */
  trials?: number;
  /** Variance of the annual Sharpe ratios of those runs. Default: that expected by chance for runs of this length. */
  trialVariance?: number;
  /**
   * Risk of a trade, for profits in units of risk: `bps:200` of the cost of its shares, as with a stop two percent
   * below, or `cash:100` in mUSD. Default: unknown.
   */
  initialRisk?: string;
  /** Part of the identity of the run. Default 0. */
  seed?: number;
  calendar?: TradingCalendar;
  /** Measures how long the run takes; never affects its results. */
  clock?: Clock;
  /** Called with each event, as a live run journals it. */
  onFact?: (entry: JournalEntry) => void;
  /** Called after the last session with the sales that would close all holdings at its close. */
  onEnd?: (sales: readonly SaleAtClose[]) => void;
  /** Called after each session or day of phases. `done` and `total` count bars; `equity`: at its end, in mUSD. */
  onProgress?: (progress: Readonly<{ done: number; total: number; equity: number }>) => void;
}>;

/** Sale of all shares of a stock at its last close. `sold`: shares that can fill; `price`: mUSD per share. */
export type SaleAtClose = Readonly<{ symbol: string; sold: number; price: number }>;

/** Market model of a backtest, with every default filled in. */
export type MarketModel = Readonly<{
  fill: FillKind;
  /** Fill model of the user; absent without one. */
  own?: OwnFill | undefined;
  fees: FeeSchedule;
  slippage: Slippage;
  /** Absent if it is the same as in the session. */
  slippageOutside?: Slippage;
  limitFill: 'touch' | 'through';
  volumeCap: number | null;
  latencyMs: number;
  settlementMs: number;
  ambiguous: 'worst' | 'best';
  delisted: Delisted;
  /** Absent for payments in full, in cash. */
  dividends?: DividendWay;
  stockDividends?: Readonly<Record<string, DividendWay>>;
  withheldPercent?: number;
  exitDividends?: 'adjust';
}>;

/** Market model as results show it, with fees and slippage in the syntax of the options. */
export type StatedModel = Omit<
  MarketModel,
  'fill' | 'own' | 'fees' | 'slippage' | 'slippageOutside' | 'stockDividends'
> &
  Readonly<{
    fill: string;
    fees: string;
    slippage: string;
    slippageOutside?: string;
    stockDividends?: string;
    /** Absent if there are no such limits, or if they are simulated. */
    premiumLimits?: 'not played';
  }>;

const SETTLEMENT_MS = 3_500;

/**
 * Parses the market options. @throws {InvalidValueError} for an unknown form
 * @throws {ConfigError} for a number out of its range
 */
export function modelOf(options: BacktestOptions): MarketModel {
  const { volumeCap = null, latencyMs = 0 } = options;
  const { fill, own } = fillOf(options);
  const isVenue = fill === 'venue';
  if (volumeCap !== null && !(volumeCap > 0 && volumeCap <= 1))
    throw new ConfigError(`volumeCap ${volumeCap}: write a fraction of the volume above 0, up to 1`);
  const settlementMs = options.settlementMs ?? (isVenue ? SETTLEMENT_MS : 0);
  for (const [name, ms] of Object.entries({ latencyMs, settlementMs }))
    if (!(ms >= 0)) throw new ConfigError(`${name} ${ms}: write 0 ms or more`);
  const slippage = parseSlippage(slippageOf(options));
  const outside = options.outside?.slippage;
  if (own && slippage.kind !== 'none')
    throw new ConfigError(`the fill model ${own.name} says the price of each fill: leave slippage out`);
  return {
    fill,
    ...(own && { own }),
    volumeCap,
    latencyMs,
    settlementMs,
    fees: parseFees(options.fees ?? 'venue'),
    slippage,
    ...(outside !== undefined && { slippageOutside: parseSlippage(outside) }),
    limitFill: options.limitFill ?? 'touch',
    ambiguous: options.ambiguous ?? 'worst',
    delisted: options.delisted ?? 'last',
    ...paymentsOf(options),
  };
}

function paymentsOf({
  dividends = 'cash',
  stockDividends,
  withheldPercent = 0,
  exitDividends,
}: BacktestOptions) {
  if (!(withheldPercent >= 0 && withheldPercent <= 100))
    throw new ConfigError(`withheldPercent ${withheldPercent}: write a number from 0 to 100`);
  return {
    ...(dividends === 'cash' ? {} : { dividends }),
    ...(stockDividends && Object.keys(stockDividends).length > 0 && { stockDividends }),
    ...(withheldPercent === 0 ? {} : { withheldPercent }),
    ...(exitDividends === 'adjust' && { exitDividends }),
  };
}

function fillOf({ fill = 'venue' }: BacktestOptions): Pick<MarketModel, 'fill' | 'own'> {
  if (typeof fill !== 'string') {
    requireFill(fill);
    return { fill: 'next-open', own: new OwnFill(fill) };
  }
  if (['venue', 'next-open', 'close'].includes(fill)) return { fill };
  throw new ConfigError(
    `fill "${fill}": write "venue", "next-open", "close" or the file of a model, such as "./fill.ts"`,
  );
}

export function statedModel(options: BacktestOptions): StatedModel {
  const { own, fill, stockDividends, slippageOutside: _, ...model } = modelOf(options);
  const { trade, slippage: slippageOutside, exDates } = options.outside ?? {};
  return {
    fill: own?.name ?? fill,
    ...model,
    ...(stockDividends && { stockDividends: JSON.stringify(stockDividends) }),
    fees: options.fees ?? 'venue',
    slippage: slippageOf(options),
    ...(slippageOutside !== undefined && { slippageOutside }),
    ...(trade && { trade: trade.join(', ') }),
    ...(exDates === 'open' && { exDates }),
    ...(leavesPremiums(options) && { premiumLimits: 'not played' }),
  };
}

const isPremium = ({ premiumBps, outside }: Limits): boolean =>
  premiumBps !== undefined || outside?.premiumBps !== undefined;

/** True if limits on premiums are not simulated, because token prices are missing. */
export const leavesPremiums = ({ limits = {}, strategies = [], tokenPrices }: BacktestOptions): boolean =>
  !tokenPrices && [limits, ...strategies.map(({ limits: own = {} }) => own)].some(isPremium);

export const slippageOf = ({ slippage, fill = 'venue' }: BacktestOptions): string =>
  slippage ?? (fill === 'venue' ? 'spread:0.5' : 'none');

/** Slippage of a phase. */
export const slippageIn = ({ slippage, slippageOutside }: MarketModel, isOutside: boolean): Slippage =>
  (isOutside && slippageOutside) || slippage;

const CASH = '100000';

export const cashOf = ({ cash = CASH }: BacktestOptions): Cash => parseCash(cash);

export type DividendOptions = Pick<BacktestOptions, 'dividends' | 'stockDividends' | 'withheldPercent'>;

export const dividendsOf = ({ stockDividends = {}, ...rest }: DividendOptions): DividendRules =>
  dividendRulesOf({
    ...rest,
    stocks: new Map(Object.entries(stockDividends).map(([symbol, way]) => [ticker(symbol), way])),
  });

/** First and last instant of the run. */
export const spanOf = ({ from, to }: BacktestOptions): Readonly<{ from: EpochMs; to: EpochMs }> => ({
  from: epochMs(from ?? -Infinity),
  to: epochMs(to ?? Infinity),
});

/** Bars that start before an instant. */
export function cutAt(columns: BarColumns, to: number): BarColumns {
  if ((columns.start.at(-1) ?? -Infinity) < to) return columns;
  const count = columns.start.findIndex((start) => start >= to);
  return mapColumns(columns, (column) => column.subarray(0, count));
}
