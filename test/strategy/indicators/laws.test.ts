import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { columns, type Indicator } from '../../../src/strategy/index.ts';
import * as strategy from '../../../src/strategy/index.ts';
import {
  answersTo,
  barsOf,
  inputOf,
  INDICATORS,
  type Answer,
  type Listed,
  type TestBar,
} from './catalogue.ts';

const price = fc.double({ min: 1, max: 1000, noNaN: true });
const series = fc
  .array(fc.tuple(price, price, price, fc.integer({ min: 0, max: 9 })), { minLength: 1, maxLength: 60 })
  .map((rows) =>
    barsOf(rows.map(([a, b, c, volume]) => [Math.max(a, b, c), Math.min(a, b, c), b, volume] as const)),
  );

const columnsOf = (bars: readonly TestBar[]) => ({
  start: Float64Array.from(bars, ({ start }) => start),
  open: Float64Array.from(bars, ({ open }) => open),
  high: Float64Array.from(bars, ({ high }) => high),
  low: Float64Array.from(bars, ({ low }) => low),
  close: Float64Array.from(bars, ({ close }) => close),
  volume: Float64Array.from(bars, ({ volume }) => volume),
});

const numbersOf = (answer: Answer): readonly number[] =>
  typeof answer === 'number' ? [answer] : Object.values(answer);

/** The numbers of an answer that depend on the scale of the prices. */
const scaledOf = (answer: Answer): readonly number[] =>
  typeof answer === 'number' ? [answer] : numbersOf(withoutDirection(answer));

const withoutDirection = ({ direction: _, ...rest }: Readonly<Record<string, number>>) => rest;

const streamed = ({ make, params, reads }: Listed, bars: readonly TestBar[]) =>
  answersTo(
    make(...params) as unknown as Indicator<unknown, Answer>,
    bars.map((bar) => inputOf(reads, bar)),
  );

const inColumns = (
  { make, params, reads }: Listed,
  bars: readonly TestBar[],
): Float64Array | Record<string, Float64Array> => {
  const indicator = make(...params) as unknown as Indicator<never>;
  const all = columnsOf(bars);
  if (reads === 'values') return columns(indicator, all.close);
  return columns(indicator, reads === 'bars' ? all : { value: all.close, reference: all.open });
};

describe.each(INDICATORS)('$name', (each) => {
  test('gives the same for columns as bar by bar, to the last bit', () => {
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

  test('is finite from the last bar of its warm-up on, and not before', () => {
    const bars = barsOf(Array.from({ length: 40 }, (_, index) => [9 + index ** 2, 5 + index, 6 + index, 3]));
    const { warmUp } = each.make(...each.params);
    streamed(each, bars).forEach((answer, index) => {
      expect(numbersOf(answer).every(Number.isFinite)).toBe(index + 1 >= warmUp);
    });
  });

  test('gives empty columns for no bars', () => {
    const none = inColumns(each, []);
    const names = streamed(each, barsOf([[2, 1, 1]])).map((answer) =>
      typeof answer === 'number' ? null : Object.keys(answer),
    )[0];
    if (!names) expect(none).toEqual(new Float64Array(0));
    else expect(none).toEqual(Object.fromEntries(names.map((name) => [name, new Float64Array(0)])));
  });

  test.each([0, -1, 1.5, NaN, Infinity])('refuses a length of %s', (length) => {
    each.params.forEach((_, place) => {
      if (each.widths?.includes(place) && length === 1.5) return;
      const params = each.params.map((param, index) => (index === place ? length : param));
      expect(() => each.make(...params)).toThrow(`${each.name} needs a`);
    });
  });
});

test.each([strategy.macd, strategy.ppo])(
  'a fast average that is not below the slow one is refused',
  (make) => {
    expect(() => make(26, 12)).toThrow('below the slow one, not 26 and 12');
  },
);

test('lengths and limits that contradict each other are refused', () => {
  expect(() => strategy.kama(10, 30, 2)).toThrow('kama needs a fast length below the slow one, not 30 and 2');
  expect(() => strategy.parabolicSar(0.3, 0.2)).toThrow('a limit not below its step, not 0.2 and 0.3');
  expect(() => strategy.ultimateOscillator(7, 7, 28)).toThrow('lengths that rise, not 7, 7 and 28');
});

test('columns() refuses columns of different lengths, and needs only those it reads', () => {
  const [high, low] = [
    [3, 5],
    [1, 2],
  ];
  expect(columns(strategy.donchian(2), { high, low }).upper).toEqual(Float64Array.of(NaN, 5));
  expect(() => columns(strategy.donchian(2), { high, low: [1] })).toThrow('not 2 of high and 1 of low');
});

/** How the answers change when all prices are moved, and when all are multiplied. */
const CHANGES: Readonly<
  Record<string, Readonly<{ shift: 'moves' | 'stays' | 'none'; scale: 'grows' | 'stays' }>>
> = {
  ...all(['sma', 'ema', 'wma', 'dema', 'tema', 'kama', 'hma'], { shift: 'moves', scale: 'grows' }),
  ...all(['bollinger', 'highest', 'lowest', 'vwap', 'rollingVwap', 'vwma', 'donchian', 'keltner'], {
    shift: 'moves',
    scale: 'grows',
  }),
  ...all(['ichimoku', 'heikinAshi'], { shift: 'moves', scale: 'grows' }),
  ...all(['macd', 'standardDeviation', 'slope', 'atr', 'trueRange', 'momentum'], {
    shift: 'stays',
    scale: 'grows',
  }),
  ...all(['rsi', 'stochRsi', 'zScore', 'adx', 'aroon', 'stochastic', 'kdj', 'cci', 'williamsR', 'obv'], {
    shift: 'stays',
    scale: 'stays',
  }),
  ...all(['accumulationDistribution', 'cmf', 'ultimateOscillator', 'percentRank'], {
    shift: 'stays',
    scale: 'stays',
  }),
  ...all(['crossedAbove', 'crossedBelow'], { shift: 'stays', scale: 'stays' }),
  ...all(['roc', 'mfi', 'trix', 'ppo', 'natr', 'beta'], { shift: 'none', scale: 'stays' }),
  // A stop that just touches the price may miss it once rounded elsewhere.
  parabolicSar: { shift: 'none', scale: 'grows' },
  supertrend: { shift: 'none', scale: 'grows' },
};

function all<Change>(names: readonly string[], change: Change) {
  return Object.fromEntries(names.map((name) => [name, change]));
}

const changed = (bars: readonly TestBar[], change: (price: number) => number): TestBar[] =>
  bars.map((bar) => ({
    ...bar,
    open: change(bar.open),
    high: change(bar.high),
    low: change(bar.low),
    close: change(bar.close),
  }));

/** Prices of eighths stay exact when they are moved or doubled: no rise or fall appears or vanishes. */
const eighths = series.map((bars) => changed(bars, (each) => Math.round(each * 8) / 8));

describe.each(INDICATORS)('$name', (each) => {
  const expectClose = (
    found: readonly Answer[],
    expected: readonly Answer[],
    change: (v: number) => number,
  ) => {
    const before = expected.flatMap(scaledOf);
    found.flatMap(scaledOf).forEach((value, index) => {
      const was = before[index] ?? 0;
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

test('every indicator is listed in this test', () => {
  const source = readFileSync('src/strategy/index.ts', 'utf8');
  const names = [...source.matchAll(/export \{([^}]*)\} from '\.\/indicators\//g)]
    .flatMap(([, list = '']) => list.split(',').map((name) => name.trim()))
    .filter((name) => name !== '' && name !== 'columns' && !name.startsWith('type '));
  expect(INDICATORS.map(({ name }) => name).sort()).toEqual(names.sort());
  expect(Object.keys(CHANGES).sort()).toEqual(names.sort());
});
