import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { columns, type Candle, type CandleColumns, type Indicator } from '../../../src/strategy/index.ts';
import * as strategy from '../../../src/strategy/index.ts';
import { answersTo, barsOf, INDICATORS, type Answer } from './catalogue.ts';

const price = fc.double({ min: 1, max: 1000, noNaN: true });
const series = fc
  .array(fc.tuple(price, price, price, fc.integer({ min: 0, max: 9 })), { minLength: 1, maxLength: 60 })
  .map((rows) =>
    barsOf(rows.map(([a, b, c, volume]) => [Math.max(a, b, c), Math.min(a, b, c), b, volume] as const)),
  );

const columnsOf = (bars: readonly Candle[]): CandleColumns => ({
  start: Float64Array.from(bars, ({ start }) => start),
  high: Float64Array.from(bars, ({ high }) => high),
  low: Float64Array.from(bars, ({ low }) => low),
  close: Float64Array.from(bars, ({ close }) => close),
  volume: Float64Array.from(bars, ({ volume }) => volume),
});

const numbersOf = (answer: Answer): readonly number[] =>
  typeof answer === 'number' ? [answer] : Object.values(answer);

const streamed = ({ make, params, reads }: (typeof INDICATORS)[number], bars: readonly Candle[]) =>
  answersTo(
    make(...params) as unknown as Indicator<unknown, Answer>,
    reads === 'bars' ? bars : bars.map(({ close }) => close),
  );

const inColumns = (
  { make, params, reads }: (typeof INDICATORS)[number],
  bars: readonly Candle[],
): Float64Array | Record<string, Float64Array> => {
  const indicator = make(...params) as unknown as Indicator<never>;
  const all = columnsOf(bars);
  return reads === 'bars' ? columns(indicator, all) : columns(indicator, all.close);
};

describe.each(INDICATORS)('$name', (each) => {
  test('answers with columns what it answers bar by bar, to the last bit', () => {
    fc.assert(
      fc.property(series, (bars) => {
        const found = inColumns(each, bars);
        streamed(each, bars).forEach((answer, index) => {
          if (typeof answer === 'number') expect((found as Float64Array)[index]).toBe(answer);
          else
            for (const [name, value] of Object.entries(answer))
              expect((found as Record<string, Float64Array>)[name]?.[index]).toBe(value);
        });
      }),
    );
  });

  test('is whole from the last bar of its warm-up on, and not before', () => {
    const bars = barsOf(Array.from({ length: 40 }, (_, index) => [9 + index ** 2, 5 + index, 6 + index, 3]));
    const { warmUp } = each.make(...each.params);
    streamed(each, bars).forEach((answer, index) => {
      expect(numbersOf(answer).every(Number.isFinite)).toBe(index + 1 >= warmUp);
    });
  });

  test('has its columns even of nothing', () => {
    const none = inColumns(each, []);
    const names = streamed(each, barsOf([[2, 1, 1]])).map((answer) =>
      typeof answer === 'number' ? null : Object.keys(answer),
    )[0];
    if (!names) expect(none).toEqual(new Float64Array(0));
    else expect(none).toEqual(Object.fromEntries(names.map((name) => [name, new Float64Array(0)])));
  });

  test.each([0, -1, 1.5, NaN, Infinity])('refuses a length of %s', (length) => {
    each.params.forEach((_, place) => {
      if (place === 1 && ['bollinger', 'keltner'].includes(each.name) && length === 1.5) return;
      const params = each.params.map((param, index) => (index === place ? length : param));
      expect(() => each.make(...params)).toThrow(`${each.name} needs a`);
    });
  });
});

test('macd refuses a fast average that is not the faster one', () => {
  expect(() => strategy.macd(26, 12)).toThrow('below the slow one, not 26 and 12');
});

/** How the answers change when all prices are moved, and when all are multiplied. */
const CHANGES: Readonly<
  Record<string, Readonly<{ shift: 'moves' | 'stays' | 'none'; scale: 'grows' | 'stays' }>>
> = {
  ...follow(['sma', 'ema', 'wma', 'bollinger', 'highest', 'lowest', 'vwap', 'rollingVwap', 'donchian']),
  ...follow(['keltner']),
  ...Object.fromEntries(
    ['macd', 'standardDeviation', 'slope', 'atr'].map((name) => [
      name,
      { shift: 'stays', scale: 'grows' } as const,
    ]),
  ),
  ...Object.fromEntries(
    ['rsi', 'zScore', 'adx', 'stochastic', 'cci', 'williamsR', 'obv'].map((name) => [
      name,
      { shift: 'stays', scale: 'stays' } as const,
    ]),
  ),
  roc: { shift: 'none', scale: 'stays' },
  mfi: { shift: 'none', scale: 'stays' },
};

function follow(names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, { shift: 'moves', scale: 'grows' } as const]));
}

const changed = (bars: readonly Candle[], change: (price: number) => number): Candle[] =>
  bars.map((bar) => ({ ...bar, high: change(bar.high), low: change(bar.low), close: change(bar.close) }));

/** Prices of eighths stay exact when they are moved or doubled: no rise or fall appears or vanishes. */
const eighths = series.map((bars) => changed(bars, (each) => Math.round(each * 8) / 8));

describe.each(INDICATORS)('$name', (each) => {
  const expectClose = (
    found: readonly Answer[],
    expected: readonly Answer[],
    change: (v: number) => number,
  ) => {
    found.flatMap(numbersOf).forEach((value, index) => {
      const was = expected.flatMap(numbersOf)[index] ?? 0;
      if (Number.isFinite(was)) expect(value).toBeCloseTo(change(was), 6);
    });
  };
  const { shift, scale } = CHANGES[each.name] ?? { shift: 'none', scale: 'stays' };

  test.runIf(shift !== 'none')(`${shift} when all prices are moved`, () => {
    fc.assert(
      fc.property(eighths, fc.integer({ min: 1, max: 4096 }), (bars, by) => {
        const moved = streamed(
          each,
          changed(bars, (value) => value + by),
        );
        expectClose(moved, streamed(each, bars), (value) => (shift === 'moves' ? value + by : value));
      }),
    );
  });

  test(`${scale} when all prices are multiplied`, () => {
    fc.assert(
      fc.property(eighths, fc.constantFrom(0.25, 2, 16), (bars, by) => {
        const grown = streamed(
          each,
          changed(bars, (value) => value * by),
        );
        expectClose(grown, streamed(each, bars), (value) => (scale === 'grows' ? value * by : value));
      }),
    );
  });
});

test('every indicator is listed here', () => {
  const others = ['columns', 'defineStrategy', 'interval', 'notional', 'remember', 'sessionTime', 'ticker'];
  const names = Object.keys(strategy).filter((name) => !others.includes(name));
  expect(INDICATORS.map(({ name }) => name).sort()).toEqual(names.sort());
  expect(Object.keys(CHANGES).sort()).toEqual(names.sort());
});
