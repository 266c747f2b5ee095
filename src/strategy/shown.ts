import type { QuotePhase } from '../domain/instrument.ts';
import type { PlotPlace } from '../domain/plots.ts';

/**
 * Latest price. `at`: since when the run has known it; an unchanged price keeps it. `premiumBps`: premium of the token
 * over its shares, in basis points, negative for a discount; null if unknown, absent if a run reads no token prices,
 * and in backtests.
 */
export type QuoteView = Readonly<{ price: number; at: number; premiumBps?: number | null }>;

/** Latest text of an address. `at`: when the run received it, in epoch ms. */
export type FetchedView = Readonly<{ at: number; text: string }>;

/** Terms under which a stock trades. */
export type InstrumentView = Readonly<{
  /** Size step in shares: 1 for a stock that trades in whole shares only. */
  step: number;
  /** Step of limit prices at the latest price. */
  tick: number;
  /** Minimum notional of an order, in mUSD. */
  minimum: number;
  fractionable: boolean;
  tradable: boolean;
  /** Phase in which its orders may be sent now, with its first and last instant; null if they may not. */
  window: WindowView | null;
}>;

/** Phase in which orders are sent. Outside `regular` only limit orders are; see `outside` of an order. */
export type WindowView = Readonly<{ phase: QuotePhase; from: number; until: number }>;

/** Highest fees that the venue may charge as far as known, in basis points of the notional. */
export type FeeView = Readonly<{ buyBps: number; sellBps: number }>;

/** Limit on the orders of a strategy. Money in mUSD, the rest in the unit of its name. */
export type StrategyLimit = Readonly<{
  /** Config key, such as `dayLoss` or `symbols.AAPL.positionNotional`. */
  name: string;
  /** `run`: shared with other strategies. */
  scope: 'run' | 'strategy';
  limit: number;
  /** Amount that this strategy alone uses now; null if it depends on the order. */
  used: number | null;
}>;

/** Additional fields of a log line: flat, at most 20. */
export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

/**
 * Writes a line to the log of the run, its journal and the record of a backtest: at most 500 characters of text, and 60
 * lines per minute. Does nothing during the warm-up.
 */
export type Log = (text: string, fields?: LogFields) => void;

/**
 * Records the current value of a custom series, such as an average or a score, for reports and the web page. NaN or
 * infinity leaves a gap. Keeps the last value of each minute; at most 100 series. Does nothing in the warm-up.
 */
export type Plot = (name: string, value: number, place?: PlotPlace) => void;

/** Split: `oldRate` shares have become `newRate`. Position, costs, prices and waiting orders are already converted. */
export type SplitView = Readonly<{
  symbol: string;
  oldRate: number;
  newRate: number;
  /** Shares that one share has become. */
  ratio: number;
  exDate: string;
}>;

/** Payment received. `amount`: this strategy's, in mUSD; `perShare`: as announced. */
export type DividendView = Readonly<{
  symbol: string;
  amount: number;
  perShare: number;
  exDate: string;
}>;
