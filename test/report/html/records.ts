import type { RunRecord } from '../../../src/report/runRecord.ts';

const DAY_MS = 86_400_000;
const OPEN = Date.parse('2026-03-02T14:30:00Z');
const CLOSE_MS = 6.5 * 3_600_000;

const dateOf = (day: number): string => new Date(OPEN + day * DAY_MS).toISOString().slice(0, 10);

/** The record of a run that did nothing for so many days: as plain as possible unless the test says otherwise. */
export function plainRecord(days: number, given: Partial<RunRecord> = {}): RunRecord {
  const marks = Array.from({ length: days }, (_, day) => ({
    date: dateOf(day),
    at: OPEN + day * DAY_MS + CLOSE_MS,
    equity: 1000,
    cash: 1000,
    positions: {},
  }));
  return {
    format: 1,
    run: {
      kind: 'backtest',
      strategy: 'idle',
      params: {},
      symbols: ['X'],
      runId: '0123456789abcdef',
      seed: 1,
      from: '2026-03-02T14:30:00Z',
      to: '2026-03-31T20:00:00Z',
      bars: days,
      sessions: days,
      marksPerYear: 252,
      settings: { fill: 'venue' },
    },
    totals: {
      trades: 0,
      orders: { sent: 0 },
      pnl: '0',
      fees: '0',
      equity: { start: '1000', end: '1000' },
      open: [],
    },
    metrics: {},
    notes: {},
    marks,
    benchmark: null,
    trades: [],
    fills: [],
    events: [],
    candles: [],
    ...given,
  };
}

type Trade = RunRecord['trades'][number];
type Fill = RunRecord['fills'][number];

/** A trade on one of the days, that won a little. */
export const tradeOn = (day: number, given: Partial<Trade> = {}): Trade => ({
  strategy: 'idle',
  symbol: 'X',
  entryAt: OPEN + day * DAY_MS,
  exitAt: OPEN + day * DAY_MS + 3_600_000,
  shares: 10,
  entryPrice: 100,
  exitPrice: 101,
  fees: 1,
  pnl: 9,
  mae: -0.01,
  mfe: 0.02,
  bars: 5,
  entryReason: 'up',
  exitReason: 'down',
  ...given,
});

export const fillOn = (day: number, given: Partial<Fill> = {}): Fill => ({
  at: OPEN + day * DAY_MS,
  strategy: 'idle',
  symbol: 'X',
  side: 'buy',
  order: 'idle-1.1',
  shares: 10,
  price: 100,
  fees: 0.5,
  reason: 'up',
  ...given,
});

/** A candle for each day, each a little higher. */
export const candlesOf = (symbol: string, days: number): RunRecord['candles'][number] => {
  const each = (of: (day: number) => number) => Array.from({ length: days }, (_, day) => of(day));
  return {
    symbol,
    start: each((day) => OPEN + day * DAY_MS),
    open: each((day) => 100 + day),
    high: each((day) => 102 + day),
    low: each((day) => 99 + day),
    close: each((day) => 101 + day),
    volume: each(() => 1000),
  };
};
