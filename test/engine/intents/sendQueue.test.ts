import { expect, test } from 'vitest';
import type { HookContext, StrategyHooks } from '../../../src/strategy/index.ts';
import { MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';
import { partingOf } from '../synthetic/play.ts';
import { playing } from '../synthetic/working.ts';

const buys = (count: number): StrategyHooks => ({
  onStart: ({ order, view }: HookContext) => {
    if (view.orders().length === 0 && view.position('AAPL') === 0)
      for (let i = 0; i < count; i++) order.buy('AAPL', { notional: 100 });
  },
});

/** Strategies `s1`, `s2`, … with hooks of their own. */
const all = (count: number, hooks: StrategyHooks): Record<string, StrategyHooks> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`s${index + 1}`, hooks]));

const ownersOf = (stage: Stage): string[] =>
  [...stage.orders].sort((a, b) => a.plannedAt - b.plannedAt).map(({ strategyId }) => strategyId);

const tooOld = (stage: Stage): string[] => stage.alarms.filter((text) => text.includes('waited too long'));

/** A venue whose request budget delays each send by ten seconds. */
const slow: StageOptions['as'] = (venue, clock) => {
  const place = venue.place.bind(venue);
  venue.place = async (terms, gate) => {
    await clock.sleep(10 * SECOND);
    return place(terms, gate);
  };
  return venue;
};

test('strategies that buy one stock at the same time all send in time, even if each send takes 10 s', async () => {
  const options: StageOptions = { hooks: all(20, buys(1)), capital: '1000' };
  const stage = await playing(await new Stage({ ...options, as: slow }).play(0), 10 * MINUTE);
  expect(stage.states.filter((state) => state === 'closed')).toHaveLength(20);
  expect(new Set(ownersOf(stage)).size).toBe(20);
  expect(tooOld(stage)).toEqual([]);
  expect(partingOf(stage, options)).toBeNull();
});

test('the send queue alternates between strategies, so that many decisions of one do not delay the others', async () => {
  const options: StageOptions = { hooks: { many: buys(12), few: buys(2), one: buys(1) }, capital: '5000' };
  const stage = await playing(await new Stage(options).play(0), 10 * MINUTE);
  expect(ownersOf(stage).slice(0, 6)).toEqual(['many', 'few', 'one', 'many', 'few', 'many']);
  expect(ownersOf(stage)).toHaveLength(15);
  expect(partingOf(stage, options)).toBeNull();
});

test('the send queue sends the oldest decision of a strategy first', async () => {
  const hooks: StrategyHooks = {
    onStart: ({ order }) => {
      for (let i = 1; i <= 5; i++) order.buy('AAPL', { notional: 100 * i });
    },
  };
  const stage = await playing(await new Stage({ hooks: { solo: hooks } }).play(0), 5 * MINUTE);
  expect(stage.orders.map(({ intentId }) => intentId)).toEqual([
    'solo-1',
    'solo-2',
    'solo-3',
    'solo-4',
    'solo-5',
  ]);
});

test('orders queued behind an unknown order are dropped after two minutes with one alarm', async () => {
  const stage = new Stage({ hooks: all(10, buys(1)), capital: '1000' });
  stage.venue.fates.push('lostAfter');
  stage.venue.indexed = false;
  await stage.play(90 * SECOND);
  expect(tooOld(stage)).toEqual([]);
  await stage.pass(10 * MINUTE);
  expect(tooOld(stage)).toEqual([
    expect.stringMatching(
      /^9 decisions waited too long to be sent and were dropped without being sent: buy AAPL.* of s2, order s1-1\.1 on the same side comes first: it has no answer yet; .*; and 6 more\. /,
    ),
  ]);
  expect(stage.venue.sends).toBe(1);
});
