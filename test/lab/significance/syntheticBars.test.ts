import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tradingCalendar } from '../../../src/calendar/index.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { seededRandom } from '../../../src/core/seededRandom.ts';
import { brokenBar } from '../../../src/domain/bar.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import { noisyBars } from '../../../src/lab/belief/stress.ts';
import { permutedBars } from '../permutedBars.ts';
import { generateMinutes } from '../../../src/market/generateBars.ts';
import { columnsOf, mapColumns, type BarColumns } from '../../../src/domain/barColumns.ts';
import { barAt } from '../../../src/market/series.ts';
import { autocorrelationOf } from '../../../src/statistics/moments.ts';
import { runs } from '../../runs.ts';

const minutes = (seed: number, symbol = 'AAPL'): BarColumns =>
  generateMinutes({ seed, symbol, from: '2026-03-02', to: '2026-03-06', calendar: tradingCalendar });

/** Daily bars with overnight gaps. */
function days(count: number): BarColumns {
  const random = seededRandom('days');
  const move = () => Math.exp(0.02 * (random.next() - 0.5));
  const made = columnsOf(count);
  let price = 100;
  for (let at = 0; at < count; at++) {
    const open = price * move();
    price = open * move();
    made.start[at] = at * 86_400_000;
    made.open[at] = open;
    made.close[at] = price;
    made.high[at] = Math.max(open, price) * 1.001;
    made.low[at] = Math.min(open, price) * 0.999;
    made.volume[at] = at;
  }
  return made;
}

const everyOne = (bars: BarColumns) =>
  Array.from(bars.start, (_, at) => barAt({ symbol: ticker('AAPL'), interval: '1m' }, bars, at));

const broken = (bars: BarColumns) => everyOne(bars).filter((bar) => brokenBar(bar) !== null);

/** Every body as text, in digits unaffected by rounding. */
const bodies = ({ open, high, low, close, volume }: BarColumns): string[] =>
  Array.from(
    open,
    (from, at) =>
      [high[at], low[at], close[at]].map((price) => ((price ?? NaN) / from).toFixed(10)).join(' ') +
      ` ${volume[at] ?? ''}`,
  );

const gaps = ({ open, close }: BarColumns): string[] =>
  Array.from(open, (price, at) => (price / (close[at - 1] ?? price)).toFixed(10)).slice(1);

const changes = ({ close }: BarColumns): number[] =>
  Array.from(close, (price, at) => Math.log(price / (close[at - 1] ?? price))).slice(1);

describe('permuted bars', () => {
  const bars = minutes(1);
  const [made = bars] = permutedBars([bars], seededRandom(1));

  test('have the same gaps and bodies in another order', () => {
    expect(bodies(made)).not.toEqual(bodies(bars));
    expect(bodies(made).sort()).toEqual(bodies(bars).sort());
    expect(gaps(made)).not.toEqual(gaps(bars));
    expect(gaps(made).sort()).toEqual(gaps(bars).sort());
  });

  test('shuffle gaps and bodies independently', () => {
    const daily = days(300);
    const together = (of: BarColumns) => {
      const all = bodies(of);
      return gaps(of).map((gap, at) => `${gap} ${all[at + 1] ?? ''}`);
    };
    const before = new Set(together(daily));
    const after = permutedBars([daily], seededRandom(2)).flatMap(together);
    expect(after.filter((pair) => before.has(pair)).length).toBeLessThan(10);
  });

  test('keep times, first bar, last close and the gaps of nights', () => {
    expect(made.start).toEqual(bars.start);
    expect(everyOne(made)[0]).toEqual(everyOne(bars)[0]);
    expect(made.close.at(-1)).toBeCloseTo(bars.close.at(-1) ?? NaN, 8);
    const nights = (of: BarColumns) => [389, 779, 1_169, 1_559].map((at) => gaps(of)[at]);
    expect(nights(bars)).toHaveLength(4);
    expect(nights(made).sort()).toEqual(nights(bars).sort());
  });

  test('are valid bars', () => expect(broken(made)).toEqual([]));

  test('lose a trend', () => {
    const length = 1_000;
    let price = 100;
    const close = Float64Array.from({ length }, (_, at) => (price *= 1 + 0.004 * Math.sin(at / 30)));
    const open = close.map((value, at) => close[at - 1] ?? value);
    const start = Float64Array.from({ length }, (_, at) => at * 86_400_000);
    const trending: BarColumns = {
      start,
      open,
      close,
      high: close.map((value, at) => Math.max(value, open[at] ?? NaN)),
      low: close.map((value, at) => Math.min(value, open[at] ?? NaN)),
      volume: start,
    };
    const [noise = trending] = permutedBars([trending], seededRandom(3));
    expect(autocorrelationOf(changes(trending))).toBeGreaterThan(0.99);
    expect(Math.abs(autocorrelationOf(changes(noise)))).toBeLessThan(0.1);
  });

  test('of several markets are permuted alike', () => {
    const other = minutes(2, 'MSFT');
    const [first = bars, second = other] = permutedBars([bars, other], seededRandom(1));
    expect(first).toEqual(made);
    const placesOf = (of: BarColumns, from: BarColumns) => {
      const before = new Map(bodies(from).map((body, at) => [body, at]));
      return bodies(of).map((body) => before.get(body));
    };
    const others = placesOf(second, other);
    const alike = placesOf(first, bars).filter((place, at) => place === others[at]);
    expect(alike.length).toBeGreaterThan(1_900);
  });

  test('need the same times in all markets', () =>
    expect(() =>
      permutedBars([bars, mapColumns(bars, (column) => column.slice(1))], seededRandom(1)),
    ).toThrow('market 1 has bars at other times than the first'));

  test('of at most one bar are unchanged', () => {
    const short = (count: number) => mapColumns(bars, (column) => column.slice(0, count));
    for (const count of [0, 1]) expect(permutedBars([short(count)], seededRandom(1))).toEqual([short(count)]);
    expect(permutedBars([], seededRandom(1))).toEqual([]);
  });
});

describe('noise on bars', () => {
  const bars = minutes(1);

  test('of size 0 changes nothing', () => {
    const made = noisyBars(bars, { random: seededRandom(1), size: 0 });
    for (const field of ['start', 'open', 'high', 'low', 'close', 'volume'] as const)
      expect(made[field]).toEqual(bars[field]);
  });

  test('has the requested size, and does not add up', () => {
    const made = noisyBars(bars, { random: seededRandom(1), size: 0.5 });
    const off = made.close.map((price, at) => Math.log(price / (bars.close[at] ?? NaN)));
    const deviation = (values: ArrayLike<number>) =>
      Math.sqrt(Array.from(values).reduce((sum, value) => sum + value ** 2, 0) / values.length);
    expect(deviation(off) / deviation(changes(bars))).toBeCloseTo(0.5, 1);
    expect(deviation(off.slice(-200)) / deviation(off)).toBeLessThan(1.3);
    expect(made.start).toEqual(bars.start);
    expect(made.volume).toEqual(bars.volume);
  });

  test('is of the moves without a split', () => {
    const open = epochMs(bars.start[200] ?? NaN);
    const action = { symbol: ticker('X'), kind: 'split', oldRate: 1n, newRate: 4n } as never;
    const old = (column: Float64Array) => column.map((price, at) => (at < 200 ? price * 4 : price));
    const raw = {
      ...bars,
      open: old(bars.open),
      high: old(bars.high),
      low: old(bars.low),
      close: old(bars.close),
    };
    const splits = [{ action, open, paidAt: open }];
    const made = noisyBars(raw, { random: seededRandom(1), size: 0.5, splits });
    const expected = noisyBars(bars, { random: seededRandom(1), size: 0.5 });
    expect(made.close[300]).toBeCloseTo(expected.close[300] ?? NaN, 9);
    expect(made.close[100]).toBeCloseTo(4 * (expected.close[100] ?? NaN), 8);
  });

  test('of any size leaves valid bars', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e6 }),
        fc.double({ min: 0, max: 20, noNaN: true }),
        (seed, size) => {
          const part = mapColumns(bars, (column) => column.slice(0, 60));
          expect(broken(noisyBars(part, { random: seededRandom(seed), size }))).toEqual([]);
        },
      ),
      { numRuns: runs(50) },
    ));

  test.each([-0.1, NaN, Infinity])('cannot be of size %d', (size) =>
    expect(() => noisyBars(bars, { random: seededRandom(1), size })).toThrow(
      'write a fraction of the usual move',
    ),
  );
});

test('every session lies within one UTC day, so that an overnight gap is a change of that day', () =>
  expect(
    tradingCalendar
      .sessions('2026-03-02', '2026-07-31')
      .every(({ open, close }) => Math.floor(open / 86_400_000) === Math.floor(epochMs(close) / 86_400_000)),
  ).toBe(true));
