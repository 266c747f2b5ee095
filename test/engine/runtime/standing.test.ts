import { describe, expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { atStart, MINUTE, MORNING, SECOND, Stage } from '../stage.ts';
import { partingOf } from '../synthetic/play.ts';

const HOUR = 60 * MINUTE;
const rest = () =>
  atStart((order, view) => {
    if (view.orders().length === 0)
      order.limit('AAPL', { side: 'buy', shares: 10, price: 90, goodTill: 'cancelled' });
  });
const idsOf = (stage: Stage) => stage.orders.map(({ id, state }) => `${id} ${state.kind}`);

describe('a good-till-cancelled limit order', () => {
  test('is placed again in the session that is open when its end is found', async () => {
    const first = await new Stage({ hooks: { solo: rest() } }).play(HOUR);
    await first.stop();
    first.venue.end(first.venue.last, 'expired');
    await first.clock.advanceBy(24 * HOUR);
    const next = await new Stage({ hooks: { solo: rest() }, after: first }).play(MINUTE);
    expect(idsOf(next)).toEqual(['solo-1.1 closed', 'solo-1.2 working']);
  });

  test('is placed again after a restart between its plan and its send', async () => {
    const first = await new Stage({ hooks: { solo: rest() } }).play(10 * SECOND);
    first.lines.length = first.lines.findIndex((line) => line.includes('"planned"')) + 1;
    first.venue.rows.length = 0;
    first.venue.cash = parseCash('100000');
    const next = await new Stage({ hooks: { solo: {} }, after: first }).play(3 * MINUTE);
    expect(idsOf(next)).toEqual(['solo-1.1 abandoned', 'solo-1.2 working']);
  });

  test('outlasts a stop while the runner starts', async () => {
    const first = await new Stage({ hooks: { solo: rest() } }).play(5 * HOUR);
    first.venue.end(first.venue.last, 'expired');
    await first.pass(2 * HOUR);
    await first.stop();
    await first.clock.advanceBy(17 * HOUR);
    const second = new Stage({ hooks: { solo: rest() }, after: first });
    const playing = second.play(SECOND);
    second.runner.stop('asked to stop');
    await playing;
    const third = await new Stage({ hooks: { solo: rest() }, after: second }).play(3 * MINUTE);
    expect(third.orders.at(-1)).toMatchObject({ intentId: 'solo-1', state: { kind: 'working' } });
  });

  test('is placed again in the next session when its send never arrived', async () => {
    const both: StrategyHooks = {
      onStart: ({ order }) =>
        void order.limit('AAPL', { side: 'buy', shares: 10, price: 90, goodTill: 'cancelled' }),
      onTimer: ({ order }) => void order.buy('MSFT', { shares: 1 }),
    };
    const data = { quotes: ['AAPL', 'MSFT'], timers: [{ name: 't', at: '10:05' }] };
    const stage = new Stage({ hooks: { solo: both }, data });
    stage.venue.fates.push('lostBefore');
    await stage.play(20 * MINUTE);
    expect(stage.states).toEqual(['neverExisted', 'working']);
    await stage.pass(24 * HOUR);
    expect(idsOf(stage)).toContain('solo-1.2 working');
  });

  test('waits while One Click is off, says so once, and is placed once it is on again', async () => {
    const stage = new Stage({ hooks: { solo: rest() } });
    stage.venue.delegationOn = false;
    await stage.play(30 * MINUTE);
    expect(stage.orders).toEqual([]);
    expect(stage.notices.filter(({ text }) => /waits, One Click is off/.test(text))).toHaveLength(1);
    stage.venue.delegationOn = true;
    await stage.pass(MINUTE);
    expect(idsOf(stage)).toEqual(['solo-1.1 working']);
    expect(partingOf(stage, { hooks: { solo: rest() } })).toBeNull();
  });

  test('is placed with all others at the open although ordersPerMinute sends only some at once', async () => {
    const many = atStart((order) => {
      for (const price of [91, 92, 93, 94])
        order.limit('AAPL', { side: 'buy', shares: 1, price, goodTill: 'cancelled', at: 'open' });
    });
    const stage = new Stage({ hooks: { solo: many }, limits: { ordersPerMinute: 2 }, start: MORNING - HOUR });
    await stage.play(40 * MINUTE);
    expect(stage.orders.filter(({ state }) => state.kind === 'working')).toHaveLength(4);
  });
});

describe('an order that waits for the open', () => {
  test('is sent on a price of that session', async () => {
    const buy = atStart((order) => order.buy('AAPL', { notional: '1000' }));
    const stage = new Stage({
      hooks: { solo: buy },
      start: MORNING - HOUR,
      limits: { quoteAgeMs: 10_000 },
    });
    await stage.play(31 * MINUTE);
    expect(stage.orders).toMatchObject([{ state: { kind: 'working' } }]);
  });

  test('is dropped when its strategy no longer runs', async () => {
    const buy = atStart((order) => order.buy('AAPL', { notional: '1000' }));
    const first = await new Stage({ hooks: { gone: buy }, start: MORNING - HOUR }).play(MINUTE);
    const next = await new Stage({ hooks: { solo: {} }, after: first }).play(HOUR);
    expect(next.venue.sends).toBe(0);
    expect(next.runner.kernel.context.accountState.intents.size).toBe(0);
  });
});
