import { cash, formatDecimal, type Cash } from '../core/amount.ts';
import { amountOf } from '../domain/account/actionBook.ts';
import type { AccountState } from '../domain/account/accountState.ts';
import type { EngineContext } from '../engine/state/engineContext.ts';
import { earningsOf } from '../engine/state/exposure.ts';
import type { BacktestOrders } from './orderTally.ts';
import type { BacktestLog, Recorder, Mark } from './recorder.ts';
import type { Trade } from '../sim/roundTrips.ts';
import type { Trades, LimitOrder } from './trades.ts';
import { toIso } from '../core/brand.ts';
import type { OrderIntent } from '../domain/orders/orderIntent.ts';
import { hintsOf } from '../domain/orders/orderHints.ts';
import type { SyntheticOrder } from '../domain/orders/syntheticOrder.ts';
import type { BacktestEvent } from './actions.ts';
import type { Interval } from '../domain/bar.ts';
import type { Ticker } from '../domain/instrument.ts';
import type { SeriesRecord } from '../domain/plots.ts';
import type { BenchmarkFigures, TradeLots } from '../statistics/figures.ts';
import type { Metrics } from '../statistics/metrics.ts';
import type { EndedSymbol } from './delisting.ts';
import type { StatedModel, UnpaidDividend } from './options.ts';
import type { WarmUpGap } from '../engine/strategy/warmUp.ts';
import type { PhaseOutcome } from './phaseTally.ts';
import type { BacktestFill } from './rows.ts';

/** Orders and earnings of one strategy. Amounts in mUSD as exact decimals; fees are contained in the pnls. */
export type StrategyOutcome = Readonly<{
  id: string;
  orders: BacktestOrders;
  /** Intents that became no order, by reason. */
  dropped: Readonly<Record<string, number>>;
  /** Calls of `order`. */
  decisions: number;
  /** Targets that ended because there was no cash for an order. */
  notReached: number;
  /** Closed trades and payments to holders. */
  realisedPnl: string;
  /** Market value of its holdings at the end less their cost. */
  unrealisedPnl: string;
  /** Realised plus unrealised. */
  pnl: string;
  fees: string;
}>;

type Outcomes = Readonly<{
  strategies: readonly StrategyOutcome[];
  /** Targets that ended because there was no cash for an order; they count as done. */
  notReached: number;
  /** Likely reasons why a strategy traded less than intended. */
  hints: readonly string[];
  /** Earnings that belong to no strategy, such as a remainder of a split: with them the parts add up to the `pnl`. */
  unallocated: Readonly<{ pnl: string }>;
}>;

/** Closed trades whose first order has a tag. */
export type TagOutcome = Readonly<{
  tag: string;
  trades: number;
  /** mUSD, fees included. */
  pnl: string;
}>;

/** Closed trades by the tag of their first order, sorted by tag; untagged trades are left out. */
export function tagOutcomes({ closed }: Trades): TagOutcome[] {
  if (!closed.hasTags) return [];
  const byTag = new Map<string, { trades: number; pnl: bigint }>();
  for (const { entryTag, pnl } of closed.all) {
    if (entryTag === undefined) continue;
    const { trades, pnl: before } = byTag.get(entryTag) ?? { trades: 0, pnl: 0n };
    byTag.set(entryTag, { trades: trades + 1, pnl: before + pnl });
  }
  return [...byTag]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([tag, { trades, pnl }]) => ({ tag, trades, pnl: formatDecimal(pnl) }));
}

/** Splits a run's pnl by strategy. @param pnl of the whole run */
export function outcomesOf(
  ids: readonly string[],
  pnl: Cash,
  { context, recorder, trades }: Readonly<{ context: EngineContext; recorder: Recorder; trades: Trades }>,
): Outcomes {
  const earned = ids.map((id) => ({ id, ...earningsOf(context, id) }));
  const rest = earned.reduce<bigint>((left, own) => left - own.pnl, pnl);
  const strategies = earned.map(({ id, realised, unrealised, pnl: own }): StrategyOutcome => {
    const { orders, dropped, decisions, notReached } = recorder.of(id);
    return {
      id,
      orders,
      dropped,
      decisions,
      notReached,
      realisedPnl: formatDecimal(realised),
      unrealisedPnl: formatDecimal(unrealised),
      pnl: formatDecimal(own),
      fees: formatDecimal(trades.feesOf.get(id) ?? 0n),
    };
  });
  return {
    strategies,
    notReached: recorder.all.notReached,
    hints: strategies.flatMap((own) => hintsOf({ ...own, planned: own.orders.planned })),
    unallocated: { pnl: formatDecimal(cash(rest)) },
  };
}

/** Order still waiting at the end of the run, for an open or for a price. */
export type PendingOrder = Readonly<{
  strategy: string;
  symbol: string;
  /** Kind and terms: `sell X, quantity all`. */
  order: string;
  decidedAt: string;
  reason: string;
}>;

export const pendingOf = (intents: Iterable<OrderIntent>): PendingOrder[] =>
  [...intents].map((intent) => ({
    strategy: intent.strategyId,
    symbol: intent.symbol,
    order: exactTerms(intent),
    decidedAt: toIso(intent.at),
    reason: intent.reason,
  }));

type Exact = Readonly<{ symbol: Ticker; terms: OrderIntent['terms'] | SyntheticOrder['terms'] }>;

/** Kind, symbol and all terms in full precision: `buyShares X, quantity 10`; `target X, band 0, weight 1`. */
export function exactTerms({ symbol, terms: { kind, ...terms } }: Exact): string {
  const { to = {}, ...rest } = terms as Readonly<Record<string, unknown> & { to?: object }>;
  return [`${kind} ${symbol}`, ...exactParts({ ...rest, ...to })].join(', ');
}

/** Changed terms of an exit order, in full precision. */
export const exactChange = (id: string, { kind: _, ...terms }: SyntheticOrder['terms']): string =>
  [`adjust ${id}`, ...exactParts(terms)].join(', ');

/** Each value with its path of names: `stop 95`, `takeProfit percent 10`. */
const exactParts = (terms: object): string[] =>
  Object.entries(terms).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null
      ? exactParts(value).map((part) => `${name} ${part}`)
      : [`${name} ${typeof value === 'bigint' ? formatDecimal(value) : String(value)}`],
  );

export const unpaidOf = ({ unpaid }: AccountState['actions']): UnpaidDividend[] =>
  [...unpaid.values()].map((due) => {
    const { symbol, name: type, exDate, payableDate, perShare } = due.action;
    const cashPerShare = formatDecimal(perShare);
    return { symbol, type, exDate, payableDate, cashPerShare, amount: formatDecimal(amountOf(due)) };
  });

/** Result of a backtest. Times are ISO 8601 in UTC, amounts decimal strings. Metrics are computed when first read. */
export type BacktestResult = Readonly<{
  /** True if the prices are generated, not those of a market. */
  generated: boolean;
  strategy: string;
  params: unknown;
  symbols: readonly Ticker[];
  /** Bars played, without the warm-up. */
  bars: number;
  /** Warm-ups with bars missing before the first bar that counts. */
  warmUp: readonly WarmUpGap[];
  sessions: number;
  /** Number of marks a year: 252, or 52 where all bars are weekly. */
  marksPerYear: number;
  from: string;
  to: string;
  /** Hash of engine, code, config, data and seed. */
  runId: string;
  /** Closed round trips. */
  trades: number;
  orders: BacktestOrders;
  /** Synthetic orders: stops, brackets and others that the bot holds because the venue does not support them. */
  heldOrders: number;
  /** Bar lengths of each symbol; its orders fill on the first. */
  intervals: Readonly<Record<string, readonly Interval[]>>;
  /** Fill model of the run, with defaults filled in. */
  model: StatedModel;
  /** Intents that became no order, by reason, with amounts left out. */
  dropped: Readonly<Record<string, number>>;
  notReached: Outcomes['notReached'];
  hints: Outcomes['hints'];
  /** mUSD, with open positions at the last close: the sum of `pnl` over `strategies` and `unallocated`. */
  pnl: string;
  strategies: Outcomes['strategies'];
  unallocated: Outcomes['unallocated'];
  /** Absent if no trade has a tag. */
  tags?: readonly TagOutcome[];
  /** Trading by phase, in a run that trades outside the regular session. */
  phases?: readonly PhaseOutcome[];
  fees: string;
  /** Slippage against the market price in mUSD, included in the pnl like the fees. */
  slippage: string;
  /** Payments to holders in mUSD: part of the equity, but of no trade. */
  dividends: string;
  /** Payments in mUSD that holders have earned but not received by the end: part of the equity. */
  receivable: string;
  /** Payments due, listed one by one. */
  unpaid: readonly UnpaidDividend[];
  equity: Readonly<{ start: string; end: string }>;
  open: readonly Readonly<{ symbol: Ticker; quantity: string }>[];
  /** Orders still waiting at the end. */
  pending: readonly PendingOrder[];
  /** Symbols whose bars end before the run does. */
  ended: readonly EndedSymbol[];
  /** Value in mUSD, at the last price, of shares written off: a loss included in the pnl. */
  writtenOff: string;
  /** `null` where a metric is undefined. */
  metrics: Metrics['metrics'];
  /** Reasons for undefined metrics. */
  notes: Metrics['notes'];
  /** Source of the trade metrics: round trips or, where too few have closed, lots. */
  tradeMetricsFrom: Metrics['tradeMetricsFrom'];
  /** Milliseconds by stage. `report`: time of the metrics. */
  elapsedMs: Readonly<{ load: number; run: number; report: number }>;
  /** One for each session. */
  marks: readonly Mark[];
  tradeList: readonly Trade[];
  /** Lots of the fills, sold first in, first out. */
  lots: TradeLots;
  fills: readonly BacktestFill[];
  /** Limit orders that have rested in the market, ordered by end time. */
  limitOrders: readonly LimitOrder[];
  /** Lines that strategies have logged, at most 5,000; absent if there are none. */
  logs?: readonly BacktestLog[];
  /** Series that strategies have plotted, of at most 5,000 points each; absent if there are none. */
  plots?: readonly SeriesRecord[];
  /** Stop prices that the runner held, a series per order, null once triggered or ended. Absent if there were none. */
  stops?: readonly SeriesRecord[];
  /** Splits, write-offs and received payments. */
  events: readonly BacktestEvent[];
  /** Value of buy and hold, at each mark. */
  benchmark: BenchmarkFigures | null;
}>;
