import { describe, expect, test } from 'vitest';
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

  test('has orders that waited, from arrival to fill', async () => {
    expect(listed(await run([100, 100, [99, 99, 95, 97]], { 0: limitBuy(96) }))).toEqual([
      [MINUTE, 3 * MINUTE, 'buy', 96, 10, 10, 'filled'],
    ]);
    const dear: Act = ({ order }) => order.limit('X', { side: 'sell', shares: 10, price: 120 });
    const rows: Row[] = [100, 100, 100, 100, [110, 121, 110, 120]];
    const late = await run(rows, { 0: buy, 2: dear }, { latencyMs: 1_000 });
    expect(listed(late)).toEqual([[3 * MINUTE + 1_000, 5 * MINUTE, 'sell', 120, 10, 10, 'filled']]);
  });

  test('has how other orders ended, with the shares they got', async () => {
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
