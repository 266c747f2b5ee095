import { describe, expect, test } from 'vitest';
import type { BarColumns } from '../../../src/domain/barColumns.ts';
import { ColumnSet, GrowingColumns } from '../../../src/strategy/signals/signalColumns.ts';

const barsAt = (...starts: number[]): BarColumns => {
  const start = Float64Array.from(starts);
  const close = start.map((at) => 100 + at);
  return { start, open: close, high: close, low: close, close, volume: close };
};

const two = () => new ColumnSet(new Map([['A', barsAt(1, 2, 4, 5)], ['B', barsAt(2, 3, 5)]])); // prettier-ignore

describe('the rows of signal columns', () => {
  test('for several symbols are the starts of all their bars, each once', () => {
    expect([...two().start]).toEqual([1, 2, 3, 4, 5]);
    expect([...(two().rowsOf('A') ?? [])]).toEqual([0, 1, 3, 4]);
    expect([...(two().rowsOf('B') ?? [])]).toEqual([1, 2, 4]);
  });

  test('for one symbol are its bars without a copy', () => {
    const bars = barsAt(1, 2, 3);
    const columns = new ColumnSet(new Map([['A', bars]]));
    expect(columns.start).toBe(bars.start);
    expect(columns.rowsOf('A')).toBeNull();
  });

  test('have the latest value of a symbol, and none before its first bar', () => {
    expect([...two().onRows('B', [7, 8, 9])]).toEqual([NaN, 7, 8, 8, 9]);
    expect([...two().onRows('A', [1, 2, 3, 4])]).toEqual([1, 2, 2, 3, 4]);
  });

  test('refuse another number of values and an unknown symbol', () => {
    expect(() => two().onRows('B', [1])).toThrow('1 values for the 3 bars of B');
    expect(() => two().of('C')).toThrow(
      '"C" is not one of the symbols that the strategy asks for in data(): A, B',
    );
  });

  test('can end early as if no later bar were known', () => {
    const head = two().head(3);
    expect([...head.start]).toEqual([1, 2, 3]);
    expect([...head.of('A').start]).toEqual([1, 2]);
    expect([...head.of('B').start]).toEqual([2, 3]);
  });
});

describe('growing columns', () => {
  const bar = (start: number) => ({ start, open: 1, high: 2, low: 3, close: 4 * start, volume: 5 });

  test('have every bar so far', () => {
    const growing = new GrowingColumns();
    for (let at = 0; at < 2_000; at++) growing.append(bar(at));
    const { start, close } = growing.columns;
    expect([start.length, close[1_999], start[0]]).toEqual([2_000, 7_996, 0]);
  });

  test('keep the newer half once there are 20,000', () => {
    const growing = new GrowingColumns();
    for (let at = 0; at < 20_001; at++) growing.append(bar(at));
    const { start, close } = growing.columns;
    expect([start.length, start[0], start.at(-1), close.at(-1)]).toEqual([10_001, 10_000, 20_000, 80_000]);
  });
});
