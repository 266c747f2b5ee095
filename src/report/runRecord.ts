import { z } from 'zod';
import { ConfigError } from '../core/errors.ts';
import { LEVELS_MAX, parseBounded } from '../core/nesting.ts';
import type { TradeLots } from '../statistics/figures.ts';
import type { Metrics } from '../statistics/metrics.ts';

const counts = z.record(z.string(), z.number());

const mark = z.object({
  /** Date of the session in New York, `YYYY-MM-DD`. */
  date: z.string(),
  at: z.number(),
  equity: z.number(),
  cash: z.number(),
  /** Value of held shares, by symbol. */
  positions: counts,
  /** Profit since the start by strategy, if there are several. */
  earned: counts.optional(),
  /** Deposits less withdrawals since the mark before; left out if there were none. */
  flow: z.number().optional(),
  /** Equity just before and just after each of them. */
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
  /** Furthest against and for it while it was held, as parts of the entry price: at most 0, and at least 0. */
  mae: z.number(),
  mfe: z.number(),
  bars: z.number(),
  entryReason: z.string(),
  exitReason: z.string(),
  /** Tags of its first order and of its last one, if they have one. */
  entryTag: z.string().optional(),
  exitTag: z.string().optional(),
});

/**
 * Part of a lot that a sell has closed; `entryPrice` is its cost a share with fees, `pnl` has all fees in it, and its excursions are by
 * the closes of sessions, as fractions of the cost a share.
 */
const lotTrade = trade.omit({ fees: true, bars: true, entryTag: true, exitTag: true });

/** Lot, or what is left of one, at the end of the run; `cost` with fees. */
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
  /** Mint fees, part of the fees. */
  mintFee: z.number().optional(),
  /** Slippage over all its shares, part of the price. */
  slippage: z.number().optional(),
  /** Price that the strategy was shown when it decided, for a share of the fill; null when there was none. */
  decisionPrice: z.number().nullable().optional(),
  /** Time of the decision; omitted when unknown. */
  decidedAt: z.number().optional(),
  reason: z.string(),
  tag: z.string().optional(),
});

const limitOrder = z.object({
  /** Times of its arrival in the market, and of its end. */
  from: z.number(),
  until: z.number(),
  strategy: z.string(),
  symbol: z.string(),
  side: z.enum(['buy', 'sell']),
  order: z.string(),
  shares: z.number(),
  limit: z.number(),
  /** Shares it got. */
  filled: z.number(),
  /** `filled`, `cancelled`, `expired` or `rejected`; `open` for one of a live run that still rests. */
  how: z.string(),
});

/** Series that a strategy has plotted. */
const plotSeries = z.object({
  strategy: z.string(),
  name: z.string(),
  /** Stock that it belongs to; null for one of the strategy as a whole. */
  symbol: z.string().nullable(),
  /** Panel that it is drawn in; null for one over the candles of its stock, or in a panel of its own. */
  panel: z.string().nullable(),
  at: z.array(z.number()),
  /** Null is a gap. */
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

/** Candles within sessions: `start` is that of their first bars. */
const intraday = candles.extend({ minutes: z.number() });

const earnings = { realisedPnl: z.string(), unrealisedPnl: z.string(), pnl: z.string(), fees: z.string() };

/** Orders and earnings of one strategy; fees are contained in the pnls, and `pnl` is both of them together. */
const strategyTotals = z.object({
  id: z.string(),
  orders: counts,
  /** Intents that became no order, by reason. */
  dropped: counts,
  decisions: z.number().optional(),
  notReached: z.number().optional(),
  ...earnings,
});

/** Earnings in one stock, exact, fees contained: of the strategies, without what the account held before. */
const symbolTotals = z.object({ symbol: z.string(), fills: z.number(), ...earnings });

/** Trading of one phase of the trading day, exact; the pnls add up to that of the run. */
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
  /** Price that was known then, for a present share; null when there was none. Omitted where it was not kept. */
  price: z.number().nullable().optional(),
  /** `done`, `cancelled` or `dropped`; null while it waits or its orders live. */
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
  /** Null for one that has not ended. */
  endedAt: z.number().nullable(),
  /** How it ended, or the state that it is in. */
  state: z.string(),
  /** Reason of an end without a fill, if it has one. */
  why: z.string(),
});

const run = z.object({
  /** True if the prices are generated. Omitted by older records. */
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
  /** Marks a year: 252, or 52 where all bars are weekly. */
  marksPerYear: z.number(),
  /** Lengths of the bars of each symbol; the first is the one by which its orders fill. */
  intervals: z.record(z.string(), z.array(z.string())).optional(),
  /** Other inputs that decided the outcome, by name. */
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
  /** Loss at the last price of shares written off; null if none can be. */
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
 * The record of a run: all that a report draws and a comparison compares, as plain JSON. Instants are epoch ms unless they are
 * texts (ISO 8601), money is mUSD, amounts in `totals` are exact decimals, and other numbers float64.
 */
export const runRecord = z.object({
  format: z.literal(1),
  run,
  totals: z.object({
    trades: z.number(),
    orders: counts,
    /** Intents that became no order, by reason. */
    dropped: counts.optional(),
    /** Targets that ended without the cash for an order. */
    notReached: z.number().optional(),
    pnl: z.string(),
    fees: z.string(),
    /** Loss of fills against the market's price; omitted when unknown. */
    slippage: z.string().optional(),
    /** Within `pnl`. */
    dividends: z.string().optional(),
    /** Dividends earned and not paid by the end, within `pnl`; omitted by older records. */
    receivable: z.string().optional(),
    /** A loss within `pnl`: at their last price, shares that were written off. */
    writtenOff: z.string().optional(),
    equity: z.object({ start: z.string(), end: z.string() }),
    open: z.array(z.object({ symbol: z.string(), quantity: z.string() })),
    /** Omitted by older records. */
    strategies: z.array(strategyTotals).optional(),
    /** Earnings of no strategy. */
    unallocated: z.object({ pnl: z.string() }).optional(),
    /** Earnings by stock, of a live run. */
    symbols: z.array(symbolTotals).optional(),
    /** Trading by phase, of a backtest that trades outside the session. */
    phases: z.array(phaseTotals).optional(),
    /** Money and stock that came less what went, without trading: `equity.end` less `equity.start` is `pnl` and `flows`. */
    flows: z.string().optional(),
    /** Stocks without a price: those of strategies count at their cost, others as nothing. */
    unpriced: z.array(z.string()).optional(),
  }),
  /** `null` where a metric is undefined; `notes` has the reason. */
  metrics: z.record(z.string(), z.number().nullable()),
  notes: z.record(z.string(), z.string()),
  /** One for each session, at its close; in a record of a journal that continues after a close, one more of its end. */
  marks: z.array(mark),
  /** Buying and holding one symbol: its price at the start, and at each mark (`null` before its first bar and after its last). */
  benchmark: z
    .object({ symbol: z.string(), start: z.number(), closes: z.array(z.number().nullable()) })
    .nullable(),
  trades: z.array(trade),
  /** Trades by lots, oldest lot first: a position that is never flat has some, too. Never part of `trades`. Omitted by older records. */
  lotTrades: z.array(lotTrade).optional(),
  openLots: z.array(openLot).optional(),
  /** Source of the metrics of trades: `trades`, or `lotTrades` where too few round trips have closed. */
  tradeMetricsFrom: z.enum(['trades', 'lots']).optional(),
  fills: z.array(fill),
  /** Decisions, each with its end. Omitted where they were not kept. */
  decisions: z.array(decision).optional(),
  /** All orders of a live run. */
  orderList: z.array(order).optional(),
  /** Orders that have rested in the market: the first price did not fill all of them. Omitted when unknown. */
  limitOrders: z.array(limitOrder).optional(),
  /** Lines that strategies have logged, at most 5,000. Omitted if there are none. */
  logs: z.array(logLine).optional(),
  /** Series that strategies have plotted, of at most 5,000 points each. Omitted if there are none. */
  plots: z.array(plotSeries).optional(),
  /** Prices of the stops that the runner has held, each named by its order; null from its trigger or its end on. Omitted if there are none. */
  stops: z.array(plotSeries).optional(),
  events: z.array(z.object({ at: z.number(), kind: z.string(), text: z.string() })),
  /** Orders still waiting at the end of the run. */
  pending: z.array(pendingOrder).optional(),
  /** Symbols whose bars end before the run does. */
  ended: z.array(endedSymbol).optional(),
  /** Likely reasons why a strategy traded less than it meant to. */
  hints: z.array(z.string()).optional(),
  /** Warm-ups of which bars were missing before the first one that counts. Omitted by older records. */
  warmUp: z.array(warmUpGap).optional(),
  /** The run repeated with one assumption changed; the first is the original. Omitted when not done. */
  sensitivity: z.array(variation).optional(),
  /** One candle for each session of a symbol. */
  candles: z.array(candles),
  /** Candles within sessions, of stocks that were traded on shorter bars. Omitted if there are none. */
  intraday: z.array(intraday).optional(),
});

export type RunRecord = z.output<typeof runRecord>;

const HOW = 'write one with `drover backtest … --save FILE.json`';

/**
 * Reads the record of a run.
 * @param file named in errors
 * @throws {ConfigError} with the place of invalid JSON, or of a value that does not fit
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

/** Lots of a record, and whether its metrics of trades are of them. */
export const lotRecord = (
  { closed, open }: TradeLots,
  tradeMetricsFrom: Metrics['tradeMetricsFrom'],
): Required<Pick<RunRecord, 'tradeMetricsFrom' | 'lotTrades' | 'openLots'>> => ({
  tradeMetricsFrom,
  lotTrades: closed.map(({ risk: _risk, ...trade }) => trade),
  openLots: [...open],
});

/** Metrics as JSON keeps them: without -0, so that a report of the run and one of its file show the same signs. */
export const savedMetrics = (metrics: Readonly<Record<string, number | null>>): RunRecord['metrics'] =>
  Object.fromEntries(Object.entries(metrics).map(([name, value]) => [name, value === 0 ? 0 : value]));
