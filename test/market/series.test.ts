import { describe, expect, test } from 'vitest';
import { epochMs } from '../../src/core/brand.ts';
import type { Bar } from '../../src/domain/bar.ts';
import { ticker } from '../../src/domain/instrument.ts';
import { BarSeries } from '../../src/market/series.ts';

const AAPL = ticker('AAPL');
const bar = (index: number): Bar => ({
  symbol: AAPL,
  interval: '1m',
  start: epochMs(index * 60_000),
  open: index,
  high: index + 0.5,
  low: index - 0.5,
  close: index + 0.25,
  volume: index * 10,
});
const seriesOf = (count: number) => {
  const series = new BarSeries({ symbol: AAPL, interval: '1m' });
  for (let index = 0; index < count; index++) series.append(bar(index));
  return series;
};

describe('BarSeries', () => {
  test('is empty at first', () => {
    const series = seriesOf(0);
    expect([series.length, series.latest, series.at(0)]).toEqual([0, null, undefined]);
    expect(series.closes(5)).toEqual(new Float64Array());
  });

  // Its columns grow at 512 bars and double from there.
  test.each([1, 511, 512, 513, 1_024, 1_025, 3_000])('keeps every column of %d bars', (count) => {
    const series = seriesOf(count);
    expect([series.length, series.latest]).toEqual([count, bar(count - 1).start]);
    for (let back = 0; back < count; back++) expect(series.at(back)).toEqual(bar(count - 1 - back));
    expect(series.closes(count)).toEqual(Float64Array.from({ length: count }, (_, index) => index + 0.25));
  });

  test.each([-1, 3, 0.5, NaN, Infinity])('has no bar %d places back of three', (back) => {
    expect(seriesOf(3).at(back)).toBeUndefined();
  });

  test.each([
    [0, []],
    [2, [1.25, 2.25]],
    [3, [0.25, 1.25, 2.25]],
    [99, [0.25, 1.25, 2.25]],
  ])('gives up to %d last closes, the latest last', (count, closes) => {
    expect([...seriesOf(3).closes(count)]).toEqual(closes);
  });

  test('gives closes as a copy, so that no reader changes history', () => {
    const series = seriesOf(3);
    series.closes(3).fill(0);
    expect(series.at(0)?.close).toBe(2.25);
  });
});
