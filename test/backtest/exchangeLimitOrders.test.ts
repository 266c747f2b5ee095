import { describe, expect, test } from 'vitest';
import type { BacktestOptions } from '../../src/backtest/options.ts';
import { buy, limitBuy, run, type Act } from './acts.ts';
import type { Row } from './bars.ts';

const OPEN = Date.parse('2026-06-15T13:30:00Z');
const MINUTE = 60_000;

describe('the list of limit orders', () => {
  const listed = ({ limitOrders }: Awaited<ReturnType<typeof run>>) =>
    limitOrders.map(({ from, until, side, limit, shares, filled, how }) => [
      from - OPEN,
      until - OPEN,
      side,
      limit,
      shares,
      filled,
      how,
    ]);

  test('lists orders that rested, from arrival to fill', async () => {
    expect(listed(await run([100, 100, [99, 99, 95, 97]], { 0: limitBuy(96) }))).toEqual([
      [MINUTE, 3 * MINUTE, 'buy', 96, 10, 10, 'filled'],
    ]);
    const dear: Act = ({ order }) => order.limit('X', { side: 'sell', shares: 10, price: 120 });
    const rows: Row[] = [100, 100, 100, 100, [110, 121, 110, 120]];
    const late = await run(rows, { 0: buy, 2: dear }, { latencyMs: 1_000 });
    expect(listed(late)).toEqual([[3 * MINUTE + 1_000, 5 * MINUTE, 'sell', 120, 10, 10, 'filled']]);
  });

  test('lists how other orders ended, with their filled shares', async () => {
    const cancel: Act = ({ order }) => order.cancel({ symbol: 'X' });
    const { limitOrders } = await run([100, 100, 80], { 0: limitBuy(90), 1: cancel });
    expect(limitOrders).toMatchObject([{ until: OPEN + 2 * MINUTE, filled: 0, how: 'cancelled' }]);
    const close = 390 * MINUTE;
    expect(listed(await run([100, [90, 90, 90, 90, 50]], { 0: limitBuy(95) }, { volumeCap: 0.1 }))).toEqual([
      [MINUTE, close, 'buy', 95, 10, 5, 'expired'],
    ]);
  });

  test('leaves out orders that filled on arrival', async () => {
    expect(listed(await run([100, 94], { 0: limitBuy(96) }))).toEqual([]);
    expect(listed(await run([100, 94], { 0: buy }, { fill: 'venue' }))).toEqual([]);
  });
});

describe('a limit order that comes within a bar which then passes its limit', () => {
  /** Sells at 101, or buys at 99, a second after the previous bar of 100. */
  const limited = (side: 'buy' | 'sell', rows: readonly Row[], options: Partial<BacktestOptions> = {}) =>
    run(
      [100, 100, 100, ...rows],
      {
        0: buy,
        2: ({ order }) => order.limit('X', { side, shares: 10, price: side === 'buy' ? 99 : 101 }),
      },
      { latencyMs: 1_000, ...options },
    );
  const priceOf = async (...given: Parameters<typeof limited>) =>
    (await limited(...given)).fills.slice(1).map(({ price }) => price);
  const up: Row = [100, 110, 100, 109];
  const down: Row = [100, 100, 90, 91];

  test.each([
    ['sells at its limit at an open beyond it', 'sell', [up, 109], [101]],
    ['buys at its limit at an open beyond it', 'buy', [down, 91], [99]],
    [
      'fills at its limit once the market is there again',
      'sell',
      [up, [100, 100.5, 99, 100], [100, 105, 100, 104]],
      [101],
    ],
    ['does not fill after the market has come back', 'sell', [up, [100, 100.5, 99, 100]], []],
    ['takes the open of a gap if no bar has passed the limit', 'sell', [[100, 100.5, 100, 100], 109], [109]],
  ] as const)('%s', async (...[, side, rows, prices]) => {
    expect(await priceOf(side, rows)).toEqual(prices);
  });

  test('fills at its limit at the close of a session, too', async () => {
    const rows = [...Array.from({ length: 389 }, (): Row => 100), up];
    const act: Act = ({ order }) => order.limit('X', { side: 'sell', shares: 10, price: 101 });
    const { fills } = await run(rows, { 0: buy, 388: act }, { latencyMs: 1_000 });
    expect(fills.slice(1).map(({ price }) => price)).toEqual([101]);
  });

  test('fills at its limit within that bar in the best case', async () => {
    expect(await priceOf('sell', [up, 109], { ambiguous: 'best' })).toEqual([101]);
  });
});
