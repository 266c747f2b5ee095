import { describe, expect, test } from 'vitest';
import type { HookContext } from '../../src/strategy/index.ts';
import type { Row } from './bars.ts';
import { fillsOf, playFirst, playHeld, sellsOf } from './syntheticStage.ts';

type Order = HookContext['order'];

const stop = (order: Order) => void order.stop('X', { all: true, stop: 95 });
const oco = (order: Order) => void order.oco('X', { limit: { all: true, price: 110 }, stop: { stop: 95 } });
const trail = (order: Order) => void order.trail('X', { all: true, by: { amount: 5 } });

/** Bars of 13:30 and 13:31 at 100: ten are bought at 13:31 at 100, and protected at once. The rows begin at 13:32. */
const after = (...rows: readonly Row[]): Row[] => [100, 100, ...rows];

describe('a stop at 95 of ten shares, bought at 100', () => {
  test.each<[string, Row, string[]]>([
    [
      'open 97, low 94: at the stop, 55 s before the end of the bar',
      [97, 98, 94, 96],
      ['sell 10 at 95, 13:32:05'],
    ],
    ['low at the stop itself', [97, 98, 95, 96], ['sell 10 at 95, 13:32:05']],
    ['low one tick above: nothing', [97, 98, 95.01, 96], []],
    ['gap: open 93, at the open', [93, 98, 92, 96], ['sell 10 at 93, 13:32:00']],
    ['open at the stop', [95, 98, 92, 96], ['sell 10 at 95, 13:32:00']],
  ])('%s', async (_name, row, sells) => {
    expect(sellsOf(await playHeld(after(row, 100), stop))).toEqual(sells);
  });
});

describe('one cancels other: 110 or 95', () => {
  test.each<[string, Row, string[]]>([
    ['open 108, high 112: at the limit', [108, 112, 107, 109], ['sell 10 at 110, 13:33:00']],
    ['open 111: at the open', [111, 112, 107, 109], ['sell 10 at 111, 13:32:00']],
    ['open 97, low 94: at the stop', [97, 98, 94, 96], ['sell 10 at 95, 13:32:05']],
    ['both in one bar: the stop', [100, 112, 94, 111], ['sell 10 at 95, 13:32:05']],
  ])('%s', async (_name, row, sells) => {
    expect(sellsOf(await playHeld(after(row, 100), oco))).toEqual(sells);
  });

  test('with both in one bar in the best case fills at the limit', async () => {
    const rows = after([100, 112, 94, 111], 100);
    expect(sellsOf(await playHeld(rows, oco, { ambiguous: 'best' }))).toEqual(['sell 10 at 110, 13:32:20']);
  });
});

describe('a trailing stop 5 below the highest price', () => {
  test.each<[string, Row[], string[]]>([
    // At 100 the stop is 95. 112 raises it to 107; the next bar falls to 106.
    [
      'rises with a bar, and is touched in the next',
      [
        [100, 112, 99, 110],
        [110, 111, 106, 108],
      ],
      ['sell 10 at 107, 13:33:05'],
    ],
    // The low of 94 comes first: it meets the stop of 95, although the bar rises to 112.
    [
      'is compared with the low before the high raises it',
      [[100, 112, 94, 111]],
      ['sell 10 at 95, 13:32:05'],
    ],
    // The high of 112 raises it to 107; from there the price falls to the close of 104.
    [
      'is compared with the close after the high has raised it',
      [[100, 112, 99, 104]],
      ['sell 10 at 107, 13:32:20'],
    ],
    // 112 raises it to 107; the next bar opens at 103.
    [
      'sells at an open below it',
      [
        [100, 112, 99, 110],
        [103, 104, 102, 103],
      ],
      ['sell 10 at 103, 13:33:00'],
    ],
    [
      'does not fall with the price',
      [
        [100, 104, 100, 103],
        [100, 101, 99.5, 100],
      ],
      [],
    ],
  ])('%s', async (_name, rows, sells) => {
    expect(sellsOf(await playHeld(after(...rows, 108), trail))).toEqual(sells);
  });

  test('rises first in the best case: 112 makes the stop 107, which the low meets', async () => {
    const rows = after([108, 112, 99, 110], 110);
    expect(sellsOf(await playHeld(rows, trail, { ambiguous: 'best' }))).toEqual(['sell 10 at 107, 13:32:20']);
  });
});

describe('a stop that buys at 105', () => {
  const buyStop = (order: Order) => void order.stop('X', { side: 'buy', shares: 10, stop: 105 });

  test.each<[string, Row, string[]]>([
    [
      'open 103, high 106: at the stop, 40 s before the end',
      [103, 106, 102, 104],
      ['buy 10 at 105, 13:31:20'],
    ],
    ['gap on a plain exchange: at the open', [107, 108, 106, 107], ['buy 10 at 107, 13:31:00']],
    ['high below it: nothing', [103, 104.99, 102, 104], []],
  ])('%s', async (_name, row, buys) => {
    expect(fillsOf(await playFirst([100, row, 104], buyStop))).toEqual(buys);
  });

  /** Collar of 50 bps: a limit at 105 · 1.005 = 105.525, down to the tick 105.52. */
  test.each<[string, Row, string[]]>([
    ['at the stop', [103, 106, 102, 104], ['buy 10 at 105, 13:31:20']],
    ['a gap within the collar: at the open', [105.5, 108, 105.4, 107], ['buy 10 at 105.5, 13:31:00']],
    ['a gap beyond the collar: unfilled', [106, 108, 105.53, 107], []],
  ])('as the venue fills: %s', async (_name, row, buys) => {
    const rows = [100, row, ...Array.from({ length: 400 }, () => 107)];
    const result = await playFirst(rows, buyStop, { fill: 'venue' });
    expect(fillsOf(result)).toEqual(buys);
    expect(result.pending).toEqual([]);
    expect(result.orders.expired).toBe(buys.length === 0 ? 1 : 0);
  });
});
