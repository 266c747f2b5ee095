import { describe, test } from 'vitest';
import * as strategy from '../../../src/strategy/index.ts';
import { changes, deviation, expectNaive, faded, mean, sum, values, wilder, type Case } from './naive.ts';

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
  ['momentum', strategy.momentum, (seen, length) => (seen.at(-1) ?? 0) - (seen.at(-1 - length) ?? NaN)],
  [
    'percentRank',
    strategy.percentRank,
    (seen, length) => {
      const value = seen.at(-1) ?? NaN;
      return (100 * seen.slice(-1 - length, -1).filter((each) => each <= value).length) / length;
    },
  ],
  [
    'kama',
    (length) => strategy.kama(length, 3, 20),
    (seen, length) =>
      seen.slice(length).reduce(
        (average, value, at) => {
          const window = seen.slice(at, at + length + 1);
          const way = sum(changes(window).map(Math.abs));
          const efficiency = way === 0 ? 1 : Math.abs(value - (window[0] ?? NaN)) / way;
          const pace = efficiency * (2 / 4) + (1 - efficiency) * (2 / 21);
          return average + pace * pace * (value - average);
        },
        seen[length - 1] ?? NaN,
      ),
  ],
  ['roc', strategy.roc, (seen, length) => (100 * (seen.at(-1) ?? 0)) / (seen.at(-1 - length) ?? NaN) - 100],
];

describe('an indicator of values equals its definition, computed from the start for every value', () => {
  test.each(OF_VALUES)('%s', (...each) => {
    expectNaive(each, values);
  });
});
