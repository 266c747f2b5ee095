import { expect, test } from 'vitest';
import type { BacktestOptions } from '../../src/backtest/options.ts';
import { runBacktest } from '../../src/backtest/runBacktest.ts';
import type { HookContext } from '../../src/strategy/index.ts';
import { barsFrom, plainly, strategyOf, type Row } from './bars.ts';

/** Buys ten after the first bar, and sells all after the third. */
const roundTrip = () => {
  let bar = 0;
  return strategyOf({
    onBar({ order }: HookContext) {
      bar++;
      if (bar === 1) order.buy('X', { notional: 1_100 });
      if (bar === 3) order.sell('X', { all: true });
    },
  });
};
const rows: Row[] = [105, [105.004, 106, 104, 105.004, 1_000], 105.004, [105.006, 106, 104, 105, 1_000]];
const pricesWith = async (options: Partial<BacktestOptions>) => {
  const bars = [barsFrom('2026-06-15', rows)];
  const { fills } = await runBacktest(plainly({ strategy: roundTrip(), bars, ...options }));
  return fills.map(({ price }) => Number(price.toFixed(9)));
};

test.each([
  ['none', [105.01, 105]],
  ['bps:0.1', [105.01, 105]],
  ['spread:0.5', [105.01, 105]],
  ['volume:1', [105.02, 104.99]],
] as const)('the fill model venue fills on the tick, slippage %s', async (slippage, prices) => {
  expect(await pricesWith({ fill: 'venue', slippage })).toEqual(prices);
});

test('the fill model venue fills on the tick under a volume cap', async () => {
  const prices = await pricesWith({ fill: 'venue', slippage: 'none', volumeCap: 0.005 });
  expect(prices[0]).toBe(105.01);
});

test('the fill model next-open fills at the exact price of the bar', async () => {
  expect(await pricesWith({ fill: 'next-open' })).toEqual([105.004, 105.006]);
});
