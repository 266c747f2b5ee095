import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { draw } from '../../src/figures/drawing.ts';
import { drawnSeries, heldValues, panelsOf, placeAmong } from '../../src/figures/series.ts';
import type { ChartData } from '../../src/figures/chartData.ts';

test('the place of an instant is the last start that is not after it', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(50)), fc.nat(50), (given, at) => {
      const starts = given.toSorted((one, other) => one - other);
      expect(placeAmong(starts, at)).toBe(starts.findLastIndex((start) => start <= at));
    }),
  );
  expect(placeAmong(['2026-03-02', '2026-03-04'], '2026-03-03')).toBe(0);
});

describe('the values of a series at given places', () => {
  const placeOf = (at: number) => Math.floor(at / 10);
  const held = (at: number[], values: (number | null)[], count = 6) =>
    heldValues({ name: 'a', at, values }, count, placeOf);

  test('are the last of each, and hold until the next', () => {
    expect(held([5, 12, 18, 41], [1, 2, 3, 4])).toEqual([1, 3, 3, 3, 4, null]);
  });

  test('begin with the first, end with the last, and keep marked gaps', () => {
    expect(held([15, 25, 45], [1, null, 2])).toEqual([null, 1, null, null, 2, null]);
  });

  test('leave out values before the first place', () => {
    expect(held([-5, 25], [9, 1])).toEqual([null, null, 1, null, null, null]);
    expect(held([], [], 2)).toEqual([null, null]);
  });
});

const series = (name: string, symbol: string | null, panel: string | null = null) => ({
  name,
  symbol,
  panel,
});

test('a panel has the series that name it, of one stock or of the strategy', () => {
  const all = [
    series('average', 'X'),
    series('macd', 'X', 'MACD'),
    series('score', null),
    series('signal', 'X', 'MACD'),
    series('one', null, 'both'),
    series('other', null, 'both'),
    series('rsi', 'Y', 'RSI'),
  ];
  const namesIn = (symbol: string | null) =>
    [...panelsOf(all, symbol)].map(([title, own]) => [title, ...own.map(({ name }) => name)]);
  expect(namesIn('X')).toEqual([['MACD', 'macd', 'signal']]);
  expect(namesIn(null)).toEqual([
    ['score', 'score'],
    ['both', 'one', 'other'],
  ]);
});

test('each series has its own style, the same in line, key and numbers', () => {
  const many = Array.from({ length: 7 }, (_, index) => ({ name: `series ${index}`, values: [index] }));
  const { columns, keys, linesFrom } = drawnSeries(many, 'general');
  const styles = linesFrom(6).map(({ style }) => style);
  expect(new Set(styles).size).toBe(7);
  expect(styles[5]).toBe(`${styles[0] ?? ''} dashed`);
  expect(linesFrom(6).map(({ column }) => column)).toEqual([6, 7, 8, 9, 10, 11, 12]);
  expect(columns.map(({ mark }) => mark)).toEqual(styles);
  expect(keys.map(({ mark }) => mark)).toEqual(styles);
});

test('lines over candles are drawn in the shown part, on a scale that includes them', () => {
  const close = [10, 11, 12, 13, 14, 15];
  const column = (name: string, values: readonly (number | null)[]) => ({ name, values });
  const data: ChartData = {
    kind: 'line',
    span: 6,
    of: 'Session',
    labels: close.map(String),
    columns: [
      ...['Open', 'High', 'Low', 'Close'].map((name) => column(name, close)),
      column('Volume', []),
      column('Average', [null, 30, 31, 32, 60, 60]),
    ],
  };
  const drawing = { kind: 'candles', pins: [], segments: [], lines: [{ column: 5, style: 's5' }] } as const;
  const whole = draw(data, drawing, { from: 0, to: 6 });
  expect(whole.scale.high).toBeGreaterThanOrEqual(60);
  expect(whole.area.markup).toMatch(/<path class="line s5" d="M1\.5 [\d.]+L2\.5 [\d.]+L3\.5 [\d.]+L4\.5/);
  const part = draw(data, drawing, { from: 0, to: 2 });
  expect(part.scale.high).toBeLessThan(60);
  expect(part.area.markup).toMatch(/d="M1\.5 [\d.]+L2\.5 [\d.]+"/);
});
