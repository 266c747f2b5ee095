/** State of an account at a session's close, in mUSD. */
export type MarkFigures = Readonly<{
  /** Date of the session in New York, `YYYY-MM-DD`. */
  date: string;
  /** Epoch ms. */
  at: number;
  equity: number;
  /** Value of the shares, by symbol. */
  positions: Readonly<Record<string, number>>;
  /** Deposits less withdrawals since the mark before. */
  flow?: number | undefined;
  /** Equity just before and just after each of them, if that is known. */
  flowEquities?: readonly Readonly<{ before: number; after: number }>[] | undefined;
}>;

/** Round trip. Money in mUSD; instants in epoch ms, in the order of the ends. */
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
  /** Furthest against and for it, as parts of the entry price: at most 0, and at least 0. */
  mae: number;
  mfe: number;
  entryReason: string;
  exitReason: string;
  /** Amount at risk in mUSD, where a stop was set. */
  risk?: number | undefined;
}>;

export type FillFigures = Readonly<{
  at: number;
  symbol: string;
  side: 'buy' | 'sell';
  shares: number;
  price: number;
  fees: number;
  /** Part of the fees that is for minting, if it is known. */
  mintFee?: number | undefined;
  /** Slippage against the market's price, if that is known. */
  slippage?: number | undefined;
  /** Price at the decision, for a share of the fill, if that is known. */
  decisionPrice?: number | null | undefined;
}>;

/** Lot, or what is left of one, at the end of a run. `cost`: mUSD, fees included. */
export type OpenLot = Readonly<{
  strategy: string;
  symbol: string;
  at: number;
  shares: number;
  cost: number;
  reason: string;
}>;

/** Lots of a run: the closed ones as trades, in the order of their sales, and those that are still held. */
export type TradeLots = Readonly<{ closed: readonly TradeFigures[]; open: readonly OpenLot[] }>;

/** Buying and holding: the price at the start, and at each mark (`null` before its first bar and after its last). */
export type BenchmarkFigures = Readonly<{
  symbol: string;
  start: number;
  closes: readonly (number | null)[];
}>;

/** Input of the statistics of a run. */
export type RunFigures = Readonly<{
  /** Equity before the first session, at its open. */
  startEquity: number;
  marks: readonly MarkFigures[];
  trades: readonly TradeFigures[];
  /** Default: none. */
  lots?: TradeLots;
  fills: readonly FillFigures[];
  benchmark: BenchmarkFigures | null;
  /** Prices at each mark by symbol, in shares of the end, to scale the excursions of its trades. */
  closes?: Readonly<Record<string, readonly (number | null)[]>>;
  /** Number of orders by their end: `sent`, `filled`, `partlyFilled`, `expired` and `rejected`. */
  orders?: Readonly<Record<string, number>>;
}>;

export type StatisticsOptions = Readonly<{
  /** Annual rate as a fraction, as 0.04. Default 0. */
  riskFree?: number;
  /** Marks a year. Default 252. */
  marksPerYear?: number;
  /** Seed of the simulated paths. Default 0. */
  seed?: number;
  /**
   * Runs that this one was chosen from: how many, and the variance of their Sharpe ratios of one session. Default: as much as
   * that of the Sharpe ratio of one such run.
   */
  trials?: Readonly<{ count: number; variance?: number }> | undefined;
}>;

/** Reason why a metric is undefined. Never a substitute number. */
export type Missing = Readonly<{ reason: string }>;

/** Metric as float64, or the reason why there is none. */
export type Measure = number | Missing;

export const missing = (reason: string): Missing => ({ reason });

export const isNumber = (measure: Measure): measure is number => typeof measure === 'number';

/** Maps a metric; an undefined one keeps its reason. */
export const from = (measure: Measure, make: (value: number) => Measure): Measure =>
  isNumber(measure) ? make(measure) : measure;

/** Largest magnitude of a float64 rounding error, which counts as 0. */
export const NOTHING = 1e-12;

/** Quotient. @param name of the divisor, for the reason when it is 0 */
export const quotient = (dividend: number, divisor: number, name: string): Measure =>
  Math.abs(divisor) > NOTHING ? dividend / divisor : missing(`${name} is 0`);
