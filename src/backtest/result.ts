import type { BacktestEvent } from './actions.ts';
import type { Interval } from '../domain/bar.ts';
import type { Ticker } from '../domain/instrument.ts';
import type { BenchmarkFigures } from '../statistics/figures.ts';
import type { Metrics } from '../statistics/metrics.ts';
import type { Outcomes } from './byStrategy.ts';
import type { EndedSymbol } from './delisting.ts';
import type { StatedModel } from './options.ts';
import type { BacktestOrders } from './orderTally.ts';
import type { PendingOrder } from './pending.ts';
import type { Mark } from './recorder.ts';
import type { BacktestFill, LimitOrder, Trade } from './trades.ts';

/** How a backtest went. Times are ISO 8601 in UTC, amounts decimal strings. Metrics are worked out when they are first read. */
export type BacktestResult = Readonly<{
  strategy: string;
  params: unknown;
  symbols: readonly Ticker[];
  /** Played, those of the warm-up not counted. */
  bars: number;
  sessions: number;
  /** One mark a session: 252, or 52 where all bars are weekly. */
  marksPerYear: number;
  from: string;
  to: string;
  /** The same for the same engine, code, config, data and seed. */
  runId: string;
  /** Closed round trips. */
  trades: number;
  orders: BacktestOrders;
  /** Lengths of the bars of each symbol; the first is the one by which its orders fill. */
  intervals: Readonly<Record<string, readonly Interval[]>>;
  /** Fill model of the run, defaults filled in. */
  model: StatedModel;
  /** Wishes that became no order, by why: amounts in it are left out. */
  dropped: Readonly<Record<string, number>>;
  /** mUSD, open positions at the last close: the sum of `pnl` of `strategies` and `unallocated`. */
  pnl: string;
  strategies: Outcomes['strategies'];
  unallocated: Outcomes['unallocated'];
  fees: string;
  /** mUSD that fills were worse than the market's price: in the pnl as the fees are. */
  slippage: string;
  /** mUSD that payments to holders have brought: part of the equity, but of no trade. */
  dividends: string;
  equity: Readonly<{ start: string; end: string }>;
  open: readonly Readonly<{ symbol: Ticker; quantity: string }>[];
  /** Orders that still waited at the end. */
  pending: readonly PendingOrder[];
  /** Symbols whose bars end before the run does. */
  ended: readonly EndedSymbol[];
  /** mUSD at the last price of shares that were written off: a loss within the pnl. */
  writtenOff: string;
  /** `null` where a metric is undefined. */
  metrics: Metrics['metrics'];
  /** Why a metric is undefined, for those that are. */
  notes: Metrics['notes'];
  /** `report`: what the metrics took. */
  elapsedMs: Readonly<{ load: number; run: number; report: number }>;
  /** One for each session. */
  marks: readonly Mark[];
  tradeList: readonly Trade[];
  fills: readonly BacktestFill[];
  /** Limit orders that have stood in the market, in the order of their ends. */
  limitOrders: readonly LimitOrder[];
  /** Splits, and payments that have come. */
  events: readonly BacktestEvent[];
  /** Buying and holding, at each mark. */
  benchmark: BenchmarkFigures | null;
}>;
