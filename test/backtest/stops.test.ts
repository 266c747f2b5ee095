import { expect, test } from 'vitest';
import type { HookContext } from '../../src/strategy/index.ts';
import type { BacktestResult } from '../../src/backtest/result.ts';
import type { Row } from './bars.ts';
import { playFirst, playHeld, sellsOf } from './syntheticStage.ts';

type Order = HookContext['order'];

/** `13:31:00 95`: each price of each stop with its time in UTC, or `-` where it is over. */
const stopsOf = ({ stops = [] }: BacktestResult): string[][] =>
  stops.map(({ at, values }) =>
    at.map((each, index) => `${new Date(each).toISOString().slice(11, 19)} ${values[index] ?? '-'}`),
  );

test('the stops of a result run from placement to trigger, even if the sale takes longer', async () => {
  // The sale gets a tenth of a volume of 60.
  const result = await playHeld(
    [100, 100, [97, 98, 94, 96, 60], 96, 96],
    (order: Order) => void order.stop('X', { all: true, stop: 95 }),
    { volumeCap: 0.1 },
  );
  expect(stopsOf(result)).toEqual([['13:31:00 95', '13:32:05 -']]);
  expect(result.stops).toMatchObject([{ strategy: 'test', symbol: 'X', panel: null }]);
});

test('the stops of a result have every price of a trailing stop', async () => {
  const rows: Row[] = [100, 100, [100, 104, 99, 103], [103, 108, 102, 107], [106, 106, 90, 91], 91];
  const trail = (order: Order) => void order.trail('X', { all: true, by: { amount: 5 } });
  const [prices = []] = stopsOf(await playHeld(rows, trail));
  expect(prices.map((text) => text.slice(9))).toEqual(['95', '99', '103', '-']);
});

test('the stops of a result have no end for a waiting stop, and the new price after a split', async () => {
  const stop = (order: Order) => void order.stop('X', { all: true, stop: 95 });
  const daily = { interval: '1d', date: '2026-06-15' } as const;
  const actions = [{ symbol: 'X', type: 'forward_split', exDate: '2026-06-17', oldRate: '1', newRate: '2' }];
  const [prices = []] = stopsOf(await playHeld([100, 100, 50, 50], stop, { ...daily, actions }));
  expect(prices.map((text) => text.slice(9))).toEqual(['95', '47.5']);
});

test("the stops of a result have a bracket's stop from its entry, and no other orders", async () => {
  const result = await playFirst([100, 100, 100, [100, 111, 100, 110], 110], (order: Order) => {
    order.bracket('X', { entry: { shares: 10 }, takeProfit: { percent: 10 }, stopLoss: { percent: 5 } });
    order.limit('X', { side: 'buy', shares: 1, price: 90 });
  });
  const [prices = [], ...others] = stopsOf(result);
  expect(prices.map((text) => text.slice(9))).toEqual(['95', '-']);
  expect(others).toEqual([]);
  expect(await playFirst([100, 100], () => undefined)).not.toHaveProperty('stops');
});

test('the stops of a result have the new price of a stop that its strategy moves', async () => {
  const move = (order: Order) => void order.adjust(order.stop('X', { all: true, stop: 90 }), { stop: 95 });
  const [prices = []] = stopsOf(await playHeld([100, 100, 100], move));
  expect(prices.map((text) => text.slice(9)).at(-1)).toBe('95');
});

test("the stops of a result have a bracket's entry stop before its stop-loss", async () => {
  const result = await playFirst([100, 100, [100, 103, 100, 103], [103, 103, 96, 96], 96], (order: Order) => {
    order.bracket('X', { entry: { shares: 10, stop: 102 }, stopLoss: 97 });
  });
  expect(stopsOf(result)).toEqual([['13:31:00 102', '13:32:20 97', '13:33:05 -']]);
});

test('a stop that is not yet active shows its price to no other order', async () => {
  const { fills } = await playHeld([100, 100, 104, 104, 104], (order: Order) => {
    order.stop('X', { side: 'buy', shares: 1, stop: 101, at: '12:00' });
    order.trail('X', { all: true, by: { amount: 2 } });
  });
  expect(fills).toHaveLength(1);
});

test('a stop sells shares locked by the take-profit of another exit, which is placed again only afterwards', async () => {
  const result = await playFirst(
    [100, 100, 100, 100, 100, 97, 97, 97, 97],
    (order: Order) => {
      order.bracket('X', { entry: { shares: 5 }, stopLoss: { percent: 2 } });
      order.bracket('X', { entry: { shares: 5 }, takeProfit: 110, stopLoss: 80 });
      order.sell('X', { shares: 5, at: 'open+3m' });
    },
    { fill: 'venue' },
  );
  expect(sellsOf(result).map((text) => text.slice(0, 12))).toEqual(['sell 5 at 10', 'sell 5 at 97']);
});
