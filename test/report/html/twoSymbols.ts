import { d10 } from '../../../bench/bars.ts';
import type { BacktestBars } from '../../../src/backtest/options.ts';
import { runBacktest } from '../../../src/backtest/runBacktest.ts';
import { toNumber } from '../../../src/core/amount.ts';
import type { RunRecord } from '../../../src/report/runRecord.ts';
import { metricsOf } from '../../../src/statistics/metrics.ts';
import smaCross from '../../../strategies/sma-cross.ts';

const SESSIONS = 756;

function barsOf(symbol: string, seed: number): BacktestBars {
  const { start, open, high, low, close, volume } = d10(seed).columns;
  const cut = (column: Float64Array) => column.slice(0, SESSIONS);
  return {
    symbol,
    interval: '1d',
    start: cut(start),
    open: cut(open),
    high: cut(high),
    low: cut(low),
    close: cut(close),
    volume: cut(volume),
  };
}

/** Limits a little below the closes of every twentieth session, for three sessions or until they are reached. */
function limitsOf({ symbol, start, low, close }: BacktestBars): NonNullable<RunRecord['limitOrders']> {
  const open = (session: number) => start[session] ?? NaN;
  return Array.from({ length: Math.floor((SESSIONS - 4) / 20) }, (_, index) => {
    const from = index * 20 + 1;
    const limit = (close[from - 1] ?? NaN) * 0.99;
    const days = [0, 1, 2].find((day) => (low[from + day] ?? NaN) <= limit);
    const filled = days === undefined ? 0 : 10;
    return {
      from: open(from),
      until: open(from + (days ?? 2)) + 6 * 3_600_000,
      strategy: 'limits',
      symbol,
      side: index % 2 === 0 ? ('buy' as const) : ('sell' as const),
      order: `limits-${index}.1`,
      shares: 10,
      limit,
      filled,
      how: days === undefined ? 'expired' : 'filled',
    };
  });
}

/** The record of three years of daily bars of two symbols, each followed by a strategy with half of the cash. */
export async function twoSymbols(): Promise<RunRecord> {
  const bars = [barsOf('AAA', 7), barsOf('BBB', 11)];
  const result = await runBacktest({
    strategies: bars.map(({ symbol }, index) => ({
      definition: smaCross,
      id: `trend-${symbol.toLowerCase()}`,
      params: { symbol, fast: index === 0 ? 5 : 8, slow: index === 0 ? 15 : 30 },
    })),
    bars,
    cash: '100000',
    fees: 'bps:5',
    fill: 'next-open',
    slippage: 'bps:2',
    seed: 7,
  });
  const { marks, tradeList } = result;
  // As in a record from before decision prices were kept.
  const fills = result.fills.map(({ decidedAt: _at, decisionPrice: _price, ...fill }) => fill);
  const trades = tradeList.map((trade) => ({ ...trade, pnl: toNumber(trade.pnl) }));
  const [first] = bars;
  const benchmark = { symbol: 'AAA', start: first?.open[0] ?? NaN, closes: [...(first?.close ?? [])] };
  const startEquity = Number(result.equity.start);
  const { metrics, notes } = metricsOf({ startEquity, marks, trades, fills, benchmark }, { seed: 7 });
  return {
    format: 1,
    run: {
      kind: 'backtest',
      strategy: result.strategy,
      params: result.params,
      symbols: [...result.symbols],
      from: result.from,
      to: result.to,
      runId: result.runId,
      bars: result.bars,
      sessions: result.sessions,
      seed: 7,
      marksPerYear: 252,
      settings: { fill: 'next-open', fees: 'bps:5', slippage: 'bps:2', cash: '100000' },
    },
    totals: {
      trades: result.trades,
      orders: result.orders,
      pnl: result.pnl,
      fees: result.fees,
      slippage: result.slippage,
      equity: result.equity,
      open: [...result.open],
    },
    metrics,
    notes,
    marks: [...marks],
    benchmark,
    trades,
    fills: [...fills],
    limitOrders: limitsOf(barsOf('AAA', 7)),
    events: [
      { at: marks[200]?.at ?? 0, kind: 'dividend', text: 'AAA pays 0.25 a share' },
      { at: marks[430]?.at ?? 0, kind: 'split', text: 'BBB 2 for 1' },
    ],
    candles: bars.map(({ symbol, interval: _interval, ...columns }) => ({
      symbol,
      ...(Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, [...column]])) as Omit<
        RunRecord['candles'][number],
        'symbol'
      >),
    })),
  };
}
