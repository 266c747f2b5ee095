import { describe, expect, test } from 'vitest';
import type { HookContext, StrategyHooks } from '../../../src/strategy/index.ts';
import { factsOf } from '../invariants.ts';
import { MINUTE, Stage } from '../stage.ts';
import {
  armed,
  bracketing,
  heldShares,
  holding,
  part,
  partingOf,
  price,
  sells,
  syntheticsOf,
} from './play.ts';

type Order = HookContext['order'];
type Change = Parameters<Order['adjust']>[1];

const stop = (order: Order) => void order.stop('AAPL', { all: true, stop: 90 });
const trail = (order: Order) => void order.trail('AAPL', { all: true, by: { percent: 10 } });
const oco = (order: Order) =>
  void order.oco('AAPL', { limit: { all: true, price: 120 }, stop: { stop: 90 } });
const BRACKET = { entry: { shares: 10 }, takeProfit: 120, stopLoss: { percent: 10 } } as const;

/** Changes the exit once the price is 104. `given`: results of the calls. */
const adjusting = (change: Change, hooks: StrategyHooks, given: string[] = []): StrategyHooks => ({
  ...hooks,
  onQuote({ order, view, price: now }) {
    if (now !== 104) return;
    for (const { id, status } of view.orders()) if (status === 'armed') given.push(order.adjust(id, change));
  },
});

/** A stage that holds 10 AAPL with exits which its strategy has just moved, at 104. */
async function adjusted(change: Change, hooks: StrategyHooks, given: string[] = []): Promise<Stage> {
  const stage = await new Stage({ hooks: { solo: adjusting(change, hooks, given) } }).play(MINUTE);
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  await price(stage, '104');
  return price(stage, '103', MINUTE);
}

const refusals = (stage: Stage) =>
  factsOf(stage).flatMap((fact) => (fact.kind === 'intentRefused' ? [`${fact.code}: ${fact.why}`] : []));

describe.each<[string, StrategyHooks, Change]>([
  ['a stop', holding(stop), { stop: 101 }],
  ['a trailing stop by its distance', holding(trail), { trail: { amount: 3 } }],
  ['a trailing stop by its stop', holding(trail), { stop: 101 }],
  ['the stop of a one-cancels-other', holding(oco), { stop: 101 }],
  ['the stop of a bracket', bracketing(BRACKET), { stop: 101 }],
  [
    'a bracket that trails',
    bracketing({ ...BRACKET, stopLoss: { trail: { percent: 10 } } }),
    { trail: { amount: 3 } },
  ],
])('%s that its strategy moves', (_, hooks, change) => {
  test('sells at its new price once, and a replay is the same', async () => {
    const given: string[] = [];
    const stage = await adjusted(change, hooks, given);
    expect(given).toEqual([syntheticsOf(stage)[0]?.order.id]);
    expect([refusals(stage), armed(stage)]).toEqual([[], 1]);
    await price(stage, '100.9', MINUTE);
    expect(sells(stage).at(-1)).toBe('market 10 working');
    stage.venue.fill(stage.venue.last);
    await stage.pass(MINUTE);
    expect([heldShares(stage), armed(stage)]).toEqual(['0', 0]);
    expect(partingOf(stage, { hooks: { solo: adjusting(change, hooks) } })).toBeNull();
  });
});

test('a fixed stop that is lowered holds at its new price, over a restart too', async () => {
  const hooks = adjusting({ stop: 80 }, holding(stop));
  const stage = await adjusted({ stop: 80 }, holding(stop));
  const next = await new Stage({ hooks: { solo: hooks }, after: stage }).play(MINUTE);
  await price(next, '85', MINUTE);
  expect([sells(next), armed(next)]).toEqual([[], 1]);
  await price(next, '79', MINUTE);
  expect(sells(next)).toEqual(['market 10 working']);
});

test('a replay names a moved stop that its strategy no longer moves', async () => {
  const stage = await adjusted({ stop: 101 }, holding(stop));
  expect(partingOf(stage, { hooks: { solo: holding(stop) } })?.journal).toMatchObject({
    kind: 'syntheticMoved',
    event: { kind: 'adjusted' },
  });
});

describe.each<[string, StrategyHooks]>([
  ['a one-cancels-other', holding(oco)],
  ['a bracket', bracketing(BRACKET)],
])('the take-profit of %s that its strategy moves', (_, hooks) => {
  test('is placed at its new price for the remaining shares, once the old order has ended', async () => {
    const stage = await new Stage({ hooks: { solo: adjusting({ takeProfit: 110 }, hooks) } }).play(MINUTE);
    stage.venue.fill(stage.venue.last);
    await stage.pass(MINUTE);
    stage.venue.cancelFates.push('late');
    await price(stage, '104', MINUTE);
    expect(sells(stage)).toEqual(['limit 10 working']);
    stage.venue.fill(stage.venue.last, 'cancelled', part('4'));
    await stage.pass(MINUTE);
    expect(sells(stage)).toEqual(['limit 10 cancelled', 'limit 6 working']);
    expect(stage.venue.last.order).toMatchObject({ price: 110n * 10n ** 18n });
    expect(partingOf(stage, { hooks: { solo: adjusting({ takeProfit: 110 }, hooks) } })).toBeNull();
  });
});

test.each<[Change, StrategyHooks, string]>([
  [{ stop: 105 }, holding(stop), 'WRONG_SIDE: the stop at 105 is not below the price'],
  [{ stop: 89 }, holding(trail), 'WRONG_SIDE: a trailing stop only rises'],
  [{ takeProfit: 103 }, holding(oco), 'WRONG_SIDE: the take-profit at 103 is not above the price'],
  [{ takeProfit: 110 }, holding(stop), 'NOT_OPEN: it has no take-profit'],
  [{ trail: { percent: 1 } }, holding(stop), 'NOT_OPEN: solo-2 has no trailing stop'],
  [{ stop: NaN }, holding(stop), 'OUT_OF_RANGE'],
])('the change %j of an exit is refused, and the exit stays unchanged', async (change, hooks, why) => {
  const given: string[] = [];
  const stage = await adjusted(change, hooks, given);
  expect(refusals(stage)).toEqual([expect.stringContaining(why)]);
  expect(given[0]).not.toBe(syntheticsOf(stage)[0]?.order.id);
  expect([armed(stage), stage.runner.kernel.context.accountState.stopped.size]).toEqual([1, 0]);
});

test('an exit that was touched cannot be adjusted', async () => {
  const hooks: StrategyHooks = {
    ...holding(stop),
    onOrder: ({ order, update }) =>
      void (update.status === 'triggered' && order.adjust(update.id, { stop: 80 })),
  };
  const stage = await adjusted({ stop: 91 }, hooks);
  await price(stage, '89', MINUTE);
  expect(refusals(stage)).toEqual([expect.stringContaining('NOT_OPEN: solo-2 was touched already')]);
  expect(sells(stage)).toEqual(['market 10 working']);
});

test('the notice of a moved stop names its new price', async () => {
  const stage = await adjusted({ stop: 101 }, holding(stop));
  expect(stage.notices.map(({ text }) => text)).toContain('stop at 101 of all AAPL: moved by its strategy');
});

test.each<[string, StrategyHooks, (order: Order) => unknown]>([
  ['an exit', holding(stop), (order) => order.adjust('solo-2', { stop: 95 })],
  [
    'a limit order',
    { onStart: ({ order }) => void order.limit('AAPL', { side: 'buy', shares: 1, price: 90 }) },
    (order) => order.replace('solo-1', { limit: 91 }),
  ],
])('a change of %s in a stock that data() no longer names is refused', async (_, hooks, change) => {
  const first = await new Stage({ hooks: { solo: hooks } }).play(MINUTE);
  if (hooks.onFill) first.venue.fill(first.venue.last);
  await first.pass(MINUTE);
  const next = await new Stage({
    hooks: { solo: { onStart: ({ order }) => void change(order) } },
    data: { quotes: ['MSFT'] },
    after: first,
  }).play(MINUTE);
  expect(refusals(next)).toEqual([
    expect.stringMatching(/^NOT_TRADABLE: "AAPL" is none of the symbols .* stays as it is/),
  ]);
  expect(next.runner.kernel.context.accountState.stopped.size).toBe(0);
});
