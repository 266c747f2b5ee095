import { describe, expect, test } from 'vitest';
import type { Bar } from '../../../src/domain/bar.ts';
import { requireHooks } from '../../../src/engine/strategy/hooks.ts';
import type { Orders, StrategyHooks, StrategyState } from '../../../src/strategy/index.ts';
import { factsOf } from '../invariants.ts';
import { atStart, MINUTE, SECOND, Stage } from '../stage.ts';

describe('the hooks that a strategy returns', () => {
  test.each([
    ['a misspelled hook', { onBarr: () => undefined }, /^onBarr is no hook: there are onStart, onBar, /],
    ['nothing', undefined, /create returned no hooks/],
    ['null', null, /create returned no hooks/],
    ['a promise', Promise.resolve({}), /create is synchronous/],
  ])('are refused when malformed: %s', (_, hooks, error) => {
    expect(() => requireHooks(hooks as StrategyHooks)).toThrow(error);
  });

  test('may have other fields', () => {
    const hooks = { onBar: () => undefined, once: true, online: 1 };
    expect(requireHooks(hooks)).toBe(hooks);
  });

  test('stop the strategy with an error when one has an unknown name', async () => {
    const wrong = { onStrat: () => undefined } as StrategyHooks;
    const stage = await new Stage({ hooks: { solo: wrong } }).play(SECOND);
    expect(stage.runner.kernel.context.accountState.stopped.get('solo')).toMatch(/onStrat is no hook/);
  });
});

test('bars and sessions shown to strategies are shared, and no strategy can change them', async () => {
  const seen: number[] = [];
  const minute = { symbol: 'AAPL', interval: '1m', open: 100, high: 100, low: 100, close: 100, volume: 1 };
  const stage = await new Stage({
    hooks: {
      bar: { onBar: ({ bar }) => void ((bar as { close: number }).close = 1) },
      session: { onStart: ({ view }) => void ((view.session as unknown as { close: number }).close = 0) },
      calm: { onBar: ({ bar }) => void seen.push(bar.close) },
    },
    data: { bars: [{ symbol: 'AAPL', interval: '1m' }], quotes: ['AAPL'] },
    as: (venue, clock) =>
      Object.assign(venue, {
        bars: () =>
          Promise.resolve([{ ...minute, start: clock.now() - (clock.now() % MINUTE) - MINUTE } as Bar]),
      }),
  }).play(3 * MINUTE);
  expect(new Set(seen)).toEqual(new Set([100]));
  expect([...stage.runner.kernel.context.accountState.stopped.keys()].sort()).toEqual(['bar', 'session']);
});

test('a start of a halted run raises an alarm with the reason and the command that resumes', async () => {
  const first = await new Stage({ hooks: { solo: {} } }).play(SECOND);
  await first.stop();
  first.options.journal.commit([{ at: first.clock.now(), fact: { kind: 'halted', why: 'a look around' } }]);
  const buy = atStart((order) => order.buy('AAPL', { notional: '1000' }));
  const next = await new Stage({ hooks: { solo: buy }, after: first }).play(SECOND);
  expect(next.alarms[0]).toMatch(/^trading is halted: a look around.*`drover resume --reason TEXT`/);
  expect(next.venue.sends).toBe(0);
});

test('a state that cannot be kept stops its strategy once, and the previous state stays', async () => {
  const build = (state: StrategyState): StrategyHooks => ({
    onStart: () => void (state['count'] = 1),
    onTimer: () => void (state['count'] = 5n),
  });
  const data = { timers: [{ name: 'late', at: 'open+31m' }] };
  const stage = await new Stage({ build: { solo: build }, data }).play(10 * MINUTE);
  await stage.stop();
  const facts = factsOf(stage);
  expect(facts.filter(({ kind }) => kind === 'strategyStopped')).toMatchObject([
    { error: expect.stringContaining('the state cannot keep a bigint, which "count" is') as string },
  ]);
  expect(facts.filter(({ kind }) => kind === 'strategyState')).toMatchObject([{ state: { count: 1 } }]);
});

test('a state nested too deep to be read again stops its strategy, and the run continues', async () => {
  const build = (state: StrategyState): StrategyHooks => ({
    onTimer: () => void (state['deep'] = JSON.parse('['.repeat(100) + ']'.repeat(100))),
  });
  const data = { timers: [{ name: 'late', at: 'open+31m' }] };
  const stage = await new Stage({ build: { solo: build }, data }).play(10 * MINUTE);
  await stage.stop();
  expect(factsOf(stage).filter(({ kind }) => kind === 'strategyStopped')).toMatchObject([
    { error: expect.stringContaining('nested deeper than 64 levels') as string },
  ]);
  expect(stage.failure).toBeNull();
});

test('an order call after the hook has ended is ignored, with one alarm', async () => {
  const late: StrategyHooks = {
    onStart({ order }) {
      for (let call = 0; call < 2; call++) queueMicrotask(() => void order.buy('AAPL', { notional: '1000' }));
    },
  };
  const stage = await new Stage({ hooks: { solo: late } }).play(MINUTE);
  expect(stage.venue.sends).toBe(0);
  expect(stage.alarms).toEqual([
    'a call of `order` after its hook had ended is ignored: hooks are synchronous',
  ]);
});

describe('the reason of an order or cancel', () => {
  const circular: { self?: unknown } = {};
  circular.self = circular;

  test.each<[call: string, act: (order: Orders) => void]>([
    ['a buy', (order) => order.buy('AAPL', { notional: '1000' }, circular as never)],
    ['a cancel', (order) => order.cancel({ symbol: 'AAPL' }, circular as never)],
  ])('of %s that is not text stops its strategy and no other', async (_call, act) => {
    const good: StrategyHooks = { onTimer: ({ order }) => void order.buy('MSFT', { shares: 3 }) };
    const bad: StrategyHooks = {
      onStart: ({ order }) => void order.limit('AAPL', { side: 'buy', shares: 1, price: 90 }),
      onTimer: ({ order }) => act(order),
    };
    const data = { quotes: ['AAPL', 'MSFT'], timers: [{ name: 'late', at: 'open+31m' }] };
    const stage = await new Stage({ hooks: { bad, good }, data }).play(5 * MINUTE);
    expect(stage.failure).toBeNull();
    expect(stage.alarms[0]).toContain('stopped by its own error: reason of an order: object is not a text');
    expect(stage.orders.map(({ strategyId, state }) => `${strategyId} ${state.kind}`)).toContain(
      'good working',
    );
  });

  test('is cut to 500 characters', async () => {
    const buy = atStart((order) => order.buy('AAPL', { notional: '1000' }, 'long '.repeat(1_000)));
    const stage = await new Stage({ hooks: { solo: buy } }).play(MINUTE);
    expect(stage.orders.map(({ reason }) => reason.length)).toEqual([500]);
  });
});

test('a state of more than 1 MB stops its strategy and names its size, and the previous state stays', async () => {
  const build = (state: StrategyState): StrategyHooks => ({
    onStart: () => void (state['seen'] = 'x'.repeat(900_000)),
    onTimer: () => void (state['seen'] = 'é'.repeat(600_000)),
  });
  const data = { timers: [{ name: 'late', at: 'open+31m' }] };
  const stage = await new Stage({ build: { solo: build }, data }).play(10 * MINUTE);
  await stage.stop();
  const facts = factsOf(stage);
  expect(facts.filter(({ kind }) => kind === 'strategyStopped')).toMatchObject([
    {
      error: expect.stringContaining('the state is 1,200,011 bytes of JSON, and at most 1,000,000') as string,
    },
  ]);
  expect(facts.filter(({ kind }) => kind === 'strategyState')).toHaveLength(1);
});
