import { tradingCalendar } from '../../src/calendar/index.ts';
import type { MarkFigures, RunFigures, TradeFigures } from '../../src/statistics/figures.ts';

/** Every year has more. */
const SESSIONS_MIN = 240;

/** The first sessions from a date on. */
export const sessionsFrom = (date: string, count: number) =>
  tradingCalendar
    .sessions(date, `${Number(date.slice(0, 4)) + Math.ceil(count / SESSIONS_MIN)}-12-31`)
    .slice(0, count);

/** One mark a session: the equity, and what a test adds to it. */
export const marksOf = (
  equities: readonly number[],
  more: (index: number) => Partial<MarkFigures> = () => ({}),
  from = '2026-01-02',
): MarkFigures[] =>
  sessionsFrom(from, equities.length).map(({ date, close }, index) => ({
    date,
    at: close,
    equity: equities[index] ?? NaN,
    positions: {},
    ...more(index),
  }));

export const START = 10_000;

/** What 10,000 becomes over returns. */
export const equitiesOf = (returns: readonly number[], start = START): number[] => {
  let equity = start;
  return returns.map((value) => (equity *= 1 + value));
};

export const figuresOf = (equities: readonly number[], more: Partial<RunFigures> = {}): RunFigures => ({
  startEquity: START,
  marks: marksOf(equities),
  trades: [],
  fills: [],
  benchmark: null,
  ...more,
});

const HOUR_MS = 3_600_000;

/** A trade of one share bought at 100 that brought so much, as many hours after the first as its place. */
export const tradeOf = (pnl: number, place: number, more: Partial<TradeFigures> = {}): TradeFigures => ({
  strategy: 's',
  symbol: 'X',
  entryAt: place * HOUR_MS,
  exitAt: (place + 6) * HOUR_MS,
  shares: 1,
  entryPrice: 100,
  exitPrice: 100 + pnl,
  pnl,
  mae: 0,
  mfe: 0,
  entryReason: 'in',
  exitReason: 'out',
  ...more,
});
