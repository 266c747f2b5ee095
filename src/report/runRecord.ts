import { z } from 'zod';
import { ConfigError } from '../core/errors.ts';
import { LEVELS_MAX, parseBounded } from '../core/nesting.ts';
import type { TradeLots } from '../statistics/figures.ts';
import type { Metrics } from '../statistics/metrics.ts';

const counts = z.record(z.string(), z.number());

const mark = z.object({
  /** Session date in New York, `YYYY-MM-DD`. */
  date: z.string(),
  at: z.number(),
  equity: z.number(),
  cash: z.number(),
  /** Value of the shares held, by symbol. */
  positions: counts,
  /** Profit since the start by strategy, if there are several. */
  earned: counts.optional(),
  /** Deposits less withdrawals since the previous mark; omitted if there were none. */
  flow: z.number().optional(),
  /** Equity just before and just after each flow. */
  flowEquities: z.array(z.object({ before: z.number(), after: z.number() })).optional(),
});

const trade = z.object({
  strategy: z.string(),
  symbol: z.string(),
  entryAt: z.number(),
  exitAt: z.number(),
  shares: z.number(),
  entryPrice: z.number(),
  exitPrice: z.number(),
  fees: z.number(),
  /** Fees included. */
  pnl: z.number(),
  /** Adverse and favourable excursion while held, as fractions of the entry price: at most 0, and at least 0. */
  mae: z.number(),
  mfe: z.number(),
  bars: z.number(),
  entryReason: z.string(),
  exitReason: z.string(),
  /** Tags of the first and last orders, if they have one. */
  entryTag: z.string().optional(),
  exitTag: z.string().optional(),
});

/**
 * Part of a lot closed by a sell. `entryPrice` is its cost per share with fees, `pnl` includes all fees, and its
 * excursions are at session closes, as fractions of the cost per share.
 */
const lotTrade = trade.omit({ fees: true, bars: true, entryTag: true, exitTag: true });

/** Lot, or the rest of one, at the end of the run; `cost` includes fees. */
const openLot = z.object({
  strategy: z.string(),
  symbol: z.string(),
  at: z.number(),
  shares: z.number(),
  cost: z.number(),
  reason: z.string(),
});

const fill = z.object({
  at: z.number(),
  strategy: z.string(),
  symbol: z.string(),
  side: z.enum(['buy', 'sell']),
  order: z.string(),
  shares: z.number(),
  price: z.number(),
  fees: z.number(),
  /** Mint fees, included in the fees. */
  mintFee: z.number().optional(),
  /** Slippage over all its shares, included in the price. */
  slippage: z.number().optional(),
  /** Price that the strategy saw at the decision, per share of the fill; null if there was none. */
  decisionPrice: z.number().nullable().optional(),
  /** Time of the decision; omitted if unknown. */
  decidedAt: z.number().optional(),
  reason: z.string(),
  tag: z.string().optional(),
});

const limitOrder = z.object({
  /** Time of arrival in the market, and the time of its end. */
  from: z.number(),
  until: z.number(),
  strategy: z.string(),
  symbol: z.string(),
  side: z.enum(['buy', 'sell']),
  order: z.string(),
  shares: z.number(),
  limit: z.number(),
  /** Shares filled. */
  filled: z.number(),
  /** `filled`, `cancelled`, `expired` or `rejected`; `open` for an order of a live run that still rests. */
  how: z.string(),
});

/** Series plotted by a strategy. */
const plotSeries = z.object({
  strategy: z.string(),
  name: z.string(),
  /** Stock to which it belongs; null for a series of the whole strategy. */
  symbol: z.string().nullable(),
  /** Panel in which it is drawn; null for a series over the candles of its stock, or in its own panel. */
  panel: z.string().nullable(),
  at: z.array(z.number()),
  /** Null marks a gap. */
  values: z.array(z.number().nullable()),
});

const candles = z.object({
  symbol: z.string(),
  /** Open of each session. */
  start: z.array(z.number()),
  open: z.array(z.number()),
  high: z.array(z.number()),
  low: z.array(z.number()),
  close: z.array(z.number()),
  volume: z.array(z.number()),
});

/** Intraday candles; `start` is the start of their first bars. */
const intraday = candles.extend({ minutes: z.number() });

const earnings = { realisedPnl: z.string(), unrealisedPnl: z.string(), pnl: z.string(), fees: z.string() };

/** Orders and earnings of one strategy; the pnls include fees, and `pnl` is the sum of both. */
const strategyTotals = z.object({
  id: z.string(),
  orders: counts,
  /** Intents that became no order, by reason. */
  dropped: counts,
  decisions: z.number().optional(),
  notReached: z.number().optional(),
  ...earnings,
});

/** Earnings in one stock, exact, fees included: for the strategies, without what the account held before. */
const symbolTotals = z.object({ symbol: z.string(), fills: z.number(), ...earnings });

/** Trading in one phase of the day, exact; the pnls add up to that of the run. */
const phaseTotals = z.object({
  phase: z.string(),
  fills: z.number(),
  bought: z.string(),
  sold: z.string(),
  fees: z.string(),
  slippage: z.string(),
  pnl: z.string(),
});

/** Order intent of a strategy or a person. */
const decision = z.object({
  id: z.string(),
  at: z.number(),
  strategy: z.string(),
  symbol: z.string(),
  /** Null for a target that needed no order. */
  side: z.enum(['buy', 'sell']).nullable(),
  /** Kind and terms. */
  terms: z.string(),
  /** Price known then, per present share; null if there was none. Omitted if not recorded. */
  price: z.number().nullable().optional(),
  /** `done`, `cancelled` or `dropped`; null while it waits or has live orders. */
  end: z.string().nullable(),
  why: z.string(),
  reason: z.string(),
  tag: z.string().optional(),
});

const order = z.object({
  id: z.string(),
  decision: z.string(),
  strategy: z.string(),
  symbol: z.string(),
  side: z.enum(['buy', 'sell']),
  type: z.enum(['market', 'limit']),
  plannedAt: z.number(),
  /** Null if it has not ended. */
  endedAt: z.number().nullable(),
  /** Outcome, or current state. */
  state: z.string(),
  /** Reason for an end without a fill, if any. */
  why: z.string(),
});

const run = z.object({
  /** True if the prices are generated. Omitted in older records. */
  generated: z.boolean().optional(),
  kind: z.enum(['backtest', 'dry-run', 'live', 'emulator']),
  strategy: z.string(),
  params: z.unknown(),
  symbols: z.array(z.string()),
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  runId: z.string(),
  bars: z.number(),
  sessions: z.number(),
  seed: z.number(),
  /** Number of marks a year: 252, or 52 if all bars are weekly. */
  marksPerYear: z.number(),
  /** Bar lengths of each symbol; its orders fill on the first. */
  intervals: z.record(z.string(), z.array(z.string())).optional(),
  /** Other inputs that affect the result, by name. */
  settings: z.record(z.string(), z.string()),
});

const pendingOrder = z.object({
  strategy: z.string(),
  symbol: z.string(),
  /** Kind and terms. */
  order: z.string(),
  decidedAt: z.string(),
  reason: z.string(),
});

const logLine = z.object({
  at: z.number(),
  strategy: z.string(),
  text: z.string(),
  fields: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
});

const endedSymbol = z.object({
  symbol: z.string(),
  /** End of its last bar, ISO 8601. */
  lastBar: z.string(),
  price: z.number(),
  /** Shares held at the end of the run. */
  quantity: z.string(),
  /** Orders waiting for a price at the end of the run. */
  pending: z.number(),
  /** Loss at the last price on shares written off; null if nothing is written off. */
  writtenOff: z.string().nullable(),
});

const warmUpGap = z.object({
  strategy: z.string(),
  symbol: z.string(),
  interval: z.string(),
  needed: z.number(),
  had: z.number(),
  missing: z.number(),
});

const variation = z.object({
  name: z.string(),
  pnl: z.string(),
  trades: z.number(),
  maxDrawdown: z.number().nullable(),
  difference: z.string(),
});

/**
 * Record of a run: everything that a report shows or a comparison compares, as plain JSON. Times are epoch ms, or ISO
 * 8601 if they are texts; money is mUSD; amounts in `totals` are exact decimals, other numbers float64.
 */
export const runRecord = z.object({
  format: z.literal(1),
  run,
  totals: z.object({
    trades: z.number(),
    orders: counts,
    /** Intents that became no order, by reason. */
    dropped: counts.optional(),
    /** Targets that ended because there was no cash for an order. */
    notReached: z.number().optional(),
    pnl: z.string(),
    fees: z.string(),
    /** Slippage of the fills against the market price; omitted if unknown. */
    slippage: z.string().optional(),
    /** Included in `pnl`. */
    dividends: z.string().optional(),
    /** Dividends earned but not paid by the end, included in `pnl`; omitted in older records. */
    receivable: z.string().optional(),
    /** Value of shares written off, at their last price: a loss included in `pnl`. */
    writtenOff: z.string().optional(),
    equity: z.object({ start: z.string(), end: z.string() }),
    open: z.array(z.object({ symbol: z.string(), quantity: z.string() })),
    /** Omitted in older records. */
    strategies: z.array(strategyTotals).optional(),
    /** Earnings that belong to no strategy. */
    unallocated: z.object({ pnl: z.string() }).optional(),
    /** Earnings by stock, for a live run. */
    symbols: z.array(symbolTotals).optional(),
    /** Trading by phase, for a backtest that trades outside the session. */
    phases: z.array(phaseTotals).optional(),
    /** Net inflow of money and stock without trading: `equity.end` less `equity.start` is `pnl` plus `flows`. */
    flows: z.string().optional(),
    /** Stocks without a price: those of strategies count at cost, all others as zero. */
    unpriced: z.array(z.string()).optional(),
  }),
  /** `null` where a metric is undefined; `notes` has the reason. */
  metrics: z.record(z.string(), z.number().nullable()),
  notes: z.record(z.string(), z.string()),
  /** One for each session, at its close; if a journal continues after a close, one more at its end. */
  marks: z.array(mark),
  /** Buy and hold of one symbol: price at the start, and at each mark (`null` before its first bar, after its last). */
  benchmark: z
    .object({ symbol: z.string(), start: z.number(), closes: z.array(z.number().nullable()) })
    .nullable(),
  trades: z.array(trade),
  /** Trades by lots, first in, first out; never part of `trades`. A position need not be flat. Not in older records. */
  lotTrades: z.array(lotTrade).optional(),
  openLots: z.array(openLot).optional(),
  /** Source of the trade metrics: `trades`, or `lotTrades` if too few round trips have closed. */
  tradeMetricsFrom: z.enum(['trades', 'lots']).optional(),
  fills: z.array(fill),
  /** Decisions, each with its outcome. Omitted if not recorded. */
  decisions: z.array(decision).optional(),
  /** All orders of a live run. */
  orderList: z.array(order).optional(),
  /** Orders that rested in the market: the first price did not fill all of them. Omitted if unknown. */
  limitOrders: z.array(limitOrder).optional(),
  /** Lines logged by strategies, at most 5,000. Omitted if there are none. */
  logs: z.array(logLine).optional(),
  /** Series plotted by strategies, of at most 5,000 points each. Omitted if there are none. */
  plots: z.array(plotSeries).optional(),
  /** Stop prices that the runner held, a series per order, null once triggered or ended. Omitted if there are none. */
  stops: z.array(plotSeries).optional(),
  events: z.array(z.object({ at: z.number(), kind: z.string(), text: z.string() })),
  /** Orders still waiting at the end of the run. */
  pending: z.array(pendingOrder).optional(),
  /** Symbols whose bars end before the run does. */
  ended: z.array(endedSymbol).optional(),
  /** Likely reasons why a strategy traded less than intended. */
  hints: z.array(z.string()).optional(),
  /** Warm-ups with bars missing before the first bar that counts. Omitted in older records. */
  warmUp: z.array(warmUpGap).optional(),
  /** The run repeated with one assumption changed; the first is the original. Omitted if not done. */
  sensitivity: z.array(variation).optional(),
  /** One candle for each session of a symbol. */
  candles: z.array(candles),
  /** Intraday candles, for stocks traded on shorter bars. Omitted if there are none. */
  intraday: z.array(intraday).optional(),
});

export type RunRecord = z.output<typeof runRecord>;

const HOW = 'write one with `drover backtest … --save FILE.json`';

/**
 * Parses the record of a run.
 * @param file named in errors
 * @throws {ConfigError} with the location of invalid JSON, or of a value that does not fit
 */
export function parseRunRecord(text: string, file: string): RunRecord {
  const parsed = runRecord.safeParse(jsonOf(text, file));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.join('.') ?? '';
  throw new ConfigError(
    `${file} is not the record of a run: ${place === '' ? '' : `${place}: `}${issue?.message ?? ''}; ${HOW}`,
    { file, place },
  );
}

function jsonOf(text: string, file: string): unknown {
  try {
    return parseBounded(text, LEVELS_MAX);
  } catch (cause) {
    throw new ConfigError(`${file} is not the record of a run: it is not JSON; ${HOW}`, { file }, { cause });
  }
}

/** Lots of a record, and whether its trade metrics are based on them. */
export const lotRecord = (
  { closed, open }: TradeLots,
  tradeMetricsFrom: Metrics['tradeMetricsFrom'],
): Required<Pick<RunRecord, 'tradeMetricsFrom' | 'lotTrades' | 'openLots'>> => ({
  tradeMetricsFrom,
  lotTrades: closed.map(({ risk: _risk, ...trade }) => trade),
  openLots: [...open],
});

/** Metrics as JSON stores them: without -0, so that a report of the run and one of its file show the same signs. */
export const savedMetrics = (metrics: Readonly<Record<string, number | null>>): RunRecord['metrics'] =>
  Object.fromEntries(Object.entries(metrics).map(([name, value]) => [name, value === 0 ? 0 : value]));
