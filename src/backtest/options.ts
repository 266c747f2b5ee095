import type { TradingCalendar } from '../calendar/index.ts';
import { parseCash, type Cash } from '../core/amount.ts';
import { epochMs, type EpochMs } from '../core/brand.ts';
import type { Clock } from '../core/clock.ts';
import { ConfigError } from '../core/errors.ts';
import type { Interval } from '../domain/bar.ts';
import type { JournalEntry } from '../domain/journalEvent.ts';
import type { Limits } from '../domain/limits.ts';
import type { CreateRuntime } from '../engine/strategy/strategyRuntime.ts';
import type { StoredAction } from '../market/manifest.ts';
import type { BarColumns } from '../market/series.ts';
import { type FeeSchedule, parseFees } from '../domain/fees.ts';
import { parseSlippage, type Slippage } from '../sim/slippage.ts';
import type { StrategyDefinition } from '../strategy/contract.ts';
import type { Delisted } from './delisting.ts';

/**
 * How orders meet the market.
 *
 * - `venue`: as the venue treats them. A buy of shares is a limit order with a collar, prices keep to the tick, and what an
 *   order moved is known some seconds after it.
 * - `next-open`: a plain exchange. Orders of exact shares fill at the open of the next bar, over the close at that of the
 *   next session.
 * - `close`: a plain exchange. Orders fill at the close of the bar that they reach, `latencyMs` after they were sent;
 *   without latency at the close on which they were decided. At the close of a session the market is shut: what is decided
 *   there fills at the first close of the next.
 *
 * What comes while the last bar of a session is under way, as from a timer on daily bars, finds no open any more that day:
 * it meets that bar's close.
 */
export type FillKind = 'venue' | 'next-open' | 'close';

/** Bars of one symbol and interval. `start` in epoch ms, ascending; a daily bar starts at its session's open. */
export type BacktestBars = Readonly<{ symbol: string; interval: Interval }> & BarColumns;

/**
 * A split or a payment to holders, as the store of market data keeps it. A `forward_split` or `reverse_split` turns `oldRate`
 * shares into `newRate`; a `cash_dividend` or `spin_off` pays `cashPerShare` in mUSD. Dates are days of the exchange.
 */
export type BacktestAction = Readonly<{ symbol: string; type: string; exDate: string }> &
  Partial<Omit<StoredAction, 'type' | 'exDate'>>;

export type BacktestStrategy = Readonly<{
  definition: StrategyDefinition;
  /** Default: the name of the strategy. */
  id?: string;
  params?: unknown;
  /** mUSD. Default: the cash in equal parts. */
  capital?: string;
  /** Narrower limits of this one. */
  limits?: Limits;
  /** Of the code it was made from, for the identity of the run. Default: what the functions read like. */
  codeHash?: string;
  /** What to say of an error that its code threw. */
  explain?: (thrown: unknown) => string;
  /** Where its code runs. Default: in this thread, by the definition's `create`. */
  createRuntime?: CreateRuntime;
}>;

export type BacktestOptions = Readonly<{
  /** One strategy on all the cash, or several on one account. */
  strategy?: StrategyDefinition;
  params?: unknown;
  strategies?: readonly BacktestStrategy[];
  /** Raw prices, as they were traded at. */
  bars: readonly BacktestBars[];
  /** Of the symbols above; others are left out. Default: none. */
  actions?: readonly BacktestAction[];
  /** mUSD at the start, as a decimal. Default 100000. */
  cash?: string;
  /** `venue` (default), `none` or `bps:10` of the notional on each side. */
  fees?: string;
  /** Default `venue`. */
  fill?: FillKind;
  /** `none`, `bps:5`, `spread:0.5` or `volume:0.1`. Default: `spread:0.5` for `venue`, else `none`. */
  slippage?: string;
  /** Rule by which a resting limit fills: when the price reaches it, or only when it passes it. Default `touch`. */
  limitFill?: 'touch' | 'through';
  /** Most of a bar's volume that orders of one symbol get together, 0 to 1. Default: no bound. */
  volumeCap?: number;
  /** From sending to the market, in ms. Default 0. */
  latencyMs?: number;
  /** From a fill to its report. Default: 3500 for `venue`, as its desk takes 2 to 5 s, else 0. */
  settlementMs?: number;
  /**
   * What to make of a bar in which an order arrived, as nobody knows whether its prices came before or after. `worst`
   * (default): it does not count for the order; `best`: all of it does.
   */
  ambiguous?: 'worst' | 'best';
  /** Worth of shares whose bars end before the run does. Default `last`. */
  delisted?: Delisted;
  /** How far above the quote a buy by shares may pay, for `venue`. Default 50. */
  collarBps?: number;
  limits?: Limits;
  /** First instant that counts; earlier bars warm the strategies up. Default: the first bar. */
  from?: EpochMs | number;
  /** Bars that start at or after it are left out. */
  to?: EpochMs | number;
  /** The symbol whose buying and holding a run is measured by, or `none`. Default: the one of the first bars. */
  benchmark?: string;
  /** A year, as 0.04 for 4 %; below 1. For ratios. Default 0. */
  riskFree?: number;
  /** How many runs this one was chosen from, itself among them, for the deflated Sharpe ratio. Default: not known. */
  trials?: number;
  /** Variance of the yearly Sharpe ratios of those runs. Default: as much as chance gives to runs of this length. */
  trialVariance?: number;
  /**
   * What a trade stakes, for its profit in units of risk: `bps:200` of what its shares cost, as with a stop two percent
   * below, or `cash:100` in mUSD. Default: not known.
   */
  initialRisk?: string;
  /** Part of the identity of the run. Default 0. */
  seed?: number;
  calendar?: TradingCalendar;
  /** Times the run; never decides anything. */
  clock?: Clock;
  /** Called with each fact, as a live run would write it down. */
  onFact?: (entry: JournalEntry) => void;
  /** Called after each session. `done` and `total` count bars. */
  onProgress?: (progress: Readonly<{ done: number; total: number }>) => void;
}>;

/** The market of a backtest, with every default filled in. */
export type MarketModel = Readonly<{
  fill: FillKind;
  fees: FeeSchedule;
  slippage: Slippage;
  limitFill: 'touch' | 'through';
  volumeCap: number | null;
  latencyMs: number;
  settlementMs: number;
  ambiguous: 'worst' | 'best';
  delisted: Delisted;
}>;

/** The same as results show it: fees and slippage in the words of the options. */
export type StatedModel = Omit<MarketModel, 'fees' | 'slippage'> &
  Readonly<{ fees: string; slippage: string }>;

const SETTLEMENT_MS = 3_500;

/** @throws {InvalidValueError} for a form that is not there, @throws {ConfigError} for a number out of its range */
export function modelOf(options: BacktestOptions): MarketModel {
  const { fill = 'venue', volumeCap = null, latencyMs = 0 } = options;
  const isVenue = fill === 'venue';
  if (!['venue', 'next-open', 'close'].includes(fill))
    throw new ConfigError(`fill "${fill}": write "venue", "next-open" or "close"`);
  if (volumeCap !== null && !(volumeCap > 0 && volumeCap <= 1))
    throw new ConfigError(`volumeCap ${volumeCap}: write a part of the volume above 0, up to 1`);
  const settlementMs = options.settlementMs ?? (isVenue ? SETTLEMENT_MS : 0);
  if (!(latencyMs >= 0) || !(settlementMs >= 0)) throw new ConfigError('a delay is 0 ms or more');
  return {
    fill,
    volumeCap,
    latencyMs,
    settlementMs,
    fees: parseFees(options.fees ?? 'venue'),
    slippage: parseSlippage(slippageOf(options)),
    limitFill: options.limitFill ?? 'touch',
    ambiguous: options.ambiguous ?? 'worst',
    delisted: options.delisted ?? 'last',
  };
}

export const statedModel = (options: BacktestOptions): StatedModel => ({
  ...modelOf(options),
  fees: options.fees ?? 'venue',
  slippage: slippageOf(options),
});

export const slippageOf = ({ slippage, fill = 'venue' }: BacktestOptions): string =>
  slippage ?? (fill === 'venue' ? 'spread:0.5' : 'none');

const CASH = '100000';

export const cashOf = ({ cash = CASH }: BacktestOptions): Cash => parseCash(cash);

/** First and last instant that count. */
export const spanOf = ({ from, to }: BacktestOptions): Readonly<{ from: EpochMs; to: EpochMs }> => ({
  from: epochMs(from ?? -Infinity),
  to: epochMs(to ?? Infinity),
});
