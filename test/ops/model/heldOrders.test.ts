import { expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import { heldOrdersOf } from '../../../src/ops/model/heldOrders.ts';
import type { HeldOrderView } from '../../../src/ops/model/status.ts';
import { heldOrderSchema } from '../../../src/ops/model/status.ts';
import type { HookContext, StrategyHooks } from '../../../src/strategy/index.ts';
import { give } from '../../engine/operator/commands.ts';
import { MINUTE, SECOND, Stage } from '../../engine/stage.ts';

/** Buys 10 AAPL (at 100.5) at the start, and places an exit once they are there. */
const holding = (protect: (order: HookContext['order']) => void): StrategyHooks => ({
  onStart: ({ order, view }) => {
    if (view.position('AAPL') === 0) order.buy('AAPL', { shares: 10 });
  },
  onFill: ({ order, fill }) => {
    if (fill.side === 'buy') protect(order);
  },
});

async function held(protect: (order: HookContext['order']) => void): Promise<Stage> {
  const stage = await new Stage({ hooks: { solo: holding(protect) } }).play(MINUTE);
  stage.venue.fill(stage.venue.last);
  return stage.pass(MINUTE);
}

const price = (stage: Stage, to: string) => {
  stage.venue.prices.set('AAPL', parseCash(to));
  return stage.pass(30 * SECOND);
};

function shown(stage: Stage): HeldOrderView {
  const [first] = heldOrdersOf(stage.runner.kernel.context);
  if (!first) throw new Error('nothing is held');
  return heldOrderSchema.strict().parse(first);
}

test('the view of an armed stop shows its distance and what it protects', async () => {
  const stage = await held((order) => order.stop('AAPL', { all: true, stop: 95 }, 'guard'));
  expect(shown(stage)).toMatchObject({
    strategy: 'solo',
    symbol: 'AAPL',
    kind: 'stop',
    text: 'stop at 95 of all AAPL (guard)',
    state: 'armed',
    stop: '95',
    price: '100',
    stopDistancePercent: -5,
    protects: true,
    suspended: null,
    triggered: null,
    reason: 'guard',
  });
});

test('the view of a trailing stop shows its highest price and the stop in force', async () => {
  const stage = await held((order) => order.trail('AAPL', { all: true, by: { percent: 10 }, tag: 'exit' }));
  await price(stage, '110');
  expect(shown(stage)).toMatchObject({ mark: '110', stop: '99', stopDistancePercent: -10, tag: 'exit' });
});

test('the view of a touched stop shows its trigger, and its exit order under way', async () => {
  const stage = await held((order) =>
    order.oco('AAPL', { limit: { all: true, price: 110 }, stop: { stop: 95 } }),
  );
  expect(shown(stage)).toMatchObject({
    state: 'armed',
    stateText: 'armed, its take-profit rests at the venue',
    takeProfit: '110',
    children: [{ leg: 'take profit', filled: '0', txHash: expect.any(String), venueId: expect.any(String) }],
  });
  await price(stage, '94');
  expect(shown(stage)).toMatchObject({
    state: 'working',
    triggered: { cause: 'stop', price: '94' },
    children: [{ leg: 'exit' }],
  });
});

test('the view of a bracket-like order shows a take-profit that waits to be sent', async () => {
  const stage = await held((order) =>
    order.oco('AAPL', { limit: { all: true, price: 110 }, stop: { stop: 95 }, goodTill: 'cancelled' }),
  );
  await stage.pass(7 * 60 * MINUTE);
  stage.venue.end(stage.venue.last, 'expired');
  await stage.pass(15 * MINUTE);
  expect(shown(stage)).toMatchObject({
    state: 'armed',
    stateText: 'armed, its take-profit waits to be sent',
    children: [{ leg: 'take profit' }],
  });
});

test('the view of a bracket shows its working entry, then what it protects', async () => {
  const stage = await new Stage({
    hooks: {
      solo: {
        onStart: ({ order }) => {
          order.bracket('AAPL', { entry: { shares: 10 }, takeProfit: { percent: 10 } });
        },
      },
    },
  }).play(MINUTE);
  expect(shown(stage)).toMatchObject({ state: 'working', protects: false, filled: '0', asked: '10' });
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  // The stop does not trail: the price of its entry is not the highest since.
  await price(stage, '105');
  const armed = { state: 'armed', protects: true, filled: '0', asked: '10', mark: null, price: '105' };
  expect(shown(stage)).toMatchObject(armed);
});

test('the view of a working order shows how much it has spent, and its end', async () => {
  const work: StrategyHooks = {
    onStart: ({ order }) => {
      order.work('AAPL', { side: 'buy', notional: 1000, style: 'twap', over: { minutes: 60 } });
    },
  };
  const stage = await new Stage({ hooks: { solo: work } }).play(2 * MINUTE);
  stage.venue.fill(stage.venue.last);
  await stage.pass(30 * SECOND);
  const view = shown(stage);
  expect(view).toMatchObject({ kind: 'work', state: 'working', asked: null, askedNotional: '1000' });
  expect(Number(view.filledNotional)).toBeGreaterThan(0);
  expect(view.until).toMatch(/^2026-06-15T15:00:/);
});

test('the view of a held order that cannot send says why', async () => {
  const stage = await held((order) => order.stop('AAPL', { all: true, stop: 95 }));
  await give(stage, { kind: 'trade', state: 'halted', scope: {} });
  const { state, suspended, stateText } = shown(stage);
  expect(state).toBe('suspended');
  expect(suspended).toMatch(/^trading is halted/);
  expect(stateText).toMatch(/^armed; it cannot send: trading is halted/);
});

test('the view of a bracket shows its entry stop, then its stop-loss and both take-profits', async () => {
  const stage = await new Stage({
    hooks: {
      solo: {
        onStart({ order }) {
          order.bracket('AAPL', {
            entry: { shares: 10, stop: 104 },
            takeProfit: [
              { price: 110, share: 0.5 },
              { price: 120, share: 0.5 },
            ],
            stopLoss: 90,
          });
        },
      },
    },
  }).play(MINUTE);
  expect(shown(stage)).toMatchObject({
    text: 'bracket: buy stop at 104 of 10 AAPL',
    state: 'armed',
    stateText: 'armed, buys at its stop',
    protects: false,
    stop: '104',
    secondTakeProfit: null,
  });
  await price(stage, '104');
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  expect(shown(stage)).toMatchObject({
    protects: true,
    stop: '90',
    takeProfit: '110',
    secondTakeProfit: '120',
    children: [{ leg: 'take profit' }, { leg: 'second take profit' }],
  });
});
