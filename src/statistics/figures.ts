/** State of an account at a session's close, in mUSD. */
export type MarkFigures = Readonly<{
  /** Date of the session in New York, `YYYY-MM-DD`. */
  date: string;
  /** Epoch ms. */
  at: number;
  equity: number;
  /** Value of the shares held, by symbol. */
  positions: Readonly<Record<string, number>>;
  /** Deposits less withdrawals since the previous mark. */
  flow?: number | undefined;
  /** Equity just before and just after each flow, if known. */
  flowEquities?: readonly Readonly<{ before: number; after: number }>[] | undefined;
}>;

/** Round trip. Money in mUSD; times in epoch ms; ordered by end time. */
export type TradeFigures = Readonly<{
  strategy: string;
  symbol: string;
  entryAt: number;
  exitAt: number;
  shares: number;
  entryPrice: number;
  exitPrice: number;
  /** Fees included. */
  pnl: number;
  /** Maximum adverse and favourable excursion, as fractions of the entry price: at most 0, and at least 0. */
  mae: number;
  mfe: number;
  entryReason: string;
  exitReason: string;
  /** Amount at risk in mUSD, if a stop was set. */
  risk?: number | undefined;
}>;

export type FillFigures = Readonly<{
  at: number;
  symbol: string;
  side: 'buy' | 'sell';
  shares: number;
  price: number;
  fees: number;
  /** Mint fees, part of the fees, if known. */
  mintFee?: number | undefined;
  /** Slippage against the market price, if known. */
  slippage?: number | undefined;
  /** Price at the decision, per share of the fill, if known. */
  decisionPrice?: number | null | undefined;
}>;

/** Lot, or the rest of one, at the end of a run. `cost`: mUSD, fees included. */
export type OpenLot = Readonly<{
  strategy: string;
  symbol: string;
  at: number;
  shares: number;
  cost: number;
  reason: string;
}>;

/** Lots of a run: closed ones as trades, in order of their sales, and those still held. */
export type TradeLots = Readonly<{ closed: readonly TradeFigures[]; open: readonly OpenLot[] }>;

/** Buy and hold: price at the start, and at each mark (`null` before the first bar and after the last). */
export type BenchmarkFigures = Readonly<{
  symbol: string;
  start: number;
  closes: readonly (number | null)[];
}>;

/** Input of the statistics of a run. */
export type RunFigures = Readonly<{
  /** Equity at the open of the first session. */
  startEquity: number;
  marks: readonly MarkFigures[];
  trades: readonly TradeFigures[];
  /** Default: none. */
  lots?: TradeLots;
  fills: readonly FillFigures[];
  benchmark: BenchmarkFigures | null;
  /** Prices at each mark by symbol, in shares of the end of the run, used to scale the excursions of its trades. */
  closes?: Readonly<Record<string, readonly (number | null)[]>>;
  /** Number of orders by outcome: `sent`, `filled`, `partlyFilled`, `expired` and `rejected`. */
  orders?: Readonly<Record<string, number>>;
}>;

export type StatisticsOptions = Readonly<{
  /** Annual risk-free rate as a fraction, such as 0.04. Default 0. */
  riskFree?: number;
  /** Number of marks a year. Default 252. */
  marksPerYear?: number;
  /** Seed of the simulated paths. Default 0. */
  seed?: number;
  /**
   * Runs from which this one was selected: their number, and the variance of their Sharpe ratios per session. Default:
   * the variance of the Sharpe ratio of one such run.
   */
  trials?: Readonly<{ count: number; variance?: number }> | undefined;
}>;

/** Reason why a metric is undefined; never replaced by a number. */
export type Missing = Readonly<{ reason: string }>;

/** Metric as float64, or the reason why there is none. */
export type Measure = number | Missing;

export const missing = (reason: string): Missing => ({ reason });

export const isNumber = (measure: Measure): measure is number => typeof measure === 'number';

/** Maps a metric; an undefined one keeps its reason. */
export const from = (measure: Measure, make: (value: number) => Measure): Measure =>
  isNumber(measure) ? make(measure) : measure;

/** Largest float64 rounding error that counts as 0. */
export const NOTHING = 1e-12;

/** Quotient. @param name of the divisor, for the reason if it is 0 */
export const quotient = (dividend: number, divisor: number, name: string): Measure =>
  Math.abs(divisor) > NOTHING ? dividend / divisor : missing(`${name} is 0`);
