import { expect, test } from 'vitest';
import { runBacktest } from '../../src/backtest/runBacktest.ts';
import type { HookContext } from '../../src/strategy/index.ts';
import { barsFrom, plainly, strategyOf } from './bars.ts';

/** A third of a share and more: digits that no float can hold. */
const bars = [barsFrom('2026-06-15', [30.07, 30.07, 31, 31, 31, 31])];

test.each<[string, (context: HookContext) => unknown]>([
  ['market', ({ order, view }) => order.sell('X', { shares: view.position('X') })],
  ['limit', ({ order, view }) => order.limit('X', { side: 'sell', shares: view.position('X'), price: 30 })],
])('a %s sell of view.position sells the whole position', async (_kind, sell) => {
  let bar = 0;
  const strategy = strategyOf({
    onBar(context) {
      bar += 1;
      if (bar === 1) context.order.buy('X', { notional: 100 });
      if (bar === 3) sell(context);
    },
  });
  const result = await runBacktest(plainly({ strategy, bars }));
  expect(result.fills[0]?.shares).not.toBe(Number(result.fills[0]?.shares.toFixed(6)));
  expect(result.open).toEqual([]);
  expect(result.trades).toBe(1);
});

test('a target of 0 sells the last digit of a stock that costs less than 1', async () => {
  let bar = 0;
  const strategy = strategyOf({
    onBar({ order }) {
      bar += 1;
      if (bar === 1) order.buy('X', { notional: 100 });
      if (bar === 3) order.target('X', { weight: 0 });
    },
  });
  const cheap = [barsFrom('2026-06-15', [0.0307, 0.0307, 0.0093, 0.0093, 0.0093, 0.0093])];
  const result = await runBacktest(plainly({ strategy, bars: cheap }));
  expect(result.open).toEqual([]);
  expect(result.trades).toBe(1);
});
