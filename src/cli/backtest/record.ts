import { tradingCalendar, type TradingCalendar } from '../../calendar/index.ts';
import { formatDecimal, toNumber } from '../../core/amount.ts';
import { epochMs } from '../../core/brand.ts';
import {
  cashOf,
  modelOf,
  slippageOf,
  type BacktestBars,
  type BacktestOptions,
} from '../../backtest/options.ts';
import type { BacktestResult } from '../../backtest/result.ts';
import { INTERVAL_MS } from '../../domain/bar.ts';
import { barEnd } from '../../market/barEnd.ts';
import type { RunRecord } from '../../report/runRecord.ts';
import { inputsOf } from './inputs.ts';

/** A backtest as a record, for reports and comparisons. */
export function recordOf(result: BacktestResult, options: BacktestOptions): RunRecord {
  const { strategy, params, symbols, from, to, runId, bars, sessions, marksPerYear } = result;
  const { trades, pnl, fees, slippage, dividends, equity, open, marks, benchmark, metrics, notes } = result;
  return {
    format: 1,
    run: {
      ...{ kind: 'backtest', strategy, params, symbols: [...symbols], from, to, runId, bars, sessions },
      ...{ seed: options.seed ?? 0, marksPerYear, settings: settingsOf(options) },
    },
    totals: {
      trades,
      orders: result.orders,
      dropped: result.dropped,
      pnl,
      fees,
      slippage,
      dividends,
      equity,
      open: [...open],
      ...{ strategies: [...result.strategies], unallocated: result.unallocated },
    },
    ...{ metrics, notes },
    marks: [...marks],
    benchmark: benchmark && { ...benchmark, closes: [...benchmark.closes] },
    trades: result.tradeList.map((trade) => ({ ...trade, pnl: toNumber(trade.pnl) })),
    fills: result.fills.map(({ decidedAt: _decidedAt, ...fill }) => fill),
    limitOrders: [...result.limitOrders],
    events: [...result.events],
    candles: candlesOf(options, marks),
  };
}

/** What was said of the run, and what was left to the defaults. */
function settingsOf(options: BacktestOptions): Record<string, string> {
  const { fill, limitFill, ambiguous, volumeCap, latencyMs, settlementMs } = modelOf(options);
  const { fees = 'venue', riskFree = 0, trials, trialVariance, initialRisk, benchmark } = options;
  return {
    ...{
      fill,
      fees,
      slippage: slippageOf(options),
      limitFill,
      ambiguous,
      volumeCap: String(volumeCap ?? 'none'),
    },
    ...{ latencyMs: String(latencyMs), settlementMs: String(settlementMs), riskFree: String(riskFree) },
    ...(benchmark !== undefined && { benchmark }),
    ...(trials !== undefined && { trials: String(trials) }),
    ...(trialVariance !== undefined && { trialVariance: String(trialVariance) }),
    ...(initialRisk !== undefined && { initialRisk }),
    cash: formatDecimal(cashOf(options)),
    interval: [...new Set(options.bars.map(({ interval }) => interval))].join(', '),
    ...inputsOf(options),
  };
}

type Candles = RunRecord['candles'][number];

/** One candle for each session of a symbol, of its shortest bars, over the sessions that were marked. */
function candlesOf(
  { bars, calendar = tradingCalendar }: BacktestOptions,
  marks: BacktestResult['marks'],
): Candles[] {
  const [first, last] = [marks[0], marks.at(-1)];
  const from = first ? (calendar.sessionOn(first.date)?.open ?? first.at) : Infinity;
  const shortest = [...bars].sort((a, b) => INTERVAL_MS[a.interval] - INTERVAL_MS[b.interval]);
  const symbols = [...new Set(bars.map(({ symbol }) => symbol))];
  return symbols.flatMap((symbol) => {
    const own = shortest.find((one) => one.symbol === symbol);
    return own ? [bySession(own, { from, to: last?.at ?? -Infinity, calendar })] : [];
  });
}

type Within = Readonly<{ from: number; to: number; calendar: TradingCalendar }>;

function bySession(
  { symbol, interval, start, open, high, low, close, volume }: BacktestBars,
  { from, to, calendar }: Within,
): Candles {
  const candles: Candles = { symbol, start: [], open: [], high: [], low: [], close: [], volume: [] };
  let end = -Infinity;
  for (let index = 0; index < start.length; index++) {
    const at = start[index] ?? NaN;
    if (at >= to || (at < from && barEnd({ start: epochMs(at), interval }, calendar) <= from)) continue;
    const bar = [high[index] ?? NaN, low[index] ?? NaN, close[index] ?? NaN, volume[index] ?? NaN] as const;
    if (at < end) {
      add(candles, bar);
      continue;
    }
    end = calendar.sessionAt(epochMs(at))?.close ?? at;
    candles.start.push(at);
    candles.open.push(open[index] ?? NaN);
    candles.high.push(bar[0]);
    candles.low.push(bar[1]);
    candles.close.push(bar[2]);
    candles.volume.push(bar[3]);
  }
  return candles;
}

/** Takes a further bar of the session into the latest candle. */
function add(
  { high, low, close, volume }: Candles,
  [top, bottom, last, traded]: readonly [number, number, number, number],
): void {
  const index = close.length - 1;
  high[index] = Math.max(high[index] ?? NaN, top);
  low[index] = Math.min(low[index] ?? NaN, bottom);
  close[index] = last;
  volume[index] = (volume[index] ?? 0) + traded;
}
