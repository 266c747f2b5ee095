import { expect, test } from 'vitest';
import type { HookContext, StrategyHooks } from '../../../src/strategy/index.ts';
import { MINUTE, SECOND, Stage } from '../stage.ts';
import { armed, expectRestSold, heldShares, part, price, sells } from './play.ts';

/** Holds 20 AAPL, partly protected by an exit. */
async function twenty(protect: (order: HookContext['order']) => unknown): Promise<Stage> {
  const hooks: StrategyHooks = {
    onStart: ({ order }) => void order.buy('AAPL', { shares: 20 }),
    onFill: ({ order, view }) => {
      if (view.position('AAPL') === 20 && view.orders().length === 0) protect(order);
    },
  };
  const stage = await new Stage({ hooks: { solo: hooks } }).play(MINUTE);
  stage.venue.fill(stage.venue.last);
  return stage.pass(MINUTE);
}

const OCO = { limit: { shares: 10, price: 110 }, stop: { stop: 95 } } as const;

test('a stop on some shares leaves the other shares, at any price', async () => {
  const stage = await twenty((order) => order.stop('AAPL', { shares: 10, stop: 95 }));
  await price(stage, '94', 2 * MINUTE);
  expect(sells(stage)).toEqual(['market 10 working']);
  stage.venue.fill(stage.venue.last);
  await price(stage, '90', 2 * MINUTE);
  expect([sells(stage), armed(stage), heldShares(stage)]).toEqual([['market 10 filled'], 0, '10']);
});

test('an exit on some shares sells what its take-profit has left of them', async () => {
  const stage = await twenty((order) => order.oco('AAPL', OCO));
  stage.venue.cancelFates.push('late');
  await price(stage, '94', 5 * SECOND);
  await expectRestSold(stage, '10');
});

test('the exit of a bracket sells what its entry has bought, and no shares held before', async () => {
  const bracket = { entry: { shares: 10, limit: 99 }, stopLoss: 95 };
  const stage = await twenty((order) => order.bracket('AAPL', bracket));
  stage.venue.fill(stage.venue.last, 'cancelled', part('6'));
  await stage.pass(MINUTE);
  await price(stage, '94');
  expect(sells(stage)).toEqual(['market 6 working']);
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  expect([armed(stage), heldShares(stage)]).toEqual([0, '20']);
});

test('a stop that has expired sells nothing', async () => {
  const stage = await twenty((order) =>
    order.stop('AAPL', { shares: 10, stop: 95, expires: { minutes: 5 } }),
  );
  await stage.pass(6 * MINUTE);
  expect(armed(stage)).toBe(0);
  await price(stage, '94', 2 * MINUTE);
  expect(sells(stage)).toEqual([]);
});
