import { actionsOf } from '../../backtest/actions.ts';
import {
  cashOf,
  modelOf,
  type BacktestOptions,
  statedModel,
  type BacktestBars,
} from '../../backtest/options.ts';
import { rulesOf, strategiesOf } from '../../backtest/setup.ts';
import { tradingCalendar, type TradingCalendar } from '../../calendar/index.ts';
import { formatDecimal, toNumber } from '../../core/amount.ts';
import { isTree } from '../../core/nesting.ts';
import { hashHex } from '../../core/random.ts';
import { VERSION } from '../../core/version.ts';
import { hashColumns } from '../../market/columns.ts';
import { hashRows } from '../../market/datedSeries.ts';
import { epochMs } from '../../core/brand.ts';
import type { BacktestResult } from '../../backtest/result.ts';
import { CandleSeries, intradayCandles, type CandleBar } from '../../report/candleSeries.ts';
import { lotRecord, savedMetrics, type RunRecord } from '../../report/runRecord.ts';
import { INTERVAL_MS } from '../../domain/bar.ts';
import { barEnd } from '../../market/series.ts';

type Lines = readonly (readonly [name: string, value: string])[];

/** Inputs of a run besides the market's model: hashes of code, data and actions, and the limits of the strategies. */
function inputsOf(options: BacktestOptions): Record<string, string> {
  const { limits, ownLimits, collarBps } = rulesOf(options, { model: modelOf(options), tapes: [] });
  return Object.fromEntries([
    ['engine', VERSION],
    ...strategiesOf(options, cashOf(options)).flatMap(({ id, codeHash, capital, series }): Lines => [
      [`code ${id}`, digest(codeHash)],
      [`capital ${id}`, formatDecimal(capital)],
      ...[...(series ?? [])].map(([name, rows]): Lines[number] => [`series ${id} ${name}`, hashRows(rows)]),
    ]),
    ...limitsOf('limits', limits),
    ...[...ownLimits].flatMap(([id, own]) => limitsOf(`limits ${id}`, own)),
    ['collarBps', String(collarBps)],
    ...options.bars.map(({ symbol, interval, ...columns }): Lines[number] => [
      `data ${symbol} ${interval}`,
      hashColumns(columns),
    ]),
    ...(options.outside?.bars ?? []).map(({ symbol, interval, ...columns }): Lines[number] => [
      `data ${symbol} ${interval} outside`,
      hashColumns(columns),
    ]),
    ['actions', actionsText(options)],
  ]);
}

const limitsOf = (name: string, limits: Readonly<Record<string, unknown>>): Lines =>
  Object.entries(limits).flatMap(([limit, bound]): Lines => {
    const path = `${name}.${limit}`;
    if (bound === undefined) return [];
    if (isTree(bound)) return limitsOf(path, bound);
    return [[path, typeof bound === 'bigint' ? formatDecimal(bound) : boundText(bound)]];
  });

const boundText = (bound: unknown): string =>
  Array.isArray(bound) ? bound.join(', ') : `${bound as number}`;

/** Corporate actions within the run: their number, and their terms. */
function actionsText(options: BacktestOptions): string {
  const actions = actionsOf(options, options.calendar ?? tradingCalendar);
  if (actions.length === 0) return 'none';
  const text = JSON.stringify(actions, (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return `${actions.length}, ${digest(text)}`;
}

const digest = (text: string): string => hashHex(text).slice(2, 34);

/** A backtest as a record, for reports and comparisons. */
export function recordOf(result: BacktestResult, options: BacktestOptions): RunRecord {
  const { marks, benchmark } = result;
  return {
    format: 1,
    run: runOf(result, options),
    totals: totalsOf(result),
    metrics: savedMetrics(result.metrics),
    notes: result.notes,
    marks: [...marks],
    benchmark: benchmark && { ...benchmark, closes: [...benchmark.closes] },
    trades: result.tradeList.map((trade) => ({ ...trade, pnl: toNumber(trade.pnl) })),
    ...lotRecord(result.lots, result.tradeMetricsFrom),
    fills: [...result.fills],
    limitOrders: [...result.limitOrders],
    ...(result.logs && { logs: [...result.logs] }),
    ...(result.plots && { plots: [...result.plots] }),
    ...(result.stops && { stops: [...result.stops] }),
    events: [...result.events],
    pending: [...result.pending],
    ended: [...result.ended],
    hints: [...result.hints],
    warmUp: [...result.warmUp],
    ...candlesOf(options, result),
  };
}

const runOf = (result: BacktestResult, options: BacktestOptions): RunRecord['run'] => ({
  kind: 'backtest',
  generated: result.generated,
  strategy: result.strategy,
  params: result.params,
  symbols: [...result.symbols],
  from: result.from,
  to: result.to,
  runId: result.runId,
  bars: result.bars,
  sessions: result.sessions,
  seed: options.seed ?? 0,
  marksPerYear: result.marksPerYear,
  intervals: Object.fromEntries(Object.entries(result.intervals).map(([symbol, own]) => [symbol, [...own]])),
  settings: settingsOf(options),
});

const totalsOf = (result: BacktestResult): RunRecord['totals'] => ({
  trades: result.trades,
  orders: result.orders,
  dropped: result.dropped,
  notReached: result.notReached,
  pnl: result.pnl,
  fees: result.fees,
  slippage: result.slippage,
  dividends: result.dividends,
  receivable: result.receivable,
  writtenOff: result.writtenOff,
  equity: result.equity,
  open: [...result.open],
  strategies: [...result.strategies],
  unallocated: result.unallocated,
  ...(result.phases && { phases: [...result.phases] }),
});

/** Settings of the run, including defaults. */
function settingsOf(options: BacktestOptions): Record<string, string> {
  const { volumeCap, latencyMs, settlementMs, withheldPercent, ...model } = statedModel(options);
  const { riskFree = 0, trials, trialVariance, initialRisk, benchmark } = options;
  return {
    ...model,
    volumeCap: String(volumeCap ?? 'none'),
    latencyMs: String(latencyMs),
    settlementMs: String(settlementMs),
    ...(withheldPercent !== undefined && { withheldPercent: String(withheldPercent) }),
    riskFree: String(riskFree),
    ...(benchmark !== undefined && { benchmark }),
    ...(trials !== undefined && { trials: String(trials) }),
    ...(trialVariance !== undefined && { trialVariance: String(trialVariance) }),
    ...(initialRisk !== undefined && { initialRisk }),
    cash: formatDecimal(cashOf(options)),
    interval: [...new Set(options.bars.map(({ interval }) => interval))].join(', '),
    ...inputsOf(options),
  };
}

/** Candles of each stock over the marked sessions, from its shortest bars: one per session, shorter ones for sessions with trades. */
function candlesOf(
  { bars, calendar = tradingCalendar }: BacktestOptions,
  { marks, fills }: Pick<BacktestResult, 'marks' | 'fills'>,
): Pick<RunRecord, 'candles' | 'intraday'> {
  const [first, last] = [marks[0], marks.at(-1)];
  const from = first ? (calendar.sessionOn(first.date)?.open ?? first.at) : Infinity;
  const within = { from, to: last?.at ?? -Infinity, calendar };
  const shortest = [...bars].sort((a, b) => INTERVAL_MS[a.interval] - INTERVAL_MS[b.interval]);
  const symbols = [...new Set(bars.map(({ symbol }) => symbol))];
  const stocks = symbols.flatMap((symbol) => shortest.find((one) => one.symbol === symbol) ?? []);
  const candles = stocks.map((own) => {
    const series = new CandleSeries(own.symbol, calendar);
    for (const bar of barsWithin(own, within)) series.add(bar);
    return series.candles;
  });
  const intraday = intradayCandles(
    stocks.map((own) => ({
      symbol: own.symbol,
      intervalMs: INTERVAL_MS[own.interval],
      bars: () => barsWithin(own, within),
    })),
    { marks: [...marks], fills: [...fills] },
    calendar,
  );
  return intraday.length === 0 ? { candles } : { candles, intraday };
}

function* barsWithin(
  { interval, start, open, high, low, close, volume }: BacktestBars,
  { from, to, calendar }: Readonly<{ from: number; to: number; calendar: TradingCalendar }>,
): Iterable<CandleBar> {
  for (let index = 0; index < start.length; index++) {
    const at = start[index] ?? NaN;
    if (at >= to || (at < from && barEnd({ start: epochMs(at), interval }, calendar) <= from)) continue;
    yield {
      start: at,
      open: open[index] ?? NaN,
      high: high[index] ?? NaN,
      low: low[index] ?? NaN,
      close: close[index] ?? NaN,
      volume: volume[index] ?? NaN,
    };
  }
}
