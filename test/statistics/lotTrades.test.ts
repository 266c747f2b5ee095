import { expect, test } from 'vitest';
import { lotMetricsOf, lotTradesOf, type LotFill } from '../../src/statistics/lotTrades.ts';

const DAY = 86_400_000;
type Amounts = readonly [shares: number, price: number, fees?: number];

const fill = (day: number, side: 'buy' | 'sell', [shares, price, fees = 0]: Amounts): LotFill => ({
  at: day * DAY,
  symbol: 'X',
  strategy: 's',
  side,
  shares,
  price,
  fees,
  reason: `${side} ${day}`,
});

test('a sell closes the oldest lots, in parts, fees on both sides', () => {
  const trades = lotTradesOf([
    fill(0, 'buy', [10, 100, 1]),
    fill(1, 'buy', [10, 110, 2]),
    fill(3, 'sell', [15, 120, 3]),
  ]);
  // 10 at 1001 and 5 of the 10 at 1102, against 15 at 120 less 3.
  expect(trades).toMatchObject([
    { entryAt: 0, exitAt: 3 * DAY, shares: 10, entryReason: 'buy 0', exitReason: 'sell 3' },
    { entryAt: DAY, shares: 5 },
  ]);
  expect(trades[0]?.pnl).toBeCloseTo(1200 - 2 - 1001, 9);
  expect(trades[1]?.pnl).toBeCloseTo(600 - 1 - 551, 9);
});

test('a split rescales the lots of its stock alone, and what no fill has brought is in none', () => {
  const splits = [{ at: 2 * DAY, symbol: 'X', per: 4 }];
  const other = { ...fill(0, 'buy', [1, 8]), symbol: 'XY' };
  const sells = [fill(3, 'sell', [100, 30]), { ...fill(3, 'sell', [1, 9]), symbol: 'XY' }];
  const trades = lotTradesOf([fill(0, 'buy', [10, 100]), other, ...sells], splits);
  expect(trades.map(({ symbol, shares, pnl }) => [symbol, shares, pnl])).toEqual([
    ['X', 40, 200],
    ['XY', 1, 1],
  ]);
});

test('a position that is never flat has metrics by lots', () => {
  const fills = Array.from({ length: 10 }, (_, day) => [
    fill(2 * day, 'buy', [2, 100]),
    fill(2 * day + 1, 'sell', [1, day % 2 === 0 ? 103 : 99]),
  ]).flat();
  const { metrics } = lotMetricsOf(lotTradesOf(fills), 20);
  expect(metrics).toMatchObject({
    trades: 10,
    wins: 5,
    losses: 5,
    winRate: 0.5,
    payoff: 3,
    tradesPerDay: 0.5,
  });
});
