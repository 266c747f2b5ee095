import { describe, expect, test } from 'vitest';
import * as strategy from '../../../src/strategy/index.ts';
import type { Indicator } from '../../../src/strategy/index.ts';
import { answersTo } from './catalogue.ts';
import { deviation } from './naive.ts';

describe('an indicator after a million of large values', () => {
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
  ])('has no rounding error left: %s', (_name, indicator, expected) => {
    expect(after(indicator)).toBeCloseTo(expected, 14);
  });

  test('has no rounding error left in money and volume: rollingVwap', () => {
    const indicator = strategy.rollingVwap(3);
    const bar = (close: number, volume: number) => ({ high: close, low: close, close, volume });
    for (let at = 0; at < 1000; at++) indicator.next(bar(1e6 + 0.1 * at, 1e9 + 0.1));
    for (const volume of [0, 0]) indicator.next(bar(1, volume));
    expect(indicator.next(bar(0.1, 0))).toBeNaN();
  });

  test('leaves a NaN behind once its window has passed', () => {
    for (const make of [strategy.standardDeviation, strategy.wma, strategy.slope, strategy.lowest]) {
      const answers = answersTo(make(3), [1, 2, 3, NaN, 5, 6, 7, 8]);
      expect(answers.map(Number.isNaN)).toEqual([true, true, false, true, true, true, false, false]);
    }
  });

  test('has no rounding error left in returns: beta', () => {
    const indicator = strategy.beta(3);
    for (let at = 0; at < 1000; at++) indicator.next({ value: at % 2 ? 1e9 : 1e-3, reference: 1 + (at % 7) });
    const rows = [[100, 100], [120, 110], [96, 99], [105.6, 103.95]] as const; // prettier-ignore
    // Returns 0.2, −0.2, 0.1 and 0.1, −0.1, 0.05: twice as much.
    expect(rows.map(([value, reference]) => indicator.next({ value, reference })).at(-1)).toBeCloseTo(2, 12);
  });

  test('leaves a NaN behind in ranks and positions of a window, too', () => {
    const unknown = [true, true, false, true, true, true, false, false];
    const given = [1, 2, 3, NaN, 5, 6, 7, 8];
    const rank = strategy.percentRank(2);
    expect(given.map((value) => Number.isNaN(rank.next(value)))).toEqual(unknown);
    const place = strategy.aroon(2);
    expect(given.map((high) => Number.isNaN(place.next({ high, low: 1 }).up))).toEqual(unknown);
  });
});
