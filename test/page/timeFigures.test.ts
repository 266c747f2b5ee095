import { expect, test } from 'vitest';
import { candleFigure, dayFigure, panelFigures } from '../../src/page/views/strategy/timeFigures.ts';
import type { QuoteCandles } from '../../src/ops/model/past.ts';
import type { PlottedColumns } from '../../src/ops/model/past.ts';
import type { ChartData } from '../../src/figures/chartData.ts';

const START = Date.parse('2026-06-15T13:30:00Z');
const FIVE = 300_000;
const at = (candle: number) => START + candle * FIVE;
const close = [10, 11, 12, 13];

const candles: QuoteCandles = {
  symbol: 'SPY',
  intervalMs: FIVE,
  start: close.map((_, index) => at(index)),
  open: close,
  high: close,
  low: close,
  close,
};
const NOTHING = { candles, fills: [], limits: [], levels: [], series: [] };

/** Numbers of a figure, and how it draws them. */
const dataIn = (markup: string): ChartData =>
  JSON.parse(/<script type="application\/json"[^>]*>(.*?)<\/script>/.exec(markup)?.[1] ?? '') as ChartData;

const limit = {
  strategy: 'steady',
  symbol: 'SPY',
  side: 'buy',
  order: 'steady-1.1',
  shares: 1,
  limit: 10.5,
  filled: 0,
  how: 'cancelled',
  from: at(1) + 1,
  until: at(2) + 1,
} as const;

const segmentsOf = (limits: Parameters<typeof candleFigure>[0]['limits']) => {
  const { drawing } = dataIn(candleFigure({ ...NOTHING, limits }).markup);
  return drawing?.kind === 'candles' ? drawing.segments : [];
};

test('a limit order is drawn from the candle of its placing to that of its end', () => {
  expect(segmentsOf([limit])).toEqual([[1, 10.5, 3, 10.5, 'limit s3 dashed']]);
  expect(segmentsOf([{ ...limit, side: 'sell', filled: 1, how: 'filled' }])).toEqual([
    [1, 10.5, 3, 10.5, 'limit s4'],
  ]);
});

test('an open limit order is drawn up to the last candle, one from before from the first', () => {
  expect(segmentsOf([{ ...limit, how: 'open' }])).toEqual([[1, 10.5, 4, 10.5, 'limit s3 dashed']]);
  expect(segmentsOf([{ ...limit, from: at(-9) }])).toEqual([[0, 10.5, 3, 10.5, 'limit s3 dashed']]);
  expect(segmentsOf([{ ...limit, from: at(-9), until: at(-3) }])).toEqual([]);
});

const series = (name: string, more: Partial<PlottedColumns> = {}): PlottedColumns => ({
  name,
  symbol: 'SPY',
  panel: null,
  at: [at(0) + 5, at(2) + 5],
  values: [1, 2],
  ...more,
});

test('a series over the candles is in their numbers and lines; panels below have the others', () => {
  const all = [
    series('average'),
    series('RSI', { panel: 'RSI' }),
    series('of another', { symbol: 'QQQ' }),
    series('score', { symbol: null }),
  ];
  const data = dataIn(candleFigure({ ...NOTHING, series: all }).markup);
  expect(data.columns.map(({ name }) => name).slice(6)).toEqual(['average']);
  expect(data.columns[6]?.values).toEqual([1, 1, 2, null]);
  expect(data.drawing).toMatchObject({ lines: [{ column: 6, style: 's5' }] });
  const panels = panelFigures(candles, all);
  expect(panels.map(({ markup }) => /<h3>(.*?)<\/h3>/.exec(markup)?.[1])).toEqual(['RSI', 'score']);
  for (const { markup } of panels) {
    expect(markup).toContain('data-axis="candles-SPY"');
    expect(dataIn(markup).columns[0]?.values).toEqual([1, 1, 2, null]);
  }
});

test.each([
  [60_000, ['1 h', 'Session', '5 sessions', 'All']],
  [300_000, ['1 h', 'Session', '5 sessions', 'All']],
  [900_000, ['Session', '5 sessions', 'All']],
  [3_600_000, ['5 sessions', 'All']],
])('candles of %i ms have buttons for ranges of several of them', (intervalMs, names) => {
  const { markup } = candleFigure({ ...NOTHING, candles: { ...candles, intervalMs } });
  expect([...markup.matchAll(/data-length="[^"]*"[^>]*>([^<]+)</g)].map(([, name]) => name)).toEqual(names);
});

test('the chart of a day begins at the open: earlier profit does not count for today', () => {
  const day = { date: '2026-06-18', at: [at(0), at(1)], equity: [19_750, 19_740], capital: [20_000, 20_100] };
  const { markup } = dayFigure(day);
  expect(markup).toContain('−110.00 mUSD since the open; 19,740.00 mUSD at 09:35.');
  expect(dataIn(markup).columns.map(({ values }) => values)).toEqual([day.equity, [19_750, 19_850]]);
});
