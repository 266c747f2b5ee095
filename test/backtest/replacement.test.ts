import { expect, test } from 'vitest';
import type { HookContext } from '../../src/strategy/index.ts';
import { barsFrom, plainly, strategyOf, type Row } from './bars.ts';
import { DAY, fillsOf, playHeld, sellsOf } from './syntheticStage.ts';
import { runBacktest } from '../../src/backtest/runBacktest.ts';

type Change = Parameters<HookContext['order']['replace']>[1];

/** Places a limit to buy 10 at 95 after the first bar, and changes it after the second. */
async function played(rows: readonly Row[], change: Change, more: object = {}): Promise<string[]> {
  let [count, id] = [0, ''];
  const strategy = strategyOf({
    onBar({ order }) {
      count++;
      if (count === 1) id = order.limit('X', { side: 'buy', shares: 10, price: 95 });
      if (count === 2) id = order.replace(id, change);
    },
  });
  return fillsOf(
    await runBacktest(plainly({ strategy, slippage: 'none', bars: [barsFrom(DAY, rows)], ...more })),
  );
}

test('a replaced order fills at its new price, and no longer at the old one', async () => {
  const rows: Row[] = [100, 100, [100, 100, 97, 100], [100, 100, 94, 100], 100];
  expect(await played(rows, { limit: 98 })).toEqual(['buy 10 at 98, 13:33:00']);
  expect(await played(rows, { limit: 90 })).toEqual([]);
});

test('a replaced order counts the shares it has already filled', async () => {
  // The second bar fills 4 shares: half its volume.
  const rows: Row[] = [100, [100, 100, 95, 96, 8], [96, 96, 94, 96, 100], 96];
  const more = { volumeCap: 0.5 };
  expect(await played(rows, { shares: 7 }, more)).toEqual(['buy 4 at 95, 13:32:00', 'buy 3 at 95, 13:33:00']);
});

test('an adjusted exit sells at its new stop', async () => {
  const protect = (order: HookContext['order']) =>
    void order.adjust(order.stop('X', { all: true, stop: 90 }), { stop: 97 });
  expect(sellsOf(await playHeld([100, 100, [100, 100, 96, 98], 98], protect))).toEqual([
    'sell 10 at 97, 13:32:05',
  ]);
});
