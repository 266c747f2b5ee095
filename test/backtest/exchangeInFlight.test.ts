import { expect, test } from 'vitest';
import { runBacktest } from '../../src/backtest/runBacktest.ts';
import { barsFrom, plainly, strategyOf } from './bars.ts';

/** Buys ten, and two days later bids for one more below the market. */
const patient = () => {
  let day = 0;
  return strategyOf(
    {
      onBar({ order }) {
        day++;
        if (day === 1) order.buy('X', { shares: 10 });
        if (day === 3) order.limit('X', { side: 'buy', shares: 1, price: 50 });
      },
    },
    { bars: [{ symbol: 'X', interval: '1d' }] },
  );
};

/** Sessions of 15, 16, 17, 18 and, after a holiday, 22 June: a limit sent at the open of the 18th arrives at that of the 22nd. */
test('a dividend is paid while an order is in flight', async () => {
  const actions = [{ symbol: 'X', type: 'cash_dividend', exDate: '2026-06-22', cashPerShare: '1.25' }];
  const bars = [barsFrom('2026-06-15', [100, 100, 100, 100, 100], '1d')];
  const result = await runBacktest(plainly({ strategy: patient(), bars, actions, latencyMs: 86_400_000 }));
  expect(result.orders).toMatchObject({ sent: 2, filled: 1, expired: 1 });
  expect(result).toMatchObject({ dividends: '12.5', pnl: '12.5', equity: { end: '10012.5' } });
});

test('a split ends an order in flight, and its intent is sent again in new shares', async () => {
  let minute = 0;
  const strategy = strategyOf({
    onBar({ order }) {
      minute++;
      if (minute === 1) order.buy('X', { notional: 1_000 });
      if (minute === 389) order.limit('X', { side: 'sell', shares: 5, price: 110, goodTill: 'cancelled' });
    },
  });
  const rows = Array.from({ length: 420 }, (_, index) => (index < 390 ? 100 : index < 410 ? 50 : 60));
  const actions = [{ symbol: 'X', type: 'forward_split', exDate: '2026-06-16', oldRate: '1', newRate: '2' }];
  const options = { fill: 'venue', slippage: 'none', latencyMs: 120_000 } as const;
  const { fills, open, events } = await runBacktest(
    plainly({ strategy, bars: [barsFrom('2026-06-15', rows)], actions, ...options }),
  );
  expect(events).toHaveLength(1);
  expect(fills).toMatchObject([
    { side: 'buy', shares: 10, price: 100 },
    { side: 'sell', shares: 10, price: 60 },
  ]);
  expect(open).toEqual([{ symbol: 'X', quantity: '10' }]);
});
