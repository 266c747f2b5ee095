import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as strategy from '../../../src/strategy/index.ts';
import type { Indicator } from '../../../src/strategy/index.ts';
import { answersTo, type Answer } from './catalogue.ts';
import { values } from './naive.ts';

/** What an indicator answers to a whole series, from its warm-up on. */
const answers = (indicator: Indicator, all: ArrayLike<number>) =>
  strategy.columns(indicator, all).slice(indicator.warmUp - 1);

const ema = (length: number, all: ArrayLike<number>) => answers(strategy.ema(length), all);
const sma = (length: number, all: ArrayLike<number>) => answers(strategy.sma(length), all);
const wma = (length: number, all: ArrayLike<number>) => answers(strategy.wma(length), all);

type Join = (one: number, other: number) => number;

/** Two series that end together, the first as long as the second or longer. */
const joined = (longer: Float64Array, shorter: Float64Array, join: Join) =>
  shorter.map((value, at) => join(longer[at + longer.length - shorter.length] ?? NaN, value));

const less: Join = (one, other) => one - other;

function momentary(all: Float64Array, length: number) {
  const place = (at: number) => {
    const window = all.slice(at, at + length);
    const [top, bottom] = [Math.max(...window), Math.min(...window)];
    return top === bottom ? 50 : (100 * ((window.at(-1) ?? NaN) - bottom)) / (top - bottom);
  };
  return Float64Array.from({ length: Math.max(all.length - length + 1, 0) }, (_, at) => place(at));
}

type Composite = readonly [
  name: string,
  make: () => Indicator<number, Answer>,
  parts: (given: readonly number[]) => Float64Array | Readonly<Record<string, Float64Array>>,
];

const COMPOSITES: readonly Composite[] = [
  [
    'macd',
    () => strategy.macd(4, 7, 3),
    (given) => {
      const macd = joined(ema(4, given), ema(7, given), less);
      const signal = ema(3, macd);
      return { macd, signal, histogram: joined(macd, signal, less) };
    },
  ],
  [
    'ppo',
    () => strategy.ppo(4, 7, 3),
    (given) => {
      const ppo = joined(ema(4, given), ema(7, given), (fast, slow) => 100 * (fast / slow - 1));
      const signal = ema(3, ppo);
      return { ppo, signal, histogram: joined(ppo, signal, less) };
    },
  ],
  [
    'dema',
    () => strategy.dema(4),
    (given) => {
      const once = ema(4, given);
      return joined(once, ema(4, once), (one, two) => 2 * one - two);
    },
  ],
  [
    'tema',
    () => strategy.tema(4),
    (given) => {
      const once = ema(4, given);
      const twice = ema(4, once);
      const difference = joined(once, twice, (one, two) => 3 * one - 3 * two);
      return joined(difference, ema(4, twice), (before, three) => before + three);
    },
  ],
  [
    'trix',
    () => strategy.trix(4),
    (given) => {
      const average = ema(4, ema(4, ema(4, given)));
      return joined(average.slice(0, -1), average.slice(1), (before, now) => 100 * (now / before - 1));
    },
  ],
  [
    'hma',
    () => strategy.hma(11),
    (given) =>
      wma(
        3,
        joined(wma(5, given), wma(11, given), (half, whole) => 2 * half - whole),
      ),
  ],
  [
    'stochRsi',
    () => strategy.stochRsi(5, 2, 3),
    (given) => {
      const k = sma(2, momentary(answers(strategy.rsi(5), given), 5));
      return { k, d: sma(3, k) };
    },
  ],
];

test.each(COMPOSITES)('%s equals the composition of its parts, to the last bit', (_name, make, parts) => {
  fc.assert(
    fc.property(values, (given) => {
      const found = answersTo(make(), given);
      const expected = parts(given);
      const columns = expected instanceof Float64Array ? { '': expected } : expected;
      for (const [name, column] of Object.entries(columns)) {
        const all = found.map((each) => (typeof each === 'number' ? each : (each[name] ?? NaN)));
        const begin = given.length - column.length;
        expect(all.slice(0, begin).every(Number.isNaN)).toBe(true);
        expect(all.slice(begin)).toEqual([...column]);
      }
    }),
  );
});
