import { expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import { DAY_READINGS } from '../../../src/domain/instrument.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { EmulatedWorld } from '../emulated.ts';
import { ALL, june, trading } from './nights.ts';

/** Twenty minutes before post ends in New York. */
const LATE_POST = epochMs(june('15T23:40'));

/** Buys in post, protects the position, and keeps a limit order far from the market over the end of the phase. */
const hooks: StrategyHooks = {
  onStart: ({ order, view }) => {
    if (view.orders().length > 0 || view.position('AAPL') > 0) return;
    order.buy('AAPL', { shares: 10.5, outside: 'limit' });
    const price = (view.price('SPY') ?? 0) * 0.7;
    order.limit('SPY', { side: 'buy', shares: 1, price, goodTill: 'cancelled' });
  },
  onFill: ({ order, fill }) => {
    if (fill.side === 'buy') order.stop('AAPL', { all: true, stop: fill.price * 0.97, phases: [...ALL] });
  },
};

test.each(DAY_READINGS)(
  'books and venue agree over the end of a phase, with restarts, if DAY ends by %s',
  async (dayEnds) => {
    const world = new EmulatedWorld({ start: LATE_POST });
    const nights = { AAPL: { fractionalEhEnabled: false } };
    world.command({ kind: 'constants', body: { dayEnds, nights } });
    const rules = { trade: trading(), limits: { outside: { collarBps: 200 } } };
    const ofSpy = () => world.orders().filter(({ symbol }) => symbol === 'SPY');
    await world.run(10, { hooks, rules });
    // Only whole shares are bought; their stop is armed.
    expect(world.orders().find(({ symbol }) => symbol === 'AAPL')).toMatchObject({
      type: 'Limit',
      filledQuantity: '10',
      status: 'Filled',
    });
    await world.run(12, { hooks, rules });
    expect(ofSpy().map(({ status }) => status === 'New')).toEqual([false, true]);
    const low = (
      (await world.during(() => world.client.underlying({ path: { symbol: 'AAPL' } }))).price * 0.95
    ).toFixed(2);
    world.command({ kind: 'market', body: { symbol: 'AAPL', price: low } });
    await world.run(10, { hooks, rules });
    const sells = world.orders().filter(({ side }) => side === 'Sell');
    expect(sells.map(({ status, filledQuantity }) => [status, filledQuantity])).toEqual([['Filled', '10']]);
    expect(world.truth().stocks.find(({ symbol }) => symbol === 'AAPL')).toMatchObject({
      exchange: '100',
      locked: '0',
    });
    expect(world.summary?.reconciliation.differences).toBe(0);
    expect(world.alarms).toEqual([]);
  },
);
