import { describe, expect, test } from 'vitest';
import { tradeLotsOf, withExcursions, type LotAction, type LotFill } from '../../src/statistics/lotTrades.ts';
import type { RunFigures } from '../../src/statistics/figures.ts';
import { metricsOf } from '../../src/statistics/metrics.ts';
import { figuresOf, tradeOf } from './figures.ts';

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

test('a sell closes the oldest lots in parts, with fees on both sides', () => {
  const { closed, open } = tradeLotsOf([
    fill(0, 'buy', [10, 100, 1]),
    fill(1, 'buy', [10, 110, 2]),
    fill(3, 'sell', [15, 120, 3]),
  ]);
  // 10 at 1001 and 5 of the 10 at 1102, against 15 at 120 less 3.
  expect(closed).toMatchObject([
    { entryAt: 0, exitAt: 3 * DAY, shares: 10, entryReason: 'buy 0', exitReason: 'sell 3' },
    { entryAt: DAY, shares: 5 },
  ]);
  expect(closed[0]?.pnl).toBeCloseTo(1200 - 2 - 1001, 9);
  expect(closed[1]?.pnl).toBeCloseTo(600 - 1 - 551, 9);
  expect(open).toEqual([
    {
      strategy: 's',
      symbol: 'X',
      at: DAY,
      shares: 5,
      cost: expect.closeTo(551, 9) as number,
      reason: 'buy 1',
    },
  ]);
});

const split: LotAction = { kind: 'split', at: 2 * DAY, symbol: 'X', per: 4 };

test('a split rescales only lots of its stock, and a sell beyond the lots adds none', () => {
  const other = { ...fill(0, 'buy', [1, 8]), symbol: 'XY' };
  const sells = [fill(3, 'sell', [100, 30]), { ...fill(3, 'sell', [1, 9]), symbol: 'XY' }];
  const { closed } = tradeLotsOf([fill(0, 'buy', [10, 100]), other, ...sells], [split]);
  expect(closed.map(({ symbol, shares, pnl }) => [symbol, shares, pnl])).toEqual([
    ['X', 40, 200],
    ['XY', 1, 1],
  ]);
});

test('a write-off closes all lots of its stock at 0, and a later split finds none', () => {
  const end: LotAction = { kind: 'writtenOff', at: DAY, symbol: 'X', reason: 'gone' };
  const { closed, open } = tradeLotsOf([fill(0, 'buy', [10, 100, 1])], [split, end]);
  expect([closed.map(({ pnl, exitReason }) => [pnl, exitReason]), open]).toEqual([[[-1001, 'gone']], []]);
});

test('the excursions of a lot use the closes while it was held, in the share units of its sale', () => {
  const { closed } = tradeLotsOf([fill(0, 'buy', [10, 100]), fill(4, 'sell', [40, 30])], [split]);
  const marks = [-1, 1, 3, 5].map((day) => ({ date: '', at: day * DAY, equity: 1, positions: {} }));
  const closes = { X: [10, 20, 35, 90] };
  const [trade] = withExcursions(closed, { marks, closes }, [split]);
  // Bought at 25 a share of today: 20, then 35; the closes of before and after do not count.
  expect(trade?.mae).toBeCloseTo(20 / 25 - 1, 12);
  expect(trade?.mfe).toBeCloseTo(35 / 25 - 1, 12);
  const later: LotAction = { ...split, at: 5 * DAY };
  const [before] = withExcursions(closed, { marks, closes: { X: [2.5, 5, 8.75, 90] } }, [split, later]);
  expect([before?.mae, before?.mfe]).toEqual([trade?.mae, trade?.mfe]);
});

describe('the trade metrics', () => {
  const lotted = (fills: readonly LotFill[], more: Partial<RunFigures> = {}) =>
    metricsOf({ ...figuresOf([10_000, 10_100]), lots: tradeLotsOf(fills), fills, ...more });
  const sales = (count: number) =>
    Array.from({ length: count }, (_, day) => [
      fill(2 * day, 'buy', [2, 100]),
      fill(2 * day + 1, 'sell', [1, day % 2 === 0 ? 103 : 99]),
    ]).flat();

  test('use lots if a position is never flat; the trade count remains that of round trips', () => {
    const { metrics, tradeMetricsFrom } = lotted(sales(10), { closes: { X: [100, 104] } });
    expect(tradeMetricsFrom).toBe('lots');
    const counts = { trades: 0, closedLots: 10, openLots: 5, wins: 5, losses: 5 };
    expect(metrics).toMatchObject({ ...counts, winRate: 0.5, payoff: 3, openGain: 40 });
  });

  test('of lots are null only if they need sales', () => {
    const end = figuresOf([10_000, 10_100]).marks.at(-1)?.at ?? NaN;
    const bought = [2, 4].map((days) => ({ ...fill(0, 'buy', [1, 100, 1]), at: end - days * DAY }));
    const { metrics, notes } = lotted(bought, { closes: { X: [100, null] } });
    expect(metrics).toMatchObject({ openLots: 2, openGain: -2, tradeDaysMean: 3, tradeDaysMax: 4 });
    expect(notes).toMatchObject({
      winRate: '0 closed lots, but it needs 10',
      bestTrade: 'no trade has closed',
    });
  });

  test.each([
    [9, 10, 'lots'],
    [10, 40, 'trades'],
    [1, 9, 'trades'],
    [0, 1, 'lots'],
    [0, 0, 'trades'],
  ])('of %i round trips and %i closed lots use %s', (trips, lots, from) => {
    const trades = Array.from({ length: trips }, (_, place) => tradeOf(1, place));
    const { metrics, tradeMetricsFrom } = lotted(sales(lots), { trades });
    expect([tradeMetricsFrom, metrics.trades]).toEqual([from, trips]);
    expect(metrics.wins).toBe(from === 'lots' ? Math.ceil(lots / 2) : trips);
  });
});
