import { expect, test } from 'vitest';
import type { WorkTerms } from '../../src/strategy/index.ts';
import type { Row } from './bars.ts';
import { fillsOf, playFirst } from './syntheticStage.ts';

/** A minute at one price, with a volume. */
const minute = (price: number, volume = 1_000): Row => [price, price, price, price, volume];

/** The order is placed at the end of the bar of 13:30, which is at 100. */
const fills = async (terms: WorkTerms, rows: readonly Row[]) =>
  fillsOf(await playFirst([minute(100), ...rows], (order) => void order.work('X', terms)));

const rising = [101, 102, 103, 104, 105, 106, 107].map((price) => minute(price));
const twap = { side: 'buy', style: 'twap', shares: 10, over: { minutes: 5 } } as const;

test.each<[string, WorkTerms, readonly Row[], string[]]>([
  [
    'ten shares over five minutes: two at the open of each',
    twap,
    rising,
    [
      'buy 2 at 101, 13:31:00',
      'buy 2 at 102, 13:32:00',
      'buy 2 at 103, 13:33:00',
      'buy 2 at 104, 13:34:00',
      'buy 2 at 105, 13:35:00',
    ],
  ],
  [
    'every two minutes over six: a third each',
    { ...twap, shares: 9, over: { minutes: 6 }, every: { minutes: 2 } },
    rising,
    ['buy 3 at 101, 13:31:00', 'buy 3 at 103, 13:33:00', 'buy 3 at 105, 13:35:00'],
  ],
  [
    'at most at 102: two parts, and 6 are missing',
    { ...twap, limit: 102 },
    rising,
    ['buy 2 at 101, 13:31:00', 'buy 2 at 102, 13:32:00'],
  ],
  [
    '2 mUSD in five parts, each above the minimum of 1: two parts',
    { side: 'buy', style: 'twap', notional: 2, over: { minutes: 4 } },
    [minute(1), minute(1), minute(1), minute(1), minute(1)],
    ['buy 1 at 1, 13:31:00', 'buy 1 at 1, 13:33:00'],
  ],
  [
    // 10 % of 200 is 20, of 50 is 5, of 400 is 40: 35 of 60 remain.
    'a tenth of the volume, at the open after each bar',
    { side: 'buy', style: 'pov', share: 0.1, shares: 60, over: { minutes: 10 } },
    [minute(10, 200), minute(11, 50), minute(12, 400), minute(13, 1_000), minute(14, 1_000)],
    ['buy 20 at 11, 13:32:00', 'buy 5 at 12, 13:33:00', 'buy 35 at 13, 13:34:00'],
  ],
])('a working order: %s', async (...[, terms, rows, expected]) => {
  expect(await fills(terms, rows)).toEqual(expected);
});
