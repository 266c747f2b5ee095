/** Where an account stands at a session's close, in mUSD. */
export type MarkFigures = Readonly<{
  /** Of the session in New York, `YYYY-MM-DD`. */
  date: string;
  /** Epoch ms. */
  at: number;
  equity: number;
  /** What the shares are worth, by symbol. */
  positions: Readonly<Record<string, number>>;
  /** Deposits less withdrawals since the mark before. */
  flow?: number | undefined;
}>;

/** A round trip. Money in mUSD; instants in epoch ms, in the order of the ends. */
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
  /** What was staked on it in mUSD, by whoever set a stop. */
  risk?: number | undefined;
}>;

export type FillFigures = Readonly<{
  at: number;
  symbol: string;
  side: 'buy' | 'sell';
  shares: number;
  price: number;
  fees: number;
  /** What of the fees is for minting, where that is told apart. */
  mintFee?: number | undefined;
  /** What it was worse than the market's price, where that is known. */
  slippage?: number | undefined;
  /** Price at the decision, for a share of the fill, where that is known. */
  decisionPrice?: number | null | undefined;
}>;

/** Buying and holding: the price at the start, and at each mark (`null` before its first bar and after its last). */
export type BenchmarkFigures = Readonly<{
  symbol: string;
  start: number;
  closes: readonly (number | null)[];
}>;

/** What the statistics of a run are made of. */
export type RunFigures = Readonly<{
  /** Equity before the first session, at its open. */
  startEquity: number;
  marks: readonly MarkFigures[];
  trades: readonly TradeFigures[];
  fills: readonly FillFigures[];
  benchmark: BenchmarkFigures | null;
  /** Prices at each mark by symbol, to scale what its trades went through. */
  closes?: Readonly<Record<string, readonly (number | null)[]>>;
  /** How orders ended: `sent`, `filled`, `partlyFilled`, `expired` and `rejected`. */
  orders?: Readonly<Record<string, number>>;
}>;

export type StatisticsOptions = Readonly<{
  /** A year, as 0.04. Default 0. */
  riskFree?: number;
  /** Marks a year. Default 252. */
  marksPerYear?: number;
  /** Of the simulated paths. Default 0. */
  seed?: number;
  /**
   * Runs that this one was chosen from: how many, and the variance of their Sharpe ratios of one session. Default: as much as
   * that of the Sharpe ratio of one such run.
   */
  trials?: Readonly<{ count: number; variance?: number }> | undefined;
}>;

/** Why a metric is undefined. Never a number that stands for it. */
type Missing = Readonly<{ reason: string }>;

/** A metric: float64, or why there is none. */
export type Measure = number | Missing;

export const missing = (reason: string): Missing => ({ reason });

export const isNumber = (measure: Measure): measure is number => typeof measure === 'number';

/** What follows from a metric; of one that is undefined, why. */
export const from = (measure: Measure, make: (value: number) => Measure): Measure =>
  isNumber(measure) ? make(measure) : measure;

/** Below it a number is nothing but what float64 left over. */
export const NOTHING = 1e-12;

/** A quotient. @param name of the divisor, for the reason when it is 0 */
export const quotient = (dividend: number, divisor: number, name: string): Measure =>
  Math.abs(divisor) > NOTHING ? dividend / divisor : missing(`${name} is 0`);
