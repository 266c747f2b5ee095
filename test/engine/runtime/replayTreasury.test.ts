import { expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import { Kernel } from '../../../src/engine/kernel/kernel.ts';
import { replay } from '../../../src/engine/runtime/replay.ts';
import { memoryJournal } from '../../store/memoryJournal.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { EmulatedWorld } from '../emulated.ts';
import { atStart } from '../stage.ts';
import { cut } from '../treasuries.ts';

const stockForSells = { maxPerOrder: parseCash('20000'), maxPerDay: parseCash('20000') };
const cashBuffer = {
  below: parseCash('120000'),
  upTo: parseCash('130000'),
  atLeast: parseCash('100'),
  maxPerDay: parseCash('45000'),
};
const treasury = { stockForSells, cashBuffer };

function replayed(world: EmulatedWorld) {
  const { options } = world;
  if (!options) throw new Error('nothing ran');
  const { calendar, rules, strategies } = options;
  const entries = [...memoryJournal(world.lines).entries()];
  return replay(
    entries,
    () => new Kernel({ calendar, rules, strategies, obstacles: { reason: () => null } }),
  );
}

const hooks: Record<string, StrategyHooks> = {
  'one sell': atStart((order) => void order.sell('SPY', { shares: 4 })),
  'a sell before a buy': atStart((order) => {
    order.sell('SPY', { shares: 4 }, 'from the wallet');
    order.buy('AAPL', { notional: '500' }, 'at once');
  }),
  'a sell after a buy': atStart((order) => {
    order.buy('AAPL', { notional: '500' }, 'at once');
    order.sell('SPY', { shares: 4 }, 'from the wallet');
  }),
  'sells at every fill': {
    onStart: ({ order }) => void order.buy('AAPL', { notional: '500' }),
    onFill({ order, fill }) {
      if (fill.symbol === 'AAPL') order.sell('SPY', { shares: 2 }, 'after a fill');
      if (fill.symbol === 'AAPL') order.sell('AAPL', { shares: fill.shares }, 'after a fill');
    },
  },
  'targets at every quote': {
    onQuote({ order, symbol, view }) {
      if (symbol === 'SPY') order.target('SPY', { shares: 0 }, 'none');
      if (symbol === 'AAPL' && view.position('AAPL') === 0) order.target('AAPL', { notional: '500' }, 'some');
      if (symbol === 'AAPL') order.sell('SPY', { shares: 1 }, 'one at a time');
    },
  },
};

test.each(Object.keys(hooks))('a journal with stock moved for sells replays the same: %s', async (name) => {
  const world = new EmulatedWorld();
  await world.run(10, { treasury, hooks: hooks[name] ?? {} });
  const moved = world.operations.filter(({ terms }) => terms.kind === 'stockDeposit');
  expect(moved.length).toBeGreaterThan(0);
  const { parting, orders } = replayed(world);
  expect(parting).toBeNull();
  expect(orders).toBeGreaterThan(0);
});

test('a journal that ended while stock was under way replays identically', async () => {
  const world = new EmulatedWorld();
  await world.run(3, { treasury, hooks: hooks['one sell'] ?? {} });
  world.lines = cut(world.lines, /"kind":"operation","id":"op-\d","event":\{"kind":"sent"/);
  await world.run(10, { treasury, hooks: hooks['one sell'] ?? {} });
  expect(replayed(world).parting).toBeNull();
});
