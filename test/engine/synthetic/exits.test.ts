import { expect, test } from 'vitest';
import { formatDecimal, parseCash } from '../../../src/core/amount.ts';
import type { HookContext, StrategyHooks } from '../../../src/strategy/index.ts';
import { MINUTE, SECOND, Stage } from '../stage.ts';

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

const sells = (stage: Stage) =>
  stage.orders
    .filter(({ terms }) => terms.side === 'sell')
    .map(({ terms, state }) =>
      [
        terms.type,
        'quantity' in terms && terms.quantity ? formatDecimal(terms.quantity) : '',
        state.kind,
      ].join(' '),
    );

test('a stop sells once at the touch of its price, and not before', async () => {
  const stage = await held((order) => order.stop('AAPL', { all: true, stop: 95 }));
  await price(stage, '96');
  expect(sells(stage)).toEqual([]);
  await price(stage, '95');
  expect(sells(stage)).toEqual(['market 10 working']);
  await price(stage, '90');
  expect(sells(stage)).toHaveLength(1);
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  expect(stage.runner.kernel.context.accountState.synthetics.live.size).toBe(0);
});

test('a trailing stop follows the highest price, over a kill too', async () => {
  const protect = (order: HookContext['order']) => order.trail('AAPL', { all: true, by: { percent: 10 } });
  const stage = await held(protect);
  await price(stage, '110');
  await price(stage, '100');
  expect(sells(stage)).toEqual([]);
  const next = await new Stage({ hooks: { solo: holding(protect) }, after: stage }).play(MINUTE);
  await price(next, '99');
  expect(sells(next)).toEqual(['market 10 working']);
});

test('one cancels other: the take-profit has ended before the stop sells', async () => {
  const stage = await held((order) =>
    order.oco('AAPL', { limit: { all: true, price: 110 }, stop: { stop: 95 } }),
  );
  expect(sells(stage)).toEqual(['limit 10 working']);
  await price(stage, '94');
  expect(sells(stage)).toEqual(['limit 10 closed', 'market 10 working']);
});

test('a bracket protects what has filled, by its average price', async () => {
  const stage = await new Stage({
    hooks: {
      solo: {
        onStart: ({ order }) => {
          order.bracket('AAPL', {
            entry: { shares: 10 },
            takeProfit: { percent: 10 },
            stopLoss: { percent: 5 },
          });
        },
      },
    },
  }).play(MINUTE);
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  expect(sells(stage)).toEqual(['limit 10 working']);
  const [state] = stage.runner.kernel.context.accountState.synthetics.live.values();
  expect([state?.takeProfit, state?.stop].map((each) => formatDecimal(each ?? 0n))).toEqual([
    '110.55',
    '95.48',
  ]);
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  expect(stage.runner.kernel.context.accountState.synthetics.live.size).toBe(0);
});
