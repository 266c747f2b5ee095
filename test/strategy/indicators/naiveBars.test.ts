import fc from 'fast-check';
import { describe, test } from 'vitest';
import * as strategy from '../../../src/strategy/index.ts';
import type { Candle, Pair } from '../../../src/strategy/index.ts';
import type { TestBar } from './catalogue.ts';
import {
  changes,
  expectNaive,
  faded,
  highs,
  lows,
  mean,
  ranges,
  series,
  sum,
  typical,
  wilder,
  type Case,
} from './naive.ts';

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

/** By Wilder's worksheet, a rise and a fall apart. */
function stopAndReverse(bars: readonly Candle[], step: number, limit: number): number {
  const [first, second] = bars as [Candle, Candle];
  const fell = first.low - second.low;
  let isRising = !(fell > 0 && fell > second.high - first.high);
  let [stop, extreme, pace, shown] = [isRising ? first.low : first.high, 0, step, NaN];
  extreme = isRising ? second.high : second.low;
  bars.slice(1).forEach(({ high, low }, at) => {
    const before = at === 0 ? { high, low } : (bars[at] as Candle);
    const isTouched = isRising ? low <= stop : high >= stop;
    if (isTouched) {
      stop = isRising ? Math.max(extreme, high, before.high) : Math.min(extreme, low, before.low);
      [isRising, extreme, pace] = [!isRising, isRising ? low : high, step];
    }
    shown = stop;
    if (isRising ? high > extreme : low < extreme) {
      extreme = isRising ? high : low;
      pace = Math.min(pace + step, limit);
    }
    stop += pace * (extreme - stop);
    stop = isRising ? Math.min(stop, low, before.low) : Math.max(stop, high, before.high);
  });
  return shown;
}

/** As Pine Script says it: `direction` 1 falls there. */
function superTrend(bars: readonly Candle[], length: number, factor: number): readonly [number, number] {
  let [upper, lower, direction] = [0, 0, 1];
  bars.forEach(({ high, low, close }, at) => {
    if (at + 1 < length) return;
    const range = wilder(ranges(bars.slice(0, at + 1)), length);
    const [up, down] = [(high + low) / 2 + factor * range, (high + low) / 2 - factor * range];
    const before = at + 1 === length ? NaN : (bars[at - 1]?.close ?? NaN);
    const isFirst = Number.isNaN(before);
    lower = isFirst || down > lower || before < lower ? down : lower;
    upper = isFirst || up < upper || before > upper ? up : upper;
    if (!isFirst) direction = direction === 1 ? (close > upper ? -1 : 1) : close < lower ? 1 : -1;
  });
  return [direction === -1 ? lower : upper, -direction];
}

const middle = (bars: readonly Candle[], length: number) =>
  bars.length < length ? NaN : (highs(bars.slice(-length)) + lows(bars.slice(-length))) / 2;

const flow = ({ high, low, close, volume }: Candle) =>
  high === low ? 0 : (volume * (2 * close - high - low)) / (high - low);

/** Moves from 50 by one part in `length` towards each value. */
const fadedFrom50 = (all: readonly number[], length: number) => {
  const left = 1 - 1 / length;
  return (
    50 * left ** all.length + sum(all.map((each, at) => (each / length) * left ** (all.length - 1 - at)))
  );
};

const OF_BARS: readonly Case<TestBar>[] = [
  ['trueRange', strategy.trueRange, (seen) => ranges(seen).at(-1) ?? NaN],
  [
    'natr',
    strategy.natr,
    (seen, length) => (100 * wilder(ranges(seen), length)) / (seen.at(-1)?.close ?? NaN),
  ],
  [
    'parabolicSar',
    (length) => strategy.parabolicSar(length / 100, length / 20),
    (seen, length) => stopAndReverse(seen, length / 100, length / 20),
  ],
  [
    'supertrend',
    (length) => strategy.supertrend(length, 0.4),
    (seen, length) => superTrend(seen, length, 0.4),
  ],
  [
    'ichimoku',
    (length) => strategy.ichimoku(length, 4, 9),
    (seen, length) => {
      const leadA = (bars: readonly Candle[]) => (middle(bars, length) + middle(bars, 4)) / 2;
      const under = seen.slice(0, -3);
      return [
        middle(seen, length),
        middle(seen, 4),
        leadA(under),
        middle(under, 9),
        leadA(seen),
        middle(seen, 9),
      ];
    },
  ],
  [
    'aroon',
    strategy.aroon,
    (seen, length) => {
      const window = seen.slice(-1 - length);
      const up = (100 * window.map(({ high }) => high).lastIndexOf(highs(window))) / length;
      const down = (100 * window.map(({ low }) => low).lastIndexOf(lows(window))) / length;
      return [up, down, up - down];
    },
  ],
  [
    'heikinAshi',
    strategy.heikinAshi,
    (seen) => {
      const closes = seen.map(({ open, high, low, close }) => (open + high + low + close) / 4);
      const [bar, first] = [seen.at(-1), seen[0]] as [TestBar, TestBar];
      const later = closes.slice(0, -1);
      const open =
        ((first.open + first.close) / 2) * 0.5 ** later.length +
        sum(later.map((each, at) => each * 0.5 ** (later.length - at)));
      const close = closes.at(-1) ?? NaN;
      return [open, Math.max(bar.high, open, close), Math.min(bar.low, open, close), close];
    },
  ],
  [
    'kdj',
    (length) => strategy.kdj(length, 3, 2),
    (seen, length) => {
      const raw = seen.slice(length - 1).map((bar, at) => {
        const [top, bottom] = [highs(seen.slice(at, at + length)), lows(seen.slice(at, at + length))];
        return top === bottom ? 50 : (100 * (bar.close - bottom)) / (top - bottom);
      });
      const k = raw.map((_, at) => fadedFrom50(raw.slice(0, at + 1), 3));
      const d = fadedFrom50(k, 2);
      return [k.at(-1) ?? NaN, d, 3 * (k.at(-1) ?? NaN) - 2 * d];
    },
  ],
  [
    'ultimateOscillator',
    (length) => strategy.ultimateOscillator(length, length + 1, length + 3),
    (seen, length) => {
      const pressure = seen
        .map(({ low, close }, at) => close - Math.min(low, seen[at - 1]?.close ?? NaN))
        .slice(1);
      const [short, medium, long] = [length, length + 1, length + 3].map((each) => {
        const range = sum(ranges(seen).slice(1).slice(-each));
        return range === 0 ? 0.5 : sum(pressure.slice(-each)) / range;
      }) as [number, number, number];
      return (100 * (4 * short + 2 * medium + long)) / 7;
    },
  ],
  ['accumulationDistribution', strategy.accumulationDistribution, (seen) => sum(seen.map(flow))],
  [
    'cmf',
    strategy.cmf,
    (seen, length) => {
      const window = seen.slice(-length);
      return sum(window.map(flow)) / sum(window.map(({ volume }) => volume));
    },
  ],
  [
    'vwma',
    strategy.vwma,
    (seen, length) => {
      const window = seen.slice(-length);
      return sum(window.map(({ close, volume }) => close * volume)) / sum(window.map(({ volume }) => volume));
    },
  ],
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

describe('an indicator of bars equals its definition, computed from the start for every bar', () => {
  test.each(OF_BARS)('%s', (...each) => {
    expectNaive(each, series);
  });
});

/** Whole, so that two returns are the same or well apart. */
const price = fc.integer({ min: 50, max: 200 });
const pairs = fc
  .array(fc.tuple(price, price), { minLength: 1, maxLength: 120, size: 'max' })
  .map((all) => all.map(([value, reference]) => ({ value, reference })));

const returns = (all: readonly number[]) => changes(all).map((each, at) => each / (all[at] ?? NaN));

const OF_PAIRS: readonly Case<Pair>[] = [
  [
    'beta',
    strategy.beta,
    (seen, length) => {
      const own = returns(seen.map(({ value }) => value)).slice(-length);
      const other = returns(seen.map(({ reference }) => reference)).slice(-length);
      if (new Set(other).size === 1) return NaN;
      const apart = other.map((each) => each - mean(other));
      return (
        sum(own.map((each, at) => (each - mean(own)) * (apart[at] ?? NaN))) / sum(apart.map((x) => x * x))
      );
    },
  ],
  [
    'crossedAbove',
    strategy.crossedAbove,
    (seen) => {
      const [before, now] = seen.slice(-2) as [Pair, Pair];
      return before.value <= before.reference && now.value > now.reference ? 1 : 0;
    },
  ],
  [
    'crossedBelow',
    strategy.crossedBelow,
    (seen) => {
      const [before, now] = seen.slice(-2) as [Pair, Pair];
      return before.value >= before.reference && now.value < now.reference ? 1 : 0;
    },
  ],
];

describe('an indicator of pairs equals its definition, computed from the start for every pair', () => {
  test.each(OF_PAIRS)('%s', (...each) => {
    expectNaive(each, pairs);
  });
});
