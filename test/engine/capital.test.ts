import { describe, expect, test } from 'vitest';
import { atStart, MINUTE, SECOND, Stage } from './stage.ts';

describe('capital', () => {
  const buy = atStart((order) => order.buy('AAPL', { notional: '1000' }));
  const buys = { solo: buy, other: {} };

  test('of a strategy that is not in the config any more is told with what it holds', async () => {
    const first = await new Stage({ hooks: buys }).play(10 * SECOND);
    first.venue.fill(first.venue.last);
    await first.pass(MINUTE);
    await first.stop();
    const next = await new Stage({ hooks: { other: {} }, after: first }).play(MINUTE);
    expect(next.alarms[0]).toMatch(
      /^strategy solo is not in the config any more and still has 8998\.9 mUSD, [\d.]+ AAPL: nobody trades that$/,
    );
  });

  test('cannot go below what is free of it, and the least is told', async () => {
    const first = await new Stage({ hooks: buys }).play(10 * SECOND);
    first.venue.fill(first.venue.last);
    await first.pass(MINUTE);
    await first.stop();
    const next = await new Stage({ hooks: buys, after: first, capital: '500' }).play(MINUTE);
    expect(next.failure?.message).toBe(
      'the capital of strategy solo cannot go down to 500 mUSD: only 8998.9 of its 10000 is free. Set 1001.1 or more',
    );
  });
});
