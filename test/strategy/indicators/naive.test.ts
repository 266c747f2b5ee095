import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as strategy from '../../../src/strategy/index.ts';
import type { Candle, Indicator } from '../../../src/strategy/index.ts';
import { answersTo, barsOf, type Answer } from './catalogue.ts';

const DIGITS = 6;
const price = fc.double({ min: 0.01, max: 1e4, noNaN: true });
const values = fc.array(price, { minLength: 1, maxLength: 120, size: 'max' });
const series = fc
  .array(fc.tuple(price, price, price, fc.integer({ min: 1, max: 9 })), {
    minLength: 1,
    maxLength: 120,
    size: 'max',
  })
  .map((rows) =>
    barsOf(rows.map(([a, b, c, volume]) => [Math.max(a, b, c), Math.min(a, b, c), b, volume] as const)),
  );
const lengths = fc.integer({ min: 2, max: 20 });

const sum = (all: readonly number[]) => all.reduce((total, each) => total + each, 0);
const mean = (all: readonly number[]) => sum(all) / all.length;
const deviation = (all: readonly number[]) => Math.sqrt(mean(all.map((each) => (each - mean(all)) ** 2)));
const typical = ({ high, low, close }: Candle) => (high + low + close) / 3;
const highs = (bars: readonly Candle[]) => Math.max(...bars.map(({ high }) => high));
const lows = (bars: readonly Candle[]) => Math.min(...bars.map(({ low }) => low));

/** By its closed form: the seed and each later value, every one faded by all that came after it. */
function faded(all: readonly number[], length: number, weight: number): number {
  const later = all.slice(length);
  const seed = mean(all.slice(0, length)) * (1 - weight) ** later.length;
  return seed + sum(later.map((each, index) => weight * each * (1 - weight) ** (later.length - 1 - index)));
}

const wilder = (all: readonly number[], length: number) => faded(all, length, 1 / length);

const changes = (all: readonly number[]) => all.slice(1).map((each, index) => each - (all[index] ?? NaN));

const ranges = (bars: readonly Candle[]) =>
  bars.map(({ high, low }, index) => {
    const before = bars[index - 1]?.close;
    return before === undefined
      ? high - low
      : Math.max(high - low, Math.abs(high - before), Math.abs(low - before));
  });

function index(bars: readonly Candle[], length: number): readonly number[] {
  const ups = changes(bars.map(({ high }) => high));
  const downs = changes(bars.map(({ low }) => -low));
  const [plus, minus] = [
    ups.map((up, at) => (up > (downs[at] ?? NaN) && up > 0 ? up : 0)),
    downs.map((down, at) => (down > (ups[at] ?? NaN) && down > 0 ? down : 0)),
  ];
  const range = ranges(bars).slice(1);
  const at = (end: number) => {
    const total = wilder(range.slice(0, end), length);
    const [p, m] = [plus, minus].map((each) => (100 * wilder(each.slice(0, end), length)) / total) as [
      number,
      number,
    ];
    return { p, m, dx: p + m === 0 ? 0 : (100 * Math.abs(p - m)) / (p + m) };
  };
  const ends = range.map((_, place) => place + 1).filter((end) => end >= length);
  const { p, m } = at(range.length);
  return [
    wilder(
      ends.map((end) => at(end).dx),
      length,
    ),
    p,
    m,
  ];
}

type Case<Input> = readonly [
  name: string,
  make: (length: number) => Indicator<Input, Answer>,
  /** The whole answer after all of `seen`, of which there are enough. */
  naive: (seen: readonly Input[], length: number) => number | readonly number[],
];

const OF_VALUES: readonly Case<number>[] = [
  ['ema', strategy.ema, (seen, length) => faded(seen, length, 2 / (length + 1))],
  [
    'wma',
    strategy.wma,
    (seen, length) =>
      (2 * sum(seen.slice(-length).map((each, at) => each * (at + 1)))) / (length * (length + 1)),
  ],
  [
    'rsi',
    strategy.rsi,
    (seen, length) => {
      const up = wilder(
        changes(seen).map((each) => Math.max(each, 0)),
        length,
      );
      const down = wilder(
        changes(seen).map((each) => Math.max(-each, 0)),
        length,
      );
      return up + down === 0 ? 50 : (100 * up) / (up + down);
    },
  ],
  ['standardDeviation', strategy.standardDeviation, (seen, length) => deviation(seen.slice(-length))],
  [
    'bollinger',
    (length) => strategy.bollinger(length, 1.5),
    (seen, length) => {
      const window = seen.slice(-length);
      return [1.5, 0, -1.5].map((width) => mean(window) + width * deviation(window));
    },
  ],
  ['highest', strategy.highest, (seen, length) => Math.max(...seen.slice(-length))],
  ['lowest', strategy.lowest, (seen, length) => Math.min(...seen.slice(-length))],
  [
    'slope',
    strategy.slope,
    (seen, length) => {
      const middle = (length - 1) / 2;
      const window = seen.slice(-length).map((each) => each - mean(seen.slice(-length)));
      const spread = sum(window.map((_, at) => (at - middle) ** 2));
      return sum(window.map((each, at) => (at - middle) * each)) / spread;
    },
  ],
  ['roc', strategy.roc, (seen, length) => (100 * (seen.at(-1) ?? 0)) / (seen.at(-1 - length) ?? NaN) - 100],
];

const OF_BARS: readonly Case<Candle>[] = [
  ['atr', strategy.atr, (seen, length) => wilder(ranges(seen), length)],
  ['adx', strategy.adx, index],
  [
    'stochastic',
    (length) => strategy.stochastic(length, 2, 3),
    (seen, length) => {
      const raw = seen.map((bar, at) => {
        const window = seen.slice(Math.max(at + 1 - length, 0), at + 1);
        const [top, bottom] = [highs(window), lows(window)];
        return top === bottom ? 50 : (100 * (bar.close - bottom)) / (top - bottom);
      });
      const k = raw.map((_, at) => mean(raw.slice(Math.max(at - 1, 0), at + 1)));
      return [k.at(-1) ?? NaN, mean(k.slice(-3))];
    },
  ],
  [
    'williamsR',
    strategy.williamsR,
    (seen, length) => {
      const window = seen.slice(-length);
      const [top, bottom, close] = [highs(window), lows(window), seen.at(-1)?.close ?? NaN];
      return top === bottom ? -50 : (-100 * (top - close)) / (top - bottom);
    },
  ],
  [
    'mfi',
    strategy.mfi,
    (seen, length) => {
      const flows = changes(seen.map(typical))
        .map(
          (change, at) => Math.sign(change) * typical(seen[at + 1] as Candle) * (seen[at + 1]?.volume ?? 0),
        )
        .slice(-length);
      const [inflow, outflow] = [1, -1].map(
        (sign) => sum(flows.filter((flow) => flow * sign > 0)) * sign,
      ) as [number, number];
      return inflow + outflow === 0 ? 50 : (100 * inflow) / (inflow + outflow);
    },
  ],
  [
    'rollingVwap',
    strategy.rollingVwap,
    (seen, length) => {
      const window = seen.slice(-length);
      return sum(window.map((bar) => typical(bar) * bar.volume)) / sum(window.map(({ volume }) => volume));
    },
  ],
  [
    'donchian',
    strategy.donchian,
    (seen, length) => {
      const [top, bottom] = [highs(seen.slice(-length)), lows(seen.slice(-length))];
      return [top, (top + bottom) / 2, bottom];
    },
  ],
  [
    'keltner',
    (length) => strategy.keltner(length, 1.5, 3),
    (seen, length) => {
      const middle = faded(
        seen.map(({ close }) => close),
        length,
        2 / (length + 1),
      );
      return [1.5, 0, -1.5].map((width) => middle + width * wilder(ranges(seen), 3));
    },
  ],
];

function expectNaive<Input>([, make, naive]: Case<Input>, inputs: fc.Arbitrary<Input[]>): void {
  fc.assert(
    fc.property(lengths, inputs, (length, given) => {
      const indicator = make(length);
      answersTo(indicator, given).forEach((answer, at) => {
        if (at + 1 < indicator.warmUp) return;
        const found = typeof answer === 'number' ? [answer] : Object.values(answer);
        [naive(given.slice(0, at + 1), length)].flat().forEach((expected, place) => {
          expect(found[place]).toBeCloseTo(expected, DIGITS);
        });
      });
    }),
    { numRuns: 40 },
  );
}

describe('it is what its definition says, worked out anew for every bar', () => {
  test.each(OF_VALUES)('%s', (...each) => {
    expectNaive(each, values);
  });

  test.each(OF_BARS)('%s', (...each) => {
    expectNaive(each, series);
  });

  test('macd', () => {
    fc.assert(
      fc.property(values, (given) => {
        const of = (length: number) => strategy.columns(strategy.ema(length), given);
        const [fast, slow] = [of(4), of(7)];
        const line = fast.map((each, at) => each - (slow[at] ?? NaN));
        const signal = strategy.columns(strategy.ema(3), line.slice(6));
        const found = strategy.columns(strategy.macd(4, 7, 3), given);
        expect(found.macd).toEqual(line);
        expect(found.signal.slice(6)).toEqual(signal);
        expect(found.histogram.slice(6)).toEqual(signal.map((each, at) => (line[at + 6] ?? NaN) - each));
      }),
    );
  });
});

describe('no error piles up, and a large value leaves nothing behind', () => {
  const wide = (at: number) => (at % 10_000 === 0 ? 1e12 : 1e6 + 0.1 * (at % 10));
  const after = (indicator: Indicator) => {
    for (let at = 0; at <= 1_000_000; at++) indicator.next(wide(at));
    return [0.1, 0.2, 0.3, 0.1, 0.2, 0.3, 0.4].map((each) => indicator.next(each)).at(-1);
  };

  test.each([
    ['standardDeviation', strategy.standardDeviation(7), deviation([0.1, 0.2, 0.3, 0.1, 0.2, 0.3, 0.4])],
    ['wma', strategy.wma(7), (0.1 + 0.4 + 0.9 + 0.4 + 1 + 1.8 + 2.8) / 28],
    ['slope', strategy.slope(7), 1 / 28],
    ['highest', strategy.highest(7), 0.4],
  ])('%s', (_name, indicator, expected) => {
    expect(after(indicator)).toBeCloseTo(expected, 14);
  });

  test('money and volume of rollingVwap', () => {
    const indicator = strategy.rollingVwap(3);
    const bar = (close: number, volume: number) => ({ high: close, low: close, close, volume });
    for (let at = 0; at < 1000; at++) indicator.next(bar(1e6 + 0.1 * at, 1e9 + 0.1));
    for (const volume of [0, 0]) indicator.next(bar(1, volume));
    expect(indicator.next(bar(0.1, 0))).toBeNaN();
  });

  test('a NaN is forgotten when its window has passed', () => {
    for (const make of [strategy.standardDeviation, strategy.wma, strategy.slope, strategy.lowest]) {
      const answers = answersTo(make(3), [1, 2, 3, NaN, 5, 6, 7, 8]);
      expect(answers.map(Number.isNaN)).toEqual([true, true, false, true, true, true, false, false]);
    }
  });
});
