import { describe, expect, test } from 'vitest';
import { columns, highest, sma } from '../../../src/strategy/index.ts';
import { ColumnSet } from '../../../src/strategy/signals/signalColumns.ts';
import {
  changesOf,
  latestOf,
  lookAheadIn,
  weightsOf,
  type Signals,
  type SignalWeights,
} from '../../../src/strategy/signals/signalWeights.ts';

const OPEN = Date.UTC(2026, 5, 15, 13, 30);
const MINUTE_MS = 60_000;

/** Bars at these minutes after the open. */
const barsAt = (minutes: readonly number[]) => {
  const start = Float64Array.from(minutes, (minute) => OPEN + minute * MINUTE_MS);
  const close = Float64Array.from(minutes, (minute) => 100 + ((minute * 7) % 13));
  return { start, open: close, high: close, low: close, close, volume: close };
};

const [all, some] = [
  [0, 1, 2, 3, 4],
  [1, 3],
];
const set = new ColumnSet(new Map([['A', barsAt(all)], ['B', barsAt(some)]])); // prettier-ignore

const only = (weights: SignalWeights) => {
  const column = weightsOf(() => weights, set).find(({ symbol }) => symbol in weights);
  if (!column) throw new Error('no weights');
  return column;
};

const changes = (weights: SignalWeights, first = 0) => {
  const { rows, weights: values } = changesOf(only(weights), first, set);
  return Array.from(rows, (row, index) => [row, values[index]]);
};

describe('a signal weight', () => {
  test('applies until the next one', () => {
    expect(changes({ A: [NaN, 0.5, NaN, 0.5, 0] })).toEqual([[1, 0.5], [4, 0]]); // prettier-ignore
  });

  test('given for each bar of a symbol applies from the rows of its bars', () => {
    expect(changes({ B: [0.5, 1] })).toEqual([[1, 0.5], [3, 1]]); // prettier-ignore
    expect(changes({ B: [1, 0.5, 0.5, 0.5, 1] })).toEqual([[0, 1], [1, 0.5], [4, 1]]); // prettier-ignore
  });

  test('from before the first counted row applies there', () => {
    expect(changes({ A: [1, 0.5, NaN, NaN, 1] }, 3)).toEqual([[0, 0.5], [1, 1]]); // prettier-ignore
    expect(changes({ A: [1, 0.5, NaN, 0.25, NaN] }, 3)).toEqual([[0, 0.25]]);
    expect(changes({ B: [1, 0] }, 2)).toEqual([[0, 1], [1, 0]]); // prettier-ignore
  });

  test('is at any time the last given one', () => {
    expect(latestOf(only({ A: [0, 0.5, NaN, NaN, NaN] }), set)).toBe(0.5);
    expect(latestOf(only({ A: [NaN, NaN, NaN, NaN, NaN] }), set)).toBeNaN();
  });

  test('of a symbol that is left out never changes', () => {
    const [a] = weightsOf(() => ({ B: [0, 1] }), set);
    expect(a && changesOf(a, 0, set).rows).toHaveLength(0);
    expect(a && latestOf(a, set)).toBeNaN();
  });

  test.each([1.2, -0.1, Infinity])('of %s is refused with the name of its bar', (weight) => {
    const text = `weight of B at the bar of 2026-06-15T13:33:00Z: ${weight} is not between 0 and 1`;
    expect(() => changes({ B: [0, weight] })).toThrow(text);
    expect(() => latestOf(only({ B: [0, weight] }), set)).toThrow(text);
  });
});

test('5,000 changes of weight are all kept', () => {
  const many = Array.from({ length: 5_000 }, (_, minute) => minute);
  const own = new ColumnSet(new Map([['A', barsAt(many)]]));
  const [column] = weightsOf(() => ({ A: many.map((minute) => minute % 2) }), own);
  expect(column && changesOf(column, 0, own).weights).toHaveLength(5_000);
});

describe('invalid signal weights', () => {
  const say = (made: unknown) => () => weightsOf(() => made as SignalWeights, set);

  test('are refused when they are not lists by symbol', () => {
    for (const made of [undefined, 1, null, [1, 2], new Float64Array(5), Promise.resolve({}), new Map()])
      expect(say(made)).toThrow('signals returns no weights: an object with a list of them by symbol');
  });

  test('are refused with their length and symbol', () => {
    expect(say({ B: [1, 1, 1] })).toThrow(
      'weights of B: 3 weights, expected one for each of its 2 bars, or for each of the 5 rows',
    );
    expect(say({ A: [1] })).toThrow('weights of A: 1 weights, expected one for each of its 5 bars');
    expect(say({ A: 1 })).toThrow('weights of A: 1, expected one for each of its 5 bars');
    expect(say({ X: [1] })).toThrow(
      '"X" is not one of the symbols that the strategy asks for in data(): A, B',
    );
  });
});

describe('the look-ahead check of signals', () => {
  const minutes = Array.from({ length: 400 }, (_, minute) => minute);
  const long = new ColumnSet(new Map([['A', barsAt(minutes)], ['B', barsAt(minutes.filter((minute) => minute % 3 > 0))]])); // prettier-ignore
  const find = (signals: Signals) =>
    lookAheadIn(signals, { columns: long, weights: weightsOf(signals, long) }, Infinity);

  test('finds nothing in averages, nor in values put on the rows', () => {
    const honest: Signals = (bars) => {
      const { close } = bars.of('A');
      const average = columns(sma(5), close);
      const other = bars.onRows('B', columns(highest(7), bars.of('B').close));
      return { A: average.map((value, row) => (value > (other[row] ?? NaN) ? 0.5 : 0)), B: bars.of('B').close.length > 0 ? Array.from(bars.of('B').close, (value) => (value > 106 ? 0.5 : NaN)) : [] }; // prettier-ignore
    };
    expect(find(honest)).toBeNull();
  });

  test('finds a look at the next bar, with the bar', () => {
    const found = find((bars) => {
      const { close } = bars.of('A');
      return { A: Array.from(close, (value, bar) => ((close[bar + 1] ?? value) > value ? 1 : 0)) };
    });
    expect(found).toMatchObject({ symbol: 'A', with: 1, without: 0 });
    // The last bar before the end of a history is the one that it decides differently.
    expect(found?.row).toBe((found?.known ?? NaN) - 1);
  });

  test('finds a look at the whole series', () => {
    const found = find((bars) => {
      const close = Array.from(bars.of('B').close);
      const mean = close.reduce((sum, value) => sum + value, 0) / close.length;
      return { B: close.map((value) => Math.min(1, value / mean / 2)) };
    });
    expect(found?.symbol).toBe('B');
  });

  test('ignores rounding', () => {
    expect(find((bars) => ({ A: Array.from(bars.start, () => 0.5 + bars.start.length * 1e-14) }))).toBeNull();
  });
});
