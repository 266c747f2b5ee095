import { describe, expect, test } from 'vitest';
import { tradingCalendar } from '../../src/calendar/index.ts';
import { CandleSeries, intradayCandles, type CandleBar } from '../../src/report/candleSeries.ts';
import { fillOn } from './html/records.ts';

const MINUTE = 60_000;
const MARK = { equity: 1000, cash: 1000, positions: {} };

/** Bars of five minutes from the open of each date, each a little higher. */
const barsOn = (...dates: string[]): CandleBar[] =>
  dates.flatMap((date) => {
    const session = tradingCalendar.sessionOn(date);
    if (!session) throw new Error(`no session on ${date}`);
    const count = (session.close - session.open) / (5 * MINUTE);
    return Array.from({ length: count }, (_, index) => ({
      start: session.open + index * 5 * MINUTE,
      open: 100 + index,
      high: 102 + index,
      low: 99 + index,
      close: 101 + index,
      volume: 10,
    }));
  });

const bars = barsOn('2026-11-25', '2026-11-27');

test('bars become one candle for each session, also one with an early close', () => {
  const series = new CandleSeries('X', tradingCalendar);
  for (const bar of bars) series.add(bar);
  expect(series.candles).toMatchObject({
    start: [bars[0]?.start, bars[78]?.start],
    open: [100, 100],
    high: [179, 143],
    low: [99, 99],
    close: [178, 142],
    volume: [780, 420],
  });
});

test('bars become one candle for each half hour from the open', () => {
  const series = new CandleSeries('X', tradingCalendar, 30 * MINUTE);
  for (const bar of bars.slice(3)) series.add(bar);
  const { start, open, close } = series.candles;
  expect(start).toHaveLength(13 + 7);
  expect([start[0], open[0], close[0]]).toEqual([bars[3]?.start, 103, 106]);
  expect([start[1], open[1], close[1]]).toEqual([bars[6]?.start, 106, 112]);
});

describe('the intraday candles of a report', () => {
  const sessions = tradingCalendar.sessions('2010-01-01', '2026-12-31');
  const end = sessions.findIndex(({ date }) => date === '2026-11-27') + 1;
  const stock = (symbol: string, minutes: number) => ({
    symbol,
    intervalMs: minutes * MINUTE,
    bars: () => bars,
  });
  /** Stocks that were traded in so many sessions, of which the last two have bars. */
  const tradedIn = (count: number, ...stocks: ReturnType<typeof stock>[]) => {
    const marks = sessions.slice(end - count, end).map(({ date, close }) => ({ ...MARK, date, at: close }));
    const fills = stocks.flatMap(({ symbol }) => marks.map(({ at }) => fillOn(0, { at, symbol })));
    return intradayCandles(stocks, { marks, fills }, tradingCalendar);
  };
  const lengthsOf = (count: number, ...stocks: ReturnType<typeof stock>[]) =>
    tradedIn(count, ...stocks).map(({ symbol, minutes, start }) => [symbol, minutes, start.length]);

  test('have the length of their bars unless there are too many, then a longer one', () => {
    expect(lengthsOf(250, stock('X', 5))).toEqual([['X', 5, 120]]);
    expect(lengthsOf(500, stock('X', 5), stock('Y', 5), stock('Z', 5))).toEqual([
      ['X', 10, 60],
      ['Y', 10, 60],
      ['Z', 10, 60],
    ]);
    expect(lengthsOf(3000, stock('X', 5))).toEqual([['X', 30, 20]]);
  });

  test('are left out if there would be too many, and for daily bars', () => {
    expect(lengthsOf(4000, ...['A', 'B', 'C'].map((symbol) => stock(symbol, 5)))).toEqual([]);
    expect(lengthsOf(250, stock('D', 24 * 60), stock('X', 5))).toEqual([['X', 5, 120]]);
  });

  test('cover the sessions with a fill, and those before and after', () => {
    const days = barsOn('2026-11-18', '2026-11-19', '2026-11-20', '2026-11-23', '2026-11-24', '2026-11-25');
    const marks = sessions
      .filter(({ date }) => date >= '2026-11-18' && date <= '2026-11-25')
      .map(({ date, close }) => ({ ...MARK, date, at: close }));
    const datesOf = (at: string, symbol = 'X') => {
      const fills = [fillOn(0, { at: Date.parse(at), symbol })];
      const [own] = intradayCandles(
        [{ ...stock('X', 5), bars: () => days }],
        { marks, fills },
        tradingCalendar,
      );
      return [...new Set(own?.start.map((start) => new Date(start).toISOString().slice(5, 10)))];
    };
    expect(datesOf('2026-11-20T15:00:00Z')).toEqual(['11-19', '11-20', '11-23']);
    expect(datesOf('2026-11-18T14:30:00Z')).toEqual(['11-18', '11-19']);
    expect(datesOf('2026-11-25T21:00:00Z')).toEqual(['11-24', '11-25']);
    expect(datesOf('2026-11-20T15:00:00Z', 'Y')).toEqual([]);
  });
});
