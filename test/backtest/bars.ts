import { z } from 'zod';
import { tradingCalendar } from '../../src/calendar/index.ts';
import type { BacktestBars, BacktestOptions } from '../../src/backtest/options.ts';
import type { Interval } from '../../src/domain/bar.ts';
import {
  defineStrategy,
  type DataNeeds,
  type StrategyDefinition,
  type StrategyHooks,
} from '../../src/strategy/index.ts';

/** Open, high, low, close and volume; a single number is all four prices. */
export type Row = number | readonly [open: number, high: number, low: number, close: number, volume?: number];

/** Bars from the open of a session on, one after the other; after its end they continue in the next. */
export function barsFrom(date: string, rows: readonly Row[], interval: Interval = '1m'): BacktestBars {
  const step = { '1m': 60_000, '5m': 300_000, '1d': Infinity }[interval as '1m' | '5m' | '1d'];
  const starts: number[] = [];
  let session = tradingCalendar.nextSession(tradingCalendar.newYorkTime(date, '00:00'));
  for (let at: number = session.open; starts.length < rows.length; at += step) {
    if (at >= session.close) {
      session = tradingCalendar.nextSession(session.close);
      at = session.open;
    }
    starts.push(at);
  }
  const full = rows.map((row) => (typeof row === 'number' ? [row, row, row, row, 1_000] : [...row, 1_000]));
  const column = (index: number) => Float64Array.from(full, (row) => row[index] ?? NaN);
  return {
    symbol: 'X',
    interval,
    start: Float64Array.from(starts),
    open: column(0),
    high: column(1),
    low: column(2),
    close: column(3),
    volume: column(4),
  };
}

/** A strategy of a test, on the bars of X. */
export function strategyOf(hooks: StrategyHooks, needs?: DataNeeds): StrategyDefinition {
  return defineStrategy({
    name: 'test',
    description: 'of a test',
    params: z.looseObject({}),
    data: () => needs ?? { bars: [{ symbol: 'X', interval: '1m' }] },
    create: () => hooks,
  });
}

/** A plain exchange without fees, unless the test says otherwise. */
export const plainly = (
  options: Partial<BacktestOptions> & Pick<BacktestOptions, 'bars'>,
): BacktestOptions => ({ cash: '10000', fees: 'none', fill: 'next-open', ...options });
