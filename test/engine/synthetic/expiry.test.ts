import { describe, expect, test } from 'vitest';
import type { HookContext, StrategyHooks } from '../../../src/strategy/index.ts';
import { factsOf } from '../invariants.ts';
import { give } from '../operator/commands.ts';
import { atStart, MINUTE, Stage } from '../stage.ts';
import { armed, bracketed, bracketing, buys, part, partingOf, price, sells } from './play.ts';

const EXPIRES = { minutes: 10 };
const stopThatBuys = (order: HookContext['order']) =>
  void order.stop('AAPL', { side: 'buy', shares: 10, stop: 104, expires: EXPIRES });
const bracket = (order: HookContext['order']) =>
  void order.bracket('AAPL', { entry: { shares: 10, stop: 104 }, stopLoss: 95, expires: EXPIRES });

describe.each([
  ['a stop that buys', stopThatBuys],
  ['a bracket that enters by a stop', bracket],
])('%s, touched before it expires', (_name, order) => {
  const hooks: Readonly<Record<string, StrategyHooks>> = { solo: atStart(order) };
  const endsOf = (stage: Stage) =>
    factsOf(stage).flatMap((fact) => (fact.kind === 'syntheticEnded' ? [fact.how] : []));

  test('cancels its order at that time', async () => {
    const stage = await new Stage({ hooks }).play(MINUTE);
    await price(stage, '104', 8 * MINUTE);
    expect(buys(stage)).toEqual(['limit 10 working']);
    await stage.pass(2 * MINUTE);
    expect([buys(stage), armed(stage), endsOf(stage)]).toEqual([['limit 10 cancelled'], 0, ['expired']]);
    expect(partingOf(stage, { hooks })).toBeNull();
  });

  test('sends nothing after that time if it was delayed', async () => {
    const stage = await new Stage({ hooks }).play(MINUTE);
    await give(stage, { kind: 'trade', state: 'halted', scope: {} });
    await price(stage, '104', 12 * MINUTE);
    await give(stage, { kind: 'trade', state: 'active', scope: {} });
    await stage.pass(MINUTE);
    expect([buys(stage), armed(stage), endsOf(stage)]).toEqual([[], 0, ['expired']]);
  });
});

test('a stop that buys keeps what its order has filled when it expires', async () => {
  const stage = await new Stage({ hooks: { solo: atStart(stopThatBuys) } }).play(MINUTE);
  await price(stage, '104', MINUTE);
  stage.venue.cancelFates.push('late');
  await stage.pass(9 * MINUTE);
  stage.venue.fill(stage.venue.last, 'cancelled', part('4'));
  await stage.pass(MINUTE);
  expect(armed(stage)).toBe(0);
  expect(factsOf(stage)).toContainEqual(
    expect.objectContaining({ kind: 'syntheticEnded', how: 'done', why: 'bought 4' }),
  );
});

test('a bracket cancels the rest of an entry that has filled in part at the instant at which it expires', async () => {
  const stage = await bracketed({
    entry: { shares: 10, limit: 99 },
    stopLoss: 95,
    expires: { minutes: 24 * 60 + 2.2 },
  });
  stage.venue.fill(stage.venue.last, 'expired', part('6'));
  await stage.pass(24 * 60 * MINUTE);
  expect(buys(stage)).toEqual(['limit 10 expired', 'limit 4 working']);
  await stage.pass(3 * MINUTE);
  const cancelled = stage.notices.find(({ text }) => /cancelling, it has expired/.test(text));
  expect(cancelled && cancelled.at - stage.clock.now()).toBe(-108_000);
});

test.each([
  ['{ minutes: 30 }', { minutes: 30 }],
  ['{ days: 1 }', { days: 1 }],
  ['{ bars: 6, interval: "5m" }', { bars: 6, interval: '5m' }],
] as const)(
  'a bracket whose entry filled while nothing ran is sold after %s from the close of that session',
  async (_name, exitAfter) => {
    const terms = { entry: { shares: 10, limit: 99 }, exitAfter } as const;
    const first = await bracketed(terms);
    first.crash();
    first.venue.fill(first.venue.last);
    await first.clock.advanceBy(24 * 60 * MINUTE);
    const next = await new Stage({ hooks: { solo: bracketing(terms) }, after: first }).play(5 * MINUTE);
    expect(sells(next)).toEqual(['market 10 working']);
  },
);
