import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tradingCalendar } from '../../src/calendar/index.ts';
import type { Interval } from '../../src/domain/bar.ts';
import { columnsOfRows, type BarRow } from '../../src/market/mergeBars.ts';
import { isMadeOf, resample, wholeBars } from '../../src/market/resample.ts';
import type { BarColumns } from '../../src/domain/barColumns.ts';
import { minutesOf, opensOf, row, rowsOf } from './columns.ts';

const to = (bars: BarColumns, interval: Interval, from: Interval = '1m') =>
  resample(bars, { from, to: interval, calendar: tradingCalendar });

/** Around an early close and a weekend: Wednesday, Friday until 13:00, Monday. */
const MINUTES = minutesOf('2026-11-25', '2026-11-30');

/** Some of those minutes with whole prices and volumes. */
const someMinutes = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 2, max: 999 }), fc.nat(50)), {
  minLength: MINUTES.length,
  maxLength: MINUTES.length,
});
const barsIn = (given: readonly (readonly [boolean, number, number])[]): BarColumns =>
  columnsOfRows(
    given.flatMap(([isThere, price, volume], index): BarRow[] =>
      isThere ? [row(MINUTES[index] ?? NaN, price, { volume, high: price + volume, low: price / 2 })] : [],
    ),
  );

const sum = (column: Float64Array): number => column.reduce((total, value) => total + value, 0);

describe('longer bars', () => {
  test.each<Interval>(['3m', '5m', '15m', '1h', '1d', '1w'])(
    'of %s keep volume, extremes, first and last',
    (interval) => {
      fc.assert(
        fc.property(someMinutes, (given) => {
          const bars = barsIn(given);
          const { columns } = to(bars, interval);
          expect(sum(columns.volume)).toBe(sum(bars.volume));
          expect(Math.max(...columns.high)).toBe(Math.max(...bars.high));
          expect(Math.min(...columns.low)).toBe(Math.min(...bars.low));
          expect([columns.open[0], columns.close.at(-1)]).toEqual([bars.open[0], bars.close.at(-1)]);
          columns.start.forEach((at, index) =>
            expect(at).toBeGreaterThan(columns.start[index - 1] ?? -Infinity),
          );
        }),
        { numRuns: 20 },
      );
    },
  );

  test.each<[Interval, Interval]>([
    ['5m', '15m'],
    ['5m', '1h'],
    ['3m', '15m'],
    ['1h', '1d'],
    ['15m', '1w'],
    ['1d', '1w'],
  ])('resampled by way of %s equal those resampled at once to %s', (half, whole) => {
    fc.assert(
      fc.property(someMinutes, (given) => {
        const bars = barsIn(given);
        expect(rowsOf(to(to(bars, half).columns, whole, half).columns)).toEqual(
          rowsOf(to(bars, whole).columns),
        );
      }),
      { numRuns: 20 },
    );
  });

  test('count from the open of each session, and end with it', () => {
    const starts = [...to(columnsOfRows(MINUTES.map((at) => row(at))), '1h').columns.start];
    const friday = Date.parse('2026-11-27T14:30:00Z');
    const hour = 3_600_000;
    expect(starts).toHaveLength(7 + 4 + 7);
    expect(starts.slice(7, 11)).toEqual([0, 1, 2, 3].map((index) => friday + index * hour));
  });

  test('of a week start at its first session, without a holiday', () => {
    const opens = opensOf('2026-09-01', '2026-09-15');
    const weeks = to(columnsOfRows(opens.map((at) => row(at))), '1w', '1d').columns;
    const dates = Array.from(weeks.start, (at) => new Date(at).toISOString().slice(0, 10));
    expect(dates).toEqual(['2026-08-31', '2026-09-08', '2026-09-14']);
    expect([...weeks.volume]).toEqual([40, 40, 20]);
  });
});

describe('a partial bar', () => {
  const partsOf = (minutes: readonly number[], interval: Interval) => {
    const resampled = to(columnsOfRows(minutes.map((at) => row(at))), interval);
    const { firstPartial, lastPartial } = resampled;
    return [firstPartial, lastPartial, resampled.columns.start.length, wholeBars(resampled).start.length];
  };
  const day = minutesOf('2026-06-15', '2026-06-15');

  test.each<[what: string, minutes: number[], interval: Interval, told: unknown[]]>([
    ['a whole session is not one', day, '1d', [false, false, 1, 1]],
    ['without its first minute', day.slice(1), '1d', [true, false, 1, 0]],
    ['without its last minute', day.slice(0, -1), '1d', [false, true, 1, 0]],
    [
      'a hole in the middle does not make one',
      [...day.slice(0, 90), ...day.slice(100)],
      '1h',
      [false, false, 7, 7],
    ],
    ['both ends of 5m', day.slice(2, 13), '5m', [true, true, 3, 1]],
    ['an early close', minutesOf('2026-11-27', '2026-11-27'), '1h', [false, false, 4, 4]],
    ['a week without its Friday', minutesOf('2026-06-15', '2026-06-18'), '1w', [false, false, 1, 1]],
    ['a week up to Wednesday', minutesOf('2026-06-15', '2026-06-17'), '1w', [false, true, 1, 0]],
  ])('is recognised: %s', (...[, minutes, interval, told]) => {
    expect(partsOf(minutes, interval)).toEqual(told);
  });
});

test('an impossible interval and a bar outside of the sessions are refused', () => {
  expect(isMadeOf('5m', '3m')).toBe(false);
  expect(isMadeOf('1h', '1d')).toBe(false);
  expect(isMadeOf('1d', '1h')).toBe(true);
  expect(() => to(columnsOfRows([]), '5m', '3m')).toThrow(/bars of 5m cannot be built from bars of 3m/);
  const night = columnsOfRows([row(Date.parse('2026-06-15T12:00:00Z'))]);
  expect(() => to(night, '5m')).toThrow(/bar of 2026-06-15T12:00:00Z is outside the regular sessions/);
});
