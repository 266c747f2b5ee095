import { expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import type { JournalEntry } from '../../../src/domain/journalEvent.ts';
import type { PlottedSeries } from '../../../src/domain/plots.ts';
import { plottedSeries } from '../../../src/ops/past/answers.ts';
import { readerOf } from '../../report/live/liveJournal.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-06-15T13:30:00Z');
const at = (minute: number) => epochMs(START + minute * MINUTE);

const plotted = (minute: number, series: readonly PlottedSeries[], strategyId = 'solo'): JournalEntry => ({
  at: at(minute),
  fact: { kind: 'plotted', strategyId, series },
});
const point = (name: string, minute: number, value: number | null): PlottedSeries => ({
  name,
  at: [at(minute)],
  values: [value],
});

const QUERY = {
  strategy: 'solo',
  symbol: null,
  intervalMs: 5 * MINUTE,
  from: 0,
  to: Number.MAX_SAFE_INTEGER,
} as const;

test('a plotted series has the last value of each interval, oldest first', () => {
  const minutes = Array.from({ length: 12 }, (_, minute) => minute);
  const entries = minutes.map((minute) => plotted(minute, [point('a', minute, minute)]));
  const { series, intervalMs } = plottedSeries(readerOf(entries), QUERY);
  expect(intervalMs).toBe(5 * MINUTE);
  expect(series).toEqual([
    { name: 'a', symbol: null, panel: null, at: [at(4), at(9), at(11)], values: [4, 9, 11] },
  ]);
});

test('a gap in a plotted series is null, and a value journaled late keeps its own time', () => {
  const late: PlottedSeries = { name: 'a', symbol: 'X', at: [at(0), at(5)], values: [1, null] };
  const { series } = plottedSeries(readerOf([plotted(9, [late])]), QUERY);
  expect(series).toMatchObject([{ symbol: 'X', at: [at(0), at(5)], values: [1, null] }]);
});

test('plotted series are filtered by strategy and stock; those of no stock are in each result', () => {
  const of = (symbol: string): PlottedSeries => ({ ...point('a', 1, 1), symbol });
  const entries = [
    plotted(1, [of('X'), of('Y'), point('score', 1, 2)]),
    plotted(2, [point('other', 2, 3)], 'another'),
  ];
  const named = (symbol: string | null) =>
    plottedSeries(readerOf(entries), { ...QUERY, symbol }).series.map(({ name, symbol: own }) => [name, own]);
  expect(named('X')).toEqual([
    ['a', 'X'],
    ['score', null],
  ]);
  expect(named(null)).toHaveLength(3);
});

test('a query for a span has only the values in it, and no empty series', () => {
  const entries = [
    plotted(0, [point('old', 0, 1)]),
    plotted(10, [point('a', 10, 1)]),
    plotted(20, [point('a', 20, 2)]),
  ];
  const within = { ...QUERY, from: at(5), to: at(20) };
  expect(plottedSeries(readerOf(entries), within).series).toMatchObject([{ name: 'a', at: [at(10)] }]);
});

test('a plotted series has at most the latest 5,000 values', () => {
  const entries = Array.from({ length: 6_000 }, (_, minute) => plotted(minute, [point('a', minute, minute)]));
  const [series] = plottedSeries(readerOf(entries), { ...QUERY, intervalMs: MINUTE }).series;
  expect([series?.at.length, series?.values[0], series?.values.at(-1)]).toEqual([5_000, 1_000, 5_999]);
});
