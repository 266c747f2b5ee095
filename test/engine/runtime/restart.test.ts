import { describe, expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import type { StrategyHooks, StrategyState } from '../../../src/strategy/index.ts';
import { june, nightStage, trading, until } from '../nights/nights.ts';
import { MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';
import { partingOf } from '../synthetic/play.ts';

const HOUR = 60 * MINUTE;

test('a strategy keeps its state over a kill although no order was written with it', async () => {
  const started: unknown[] = [];
  const build = (state: StrategyState): StrategyHooks => ({
    onStart: () => void started.push(state['price']),
    onQuote: ({ price }) => void (state['price'] = price),
  });
  const data = { quotes: ['AAPL'] };
  const first = await new Stage({ build: { solo: build }, data }).play(MINUTE);
  first.venue.prices.set('AAPL', parseCash('140'));
  await first.pass(30 * SECOND);
  await new Stage({ build: { solo: build }, data, after: first }).play(MINUTE);
  expect(started).toEqual([undefined, 140]);
});

describe('a session that closed while the runner was down', () => {
  const scene = () => {
    const log: string[] = [];
    const noting: StrategyHooks = {
      onTimer: ({ timer }) => void log.push(timer),
      onSession: ({ session, change }) => void log.push(`${session.date} ${change}`),
    };
    const timers = ['10:05', 'close-5m'].map((at) => ({ name: at, at }));
    const options: StageOptions = { hooks: { solo: noting }, data: { quotes: ['AAPL'], timers } };
    return { log, options };
  };

  test.each([
    ['on the same evening', 2 * HOUR, []],
    ['in the next session', 24 * HOUR, ['2026-06-16 opened', '10:05']],
  ])('is closed by a start %s, which reports the timers not fired', async (_when, down, after) => {
    const { log, options } = scene();
    const first = await new Stage(options).play(5 * HOUR);
    first.crash();
    await first.clock.advanceBy(down);
    const next = await new Stage({ ...options, after: first }).play(MINUTE);
    expect(log).toEqual(['2026-06-15 opened', '10:05', '2026-06-15 closed', ...after]);
    expect(next.alarms).toEqual(['the session closed meanwhile; not fired: solo close-5m']);
    expect((await next.stop()).sessions).toBe(1);
  });

  test('does not count towards the sessions of the new run', async () => {
    const { log, options } = scene();
    const first = await new Stage(options).play(5 * HOUR);
    first.crash();
    await first.clock.advanceBy(2 * HOUR);
    const until = { kind: 'sessions', count: 1 } as const;
    const next = await new Stage({ ...options, until, after: first }).play(20 * HOUR);
    expect(log.at(-1)).toBe('10:05');
    expect(next.summary).toBeNull();
    await next.pass(5 * HOUR);
    expect(next.summary?.sessions).toBe(2);
  });
});

test('a run without decisions gets a hint only after a whole session, if no run before it decided', async () => {
  const build = (state: StrategyState): StrategyHooks => ({
    onStart({ order }) {
      if (state['bought'] === undefined) order.buy('AAPL', { notional: 100 });
      state['bought'] = true;
    },
  });
  const options = { build: { solo: build, idle: () => ({}) }, data: { quotes: ['AAPL'] } };
  const first = await new Stage(options).play(HOUR);
  const hintsAtEnd = async (stage: Stage) =>
    (await stage.stop()).strategies.map((each) => [each.id, each.hints.length]);
  expect(await hintsAtEnd(first)).toEqual([
    ['solo', 0],
    ['idle', 0],
  ]);
  const next = await new Stage({ ...options, after: first }).play(8 * HOUR);
  expect(await hintsAtEnd(next)).toEqual([
    ['solo', 0],
    ['idle', 1],
  ]);
});

/** A venue that gives orders no slot from an instant until the kill. */
const crowdedFrom =
  (time: string): NonNullable<StageOptions['as']> =>
  (venue, clock) => {
    const { place } = venue;
    venue.place = (terms, gate) =>
      clock.sleep(clock.now() < june(time) ? 0 : MINUTE).then(() => place.call(venue, terms, gate));
    return venue;
  };

describe('an order that a kill kept from being sent', () => {
  const buying = (outside: 'wait' | 'limit'): StageOptions => ({
    start: june('15T19:58'),
    data: { quotes: ['AAPL'], timers: [{ name: 'buy', at: '15:59' }] },
    hooks: { solo: { onTimer: ({ order }) => void order.buy('AAPL', { shares: 3, outside }) } },
  });

  test.each([
    ['at once', '15T20:00:30', {}],
    ['in the evening', '15T21:00', {}],
    ['at once, where the next phase is traded', '15T20:00:30', { trade: trading() }],
  ] as const)('is not sent by a start after the close %s', async (_when, closed, rules) => {
    const options = { ...buying('trade' in rules ? 'limit' : 'wait'), rules };
    const first = await nightStage({ ...options, as: crowdedFrom('15T19:59') }).play(80 * SECOND);
    expect(first.states).toEqual(['planned']);
    first.crash();
    await until(first, closed);
    const next = await nightStage({ ...options, after: first }).play(0);
    await until(next, '16T14:00');
    expect(next.states).toEqual(['abandoned']);
    expect([...next.runner.kernel.context.accountState.intents.values()]).toEqual([]);
    expect(partingOf(next, options)).toBeNull();
  });
});

test.each([
  ['while a sale of it waits for its slot', false],
  ['once a sale of it has left', true],
])('a rebalance over a kill %s buys only with the money of its sales', async (_when, hasLeft) => {
  const options: StageOptions = {
    data: { quotes: ['AAPL', 'MSFT'], timers: [{ name: 'weigh', at: '10:30' }] },
    hooks: {
      solo: {
        onStart: ({ order, view }) => void (view.position('AAPL') || order.buy('AAPL', { notional: 5_000 })),
        onTimer: ({ order }) => void order.rebalance({ AAPL: 0.1, MSFT: 0.9 }),
      },
    },
  };
  const first = await new Stage({ ...options, ...(hasLeft ? {} : { as: crowdedFrom('15T14:29') }) }).play(
    MINUTE,
  );
  first.venue.fill(first.venue.last);
  await until(first, '15T14:30:20');
  first.crash();
  await until(first, '15T14:32');
  const next = await new Stage({ ...options, after: first }).play(MINUTE);
  if (hasLeft) next.venue.fill(next.venue.last);
  await next.pass(2 * MINUTE);
  const symbols = next.orders.map(({ terms }) => `${terms.side} ${terms.symbol}`);
  expect(symbols.slice(1)).toEqual(hasLeft ? ['sell AAPL', 'buy MSFT'] : ['sell AAPL']);
});
