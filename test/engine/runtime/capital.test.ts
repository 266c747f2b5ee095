import { describe, expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import { atStart, MINUTE, SECOND, Stage } from '../stage.ts';

describe('the capital of a strategy', () => {
  const buy = atStart((order) => order.buy('AAPL', { notional: '1000' }));
  const buys = { solo: buy, other: {} };

  test('that has left the config is reported with what the strategy holds', async () => {
    const first = await new Stage({ hooks: buys }).play(10 * SECOND);
    first.venue.fill(first.venue.last);
    await first.pass(MINUTE);
    await first.stop();
    const next = await new Stage({ hooks: { other: {} }, after: first }).play(MINUTE);
    expect(next.alarms[0]).toMatch(
      /^strategy solo is not in the config any more and still has 8998\.9 mUSD, [\d.]+ AAPL: nobody trades that\. Put it back under strategies to go on with it; with capital: '1001\.1' there it gives back 8998\.9 mUSD$/,
    );
  });

  test('cannot be lowered below what is in use, and the error names the minimum', async () => {
    const first = await new Stage({ hooks: buys }).play(10 * SECOND);
    first.venue.fill(first.venue.last);
    await first.pass(MINUTE);
    await first.stop();
    const next = await new Stage({ hooks: buys, after: first, capital: '500' }).play(MINUTE);
    expect(next.failure?.message).toBe(
      'the capital of strategy solo cannot go down to 500 mUSD: only 8998.9 of its 10000 is free. Set 1001.1 or more',
    );
  });

  const given = (stage: Stage) => Object.fromEntries(stage.runner.kernel.context.accountState.allocations);
  const idle = { lad: {}, sav: {} };

  test.each([
    ['the lowered one first', { lad: '30000', sav: '60000' }],
    ['the lowered one last', { sav: '60000', lad: '30000' }],
  ])('moves from one strategy to another in one start, %s', async (_name, capital) => {
    const first = await new Stage({ hooks: idle, capital: { lad: '60000', sav: '20000' } }).play(SECOND);
    await first.stop();
    const hooks = Object.fromEntries(Object.keys(capital).map((id) => [id, {}]));
    const next = await new Stage({ hooks, capital, after: first }).play(SECOND);
    expect(next.failure).toBeNull();
    expect(given(next)).toEqual({ lad: parseCash('30000'), sav: parseCash('60000') });
  });

  test('beyond the available amount is refused, naming the maximum and the strategies that could give some back', async () => {
    const capital = { lad: '30000', sav: '25000', gone: '30000' };
    const first = await new Stage({ hooks: { ...idle, gone: {} }, capital }).play(SECOND);
    await first.stop();
    const next = await new Stage({ hooks: idle, capital: { lad: '60000', sav: '25000' }, after: first }).play(
      SECOND,
    );
    expect(next.failure?.message).toBe(
      'strategy lad is given 60000 mUSD, but can have at most 45000: it was given 30000, and 15000 of the account are left. ' +
        "Lower its capital; strategy gone, which is not in the config any more, gives back 30000 mUSD when it is put back with capital: '0'",
    );
  });

  test('may be zero, and the account state knows the strategy', async () => {
    const stage = await new Stage({ capital: '0' }).play(SECOND);
    expect([stage.failure, given(stage)]).toEqual([null, { solo: 0n }]);
  });
});
