import { expect, test } from 'vitest';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { MINUTE, SECOND, Stage } from '../stage.ts';
import { armed, held, heldShares, partingOf, price, sells } from './play.ts';
import { playing } from './working.ts';

const EIGHT: StrategyHooks = {
  onStart: ({ order, view }) => {
    if (view.orders().length === 0) order.buy('AAPL', { shares: 24 });
  },
  onFill: ({ order, fill }) => {
    if (fill.side === 'buy') for (let i = 0; i < 8; i++) order.stop('AAPL', { shares: 3, stop: 95 });
  },
};

test('stops touched together are sent as fast as ordersPerMinute allows, with alarms for those that wait', async () => {
  const stage = await new Stage({ hooks: { solo: EIGHT }, limits: { ordersPerMinute: 2 } }).play(MINUTE);
  stage.venue.fill(stage.venue.last);
  await stage.pass(2 * MINUTE);
  await price(stage, '94', 5 * SECOND);
  await playing(stage, 5 * MINUTE);
  const [first, ...others] = stage.orders.filter(({ terms }) => terms.side === 'sell');
  const minutes = others.map(({ plannedAt }) => Math.floor((plannedAt - (first?.plannedAt ?? 0)) / MINUTE));
  expect(minutes).toEqual([0, 1, 1, 2, 2, 3, 3]);
  expect([armed(stage), heldShares(stage)]).toEqual([0, '0']);
  expect(stage.alarms.filter((text) => text.includes('its sale has not been sent yet'))).toHaveLength(6);
  expect(partingOf(stage, { hooks: { solo: EIGHT } })).toBeNull();
});

test('an exit that waits for a fresh price is sent with it, and raises an alarm while it waits', async () => {
  const stage = await held(
    (order) => order.stop('AAPL', { all: true, stop: 95 }),
    {},
    { limits: { quoteAgeMs: 60_000 } },
  );
  stage.venue.haltedAt.set('AAPL', stage.clock.now());
  await price(stage, '96', 5 * MINUTE);
  await price(stage, '94', 5 * MINUTE);
  expect(sells(stage)).toEqual([]);
  expect(stage.alarms.filter((text) => text.includes('its sale has not been sent yet'))).toHaveLength(1);
  stage.venue.haltedAt.delete('AAPL');
  await stage.pass(12 * SECOND);
  expect(sells(stage)).toEqual(['market 10 working']);
});
