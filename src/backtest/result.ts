import type { Ticker } from '../domain/instrument.ts';
import type { BacktestOrders, Mark } from './recorder.ts';
import type { BacktestFill, Trade } from './trades.ts';

/** How a backtest went. Times are ISO 8601 in UTC, amounts decimal strings. */
export type BacktestResult = Readonly<{
  strategy: string;
  params: unknown;
  symbols: readonly Ticker[];
  /** Played, those of the warm-up not counted. */
  bars: number;
  sessions: number;
  from: string;
  to: string;
  /** The same for the same code, config, data and seed. */
  runId: string;
  /** Closed round trips. */
  trades: number;
  orders: BacktestOrders;
  /** mUSD, open positions at the last close. */
  pnl: string;
  fees: string;
  equity: Readonly<{ start: string; end: string }>;
  open: readonly Readonly<{ symbol: Ticker; quantity: string }>[];
  metrics: Readonly<Record<string, number | null>>;
  elapsedMs: Readonly<{ load: number; run: number; report: number }>;
  /** One for each session. */
  marks: readonly Mark[];
  tradeList: readonly Trade[];
  fills: readonly BacktestFill[];
}>;
