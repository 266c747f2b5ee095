import type { QuotePhase } from '../domain/instrument.ts';
import type { PlotPlace } from '../domain/plots.ts';

/**
 * Latest price. `at`: since when the run knows it; a price that does not move keeps it. `premiumBps`: premium of the token over its
 * shares, in hundredths of a percent, negative for a discount; null if it is not known, absent if a run reads no prices of tokens,
 * and in backtests.
 */
export type QuoteView = Readonly<{ price: number; at: number; premiumBps?: number | null }>;

/** Text that an address gave last. `at`: when the run had it, in epoch ms. */
export type FetchedView = Readonly<{ at: number; text: string }>;

/** Terms under which a stock trades. */
export type InstrumentView = Readonly<{
  /** Step of sizes in shares: 1 for a stock that trades in whole shares only. */
  step: number;
  /** Step of limit prices at the latest price. */
  tick: number;
  /** Minimum notional of an order, in mUSD. */
  minimum: number;
  fractionable: boolean;
  tradable: boolean;
  /** Phase in which its orders may be sent now, with its first and last instant; null while none may. */
  window: WindowView | null;
}>;

/** Phase in which orders are sent. Outside `regular` they are limit orders; see `outside` of an order. */
export type WindowView = Readonly<{ phase: QuotePhase; from: number; until: number }>;

/** Highest fees that the venue may take, in hundredths of a percent of the notional, by all that is known. */
export type FeeView = Readonly<{ buyBps: number; sellBps: number }>;

/** Limit on the orders of a strategy. Money in mUSD, the rest in the unit of its name. */
export type StrategyLimit = Readonly<{
  /** Key of the config, such as `dayLoss` or `symbols.AAPL.positionNotional`. */
  name: string;
  /** `run`: other strategies use it too. */
  scope: 'run' | 'strategy';
  limit: number;
  /** Part that this strategy alone uses now; null if an order decides. */
  used: number | null;
}>;

/** Fields beside a line of the log: flat, at most 20. */
export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

/**
 * Writes a line into the log of the run, its journal and the record of a backtest: at most 500 characters of text, 60 lines in a
 * minute. Does nothing during the warm-up.
 */
export type Log = (text: string, fields?: LogFields) => void;

/**
 * Records the present value of a series of its own, such as an average or a score, which reports and the page draw. NaN or an infinite
 * value leaves a gap. Kept is the last value of each minute; at most 100 series. Does nothing during the warm-up.
 */
export type Plot = (name: string, value: number, place?: PlotPlace) => void;

/** Split: `oldRate` shares have become `newRate`. Position, costs, prices and waiting orders are converted already. */
export type SplitView = Readonly<{
  symbol: string;
  oldRate: number;
  newRate: number;
  /** Shares that one share has become. */
  ratio: number;
  exDate: string;
}>;

/** Payment that has arrived. `amount`: of this strategy, in mUSD; `perShare`: as announced. */
export type DividendView = Readonly<{
  symbol: string;
  amount: number;
  perShare: number;
  exDate: string;
}>;
