import { describe, expect, test } from 'vitest';
import type { HookContext } from '../../src/strategy/index.ts';
import { barsFrom, plainly, strategyOf, type Row } from './bars.ts';
import { runBacktest } from '../../src/backtest/runBacktest.ts';
import type { BacktestOptions } from '../../src/backtest/options.ts';
import { DAY } from './syntheticStage.ts';

type Order = HookContext['order'];

/** Ten shares, bought at the open of the second day at 100; its bar, which ends at the close of 100, calls `protect`. */
async function playDays(next: Row, protect: (order: Order) => void, options: Partial<BacktestOptions> = {}) {
  let count = 0;
  const strategy = strategyOf(
    {
      onBar({ order }) {
        if (++count === 1) order.buy('X', { shares: 10 });
        if (count === 2) protect(order);
      },
    },
    { bars: [{ symbol: 'X', interval: '1d' }] },
  );
  const bars = [barsFrom(DAY, [[100, 101, 99, 100], [100, 101, 99, 100], next, next], '1d')];
  const { equity, fills } = await runBacktest(plainly({ strategy, slippage: 'none', bars, ...options }));
  const sells = fills
    .filter(({ side }) => side === 'sell')
    .map(({ shares, price, at }) => `${shares} at ${price}, ${new Date(at).toISOString().slice(8, 16)}`);
  return { sells, equity: equity.end };
}

const FALLEN: Row = [80, 82, 79, 81];
const AT_THE_OPEN = ['10 at 80, 17T13:30'];

describe('an exit order placed on a daily bar at 100 fills at the next open of 80', () => {
  test.each<[string, (order: Order) => void]>([
    ['trail by 5', (order) => order.trail('X', { all: true, by: { amount: 5 } })],
    ['trail by 5 %', (order) => order.trail('X', { shares: 10, by: { percent: 5 } })],
    ['stop at 95', (order) => order.stop('X', { all: true, stop: 95 })],
    [
      'oco of 110 and 95',
      (order) => order.oco('X', { limit: { all: true, price: 110 }, stop: { stop: 95 } }),
    ],
  ])('%s', async (_name, protect) => {
    expect(await playDays(FALLEN, protect)).toEqual({ sells: AT_THE_OPEN, equity: '9800' });
    expect((await playDays(FALLEN, protect, { fill: 'venue' })).sells).toEqual(AT_THE_OPEN);
  });
});

const trail = (order: Order) => void order.trail('X', { all: true, by: { amount: 5 } });

test.each<[string, Row, string[]]>([
  ['an open above the stop sells nothing', [96, 97, 95.5, 96], []],
  ['the low of the next day meets the stop of 95', [98, 99, 94, 96], ['10 at 95, 17T19:59']],
  // 120 raises the stop to 115, which the low meets in the last minute but one.
  ['an open above the first mark raises the stop', [120, 120, 114, 118], ['10 at 115, 17T19:59']],
])('a trailing stop of 5 placed at a close of 100: %s', async (_name, next, sells) => {
  expect((await playDays(next, trail)).sells).toEqual(sells);
});

test("a trailing stop with at: 'open' starts at the open of 82 with a stop of 77, which the next low hits", async () => {
  const { sells } = await playDays(
    [80, 82, 76, 81],
    (order) => void order.trail('X', { all: true, by: { amount: 5 }, at: 'open' }),
  );
  expect(sells).toEqual(['10 at 77, 18T19:59']);
});
