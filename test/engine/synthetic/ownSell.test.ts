import { expect, test } from 'vitest';
import type { HookContext } from '../../../src/strategy/index.ts';
import { MINUTE, SECOND } from '../stage.ts';
import { armed, expectRestSold, held, holding, partingOf, price, sells } from './play.ts';

type Order = HookContext['order'];

const limitOf = (order: Order, sold: number) =>
  order.limit('AAPL', { side: 'sell', shares: sold, price: 110, goodTill: 'cancelled' });

const withStop = (order: Order) => {
  limitOf(order, 10);
  order.stop('AAPL', { all: true, stop: 95 });
};

test("a stop cancels its strategy's open sell that locks its shares, and sells what that leaves", async () => {
  const stage = await held(withStop);
  stage.venue.cancelFates.push('late');
  await price(stage, '94', 5 * SECOND);
  await expectRestSold(stage, '0');
  expect(partingOf(stage, { hooks: { solo: holding(withStop) } })).toBeNull();
});

test('a stop does not cancel an open sell of its strategy when enough shares are free', async () => {
  const stage = await held((order) => {
    limitOf(order, 5);
    order.stop('AAPL', { shares: 5, stop: 95 });
  });
  await price(stage, '94');
  expect(sells(stage)).toEqual(['limit 5 working', 'market 5 working']);
});

test('a stop sells the free shares at once, and the rest once the open sell has ended', async () => {
  const stage = await held((order) => {
    limitOf(order, 4);
    order.stop('AAPL', { all: true, stop: 95 });
  });
  await price(stage, '94');
  expect(sells(stage)).toEqual(['limit 4 cancelled', 'market 6 working']);
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  expect(sells(stage).at(-1)).toBe('market 4 working');
});

test("a stop does not cancel an open sell of its strategy that locks less than the venue's minimum", async () => {
  const stage = await held((order) => {
    limitOf(order, 0.0105);
    order.stop('AAPL', { all: true, stop: 95 });
  });
  await price(stage, '94');
  expect(sells(stage)).toEqual(['limit 0.0105 working', 'market 9.9895 working']);
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  expect(sells(stage)).toEqual(['limit 0.0105 working', 'market 9.9895 filled']);
  expect(armed(stage)).toBe(0);
});

test('a stop on all that is held also sells what the take-profit of a later bracket has locked', async () => {
  const both = (order: Order) => {
    order.stop('AAPL', { all: true, stop: 95 });
    order.bracket('AAPL', { entry: { shares: 5 }, takeProfit: 110, stopLoss: 80 });
  };
  const stage = await held(both);
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  expect(sells(stage)).toEqual(['limit 5 working']);
  await price(stage, '94');
  expect(sells(stage)).toEqual(['limit 5 cancelled', 'market 10 working']);
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  expect(sells(stage).slice(1)).toEqual(['market 10 filled', 'market 5 working']);
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  expect(armed(stage)).toBe(0);
  expect(partingOf(stage, { hooks: { solo: holding(both) } })).toBeNull();
});
