import { expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import type { HookContext, StrategyHooks } from '../../../src/strategy/index.ts';
import { MINUTE, SECOND, Stage } from '../stage.ts';
import {
  armed,
  bracketing,
  buys,
  expectRestSold,
  held,
  holding,
  part,
  partingOf,
  price,
  sells,
} from './play.ts';

type Order = HookContext['order'];

/** Cancels the protection of AAPL and places another in the same hook, at a price of 105. */
const replacing = (protect: (order: Order) => unknown, next: (order: Order) => unknown): StrategyHooks =>
  holding(protect, {
    onQuote: ({ order, price: now }) => {
      if (now !== 105) return;
      order.cancel({ symbol: 'AAPL' });
      next(order);
    },
  });

const replaced = (protect: (order: Order) => unknown, next: (order: Order) => unknown): Promise<Stage> =>
  held(protect, replacing(protect, next));

const OCO = { limit: { all: true, price: 110 }, stop: { stop: 90 } } as const;
const stopAt95 = (order: Order) => order.stop('AAPL', { all: true, stop: 95 });

test('a stop is replaced by a cancel and a new stop in one hook', async () => {
  const first = (order: Order) => order.stop('AAPL', { all: true, stop: 90 });
  const stage = await replaced(first, stopAt95);
  await price(stage, '105');
  expect([armed(stage), stage.alarms]).toEqual([1, []]);
  await price(stage, '94');
  expect(sells(stage)).toEqual(['market 10 working']);
  expect(partingOf(stage, { hooks: { solo: replacing(first, stopAt95) } })).toBeNull();
});

test('a stop that replaces one-cancels-other sells what the take-profit has left', async () => {
  const stage = await replaced((order) => order.oco('AAPL', OCO), stopAt95);
  stage.venue.cancelFates.push('late');
  await price(stage, '105', 5 * SECOND);
  stage.venue.prices.set('AAPL', parseCash('94'));
  await stage.pass(MINUTE);
  await expectRestSold(stage, '0');
});

test('a stop with `at: open` ends with its cancel, and a new stop replaces it', async () => {
  const stage = await replaced((order) => order.stop('AAPL', { all: true, stop: 90, at: 'open' }), stopAt95);
  await price(stage, '105');
  expect([armed(stage), stage.alarms]).toEqual([1, []]);
  await price(stage, '94');
  expect(sells(stage)).toEqual(['market 10 working']);
});

/** A bracket of 10 at 99 of which 4 have filled, after a cancel by filter. */
async function filtered(which: Parameters<Order['cancel']>[0]): Promise<Stage> {
  const bracket = { entry: { shares: 10, limit: 99 }, takeProfit: 110, stopLoss: 95 };
  const hooks: StrategyHooks = {
    ...bracketing(bracket),
    onQuote: ({ order, price: now }) => {
      if (now === 105) order.cancel(which);
    },
  };
  const stage = await new Stage({ hooks: { solo: hooks } }).play(6 * 60 * MINUTE);
  stage.venue.fill(stage.venue.last, 'expired', part('4'));
  await stage.pass(18 * 60 * MINUTE);
  return price(stage, '105');
}

test("a cancel of all buys ends a bracket's entry, and its exits still protect what it has bought", async () => {
  const stage = await filtered({ symbol: 'AAPL', side: 'buy' });
  expect([buys(stage), sells(stage)]).toEqual([
    ['limit 10 expired', 'limit 6 cancelled'],
    ['limit 4 working'],
  ]);
  await price(stage, '94');
  expect(sells(stage)).toEqual(['limit 4 cancelled', 'market 4 working']);
});

test('a cancel of all sells ends a bracket that has bought', async () => {
  const stage = await filtered({ symbol: 'AAPL', side: 'sell' });
  await stage.pass(MINUTE);
  expect([sells(stage), armed(stage)]).toEqual([['limit 4 cancelled'], 0]);
});
