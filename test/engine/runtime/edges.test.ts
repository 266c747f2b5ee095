import { describe, expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import type { Limits } from '../../../src/domain/limits.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { expectSound, settleAll } from '../invariants.ts';
import { atStart, MINUTE, MORNING, SECOND, Stage } from '../stage.ts';

const HOUR = 60 * MINUTE;
const OPEN = MORNING - HOUR / 2;
const CLOSE = Date.parse('2026-06-15T20:00:00Z');
/** The day after Thanksgiving closes at 13:00. */
const EARLY_CLOSE = Date.parse('2026-11-27T18:00:00Z');
const buy = atStart((order) => order.buy('AAPL', { notional: '1000' }));

describe('a journal that cannot be written', () => {
  test('stops every send and ends the run with its error', async () => {
    const later: StrategyHooks = { onTimer: ({ order }) => void order.buy('AAPL', { notional: '1000' }) };
    const data = { quotes: ['AAPL'], timers: [{ name: 't', at: '10:01' }] };
    const stage = await new Stage({ hooks: { solo: later }, data }).play(30 * SECOND);
    stage.lines.push = () => {
      throw new Error('disk full');
    };
    await stage.pass(2 * MINUTE);
    expect(stage.venue.sends).toBe(0);
    expect(String(stage.failure)).toMatch(/disk full/);
  });

  test('while a response is pending loses no order: the next start finds it', async () => {
    const stage = new Stage({ hooks: { solo: buy } });
    const push = stage.lines.push.bind(stage.lines);
    stage.lines.push = (...lines) => {
      if (lines.some((line) => line.includes('"kind":"accepted"'))) throw new Error('disk full');
      return push(...lines);
    };
    await stage.play(30 * SECOND);
    expect(String(stage.failure)).toMatch(/disk full/);
    stage.lines.push = push;
    const next = await new Stage({ after: stage }).play(30 * SECOND);
    expect(next.states).toEqual(['working']);
    await settleAll(next, 5 * MINUTE);
    expectSound(next);
    expect(next.venue.sends).toBe(1);
  });
});

describe('a rebalance', () => {
  const held = (sellFate: (stage: Stage) => void) => async () => {
    const mix: StrategyHooks = {
      onTimer: ({ order, timer }) =>
        timer === 'a' ? order.rebalance({ AAPL: 0.5 }) : order.rebalance({ AAPL: 0.1, MSFT: 0.9 }),
    };
    const timers = [
      { name: 'a', at: '10:01' },
      { name: 'b', at: '10:03' },
    ];
    const stage = new Stage({ hooks: { solo: mix }, data: { quotes: ['AAPL', 'MSFT'], timers } });
    await stage.play(90 * SECOND);
    stage.venue.fill(stage.venue.last);
    await stage.pass(MINUTE);
    sellFate(stage);
    await stage.pass(2 * MINUTE);
    return stage;
  };

  test('buys what it can afford when its sell is refused', async () => {
    const stage = await held((one) => void one.venue.fates.push('refuse'))();
    // Until its deadline has passed, its end is only the venue's claim.
    expect(stage.orders.map(({ terms }) => terms.side)).toEqual(['buy', 'sell']);
    await stage.pass(3 * MINUTE);
    expect(stage.orders.map(({ terms, state }) => `${terms.side} ${terms.symbol} ${state.kind}`)).toEqual([
      'buy AAPL closed',
      'sell AAPL refused',
      'buy MSFT working',
    ]);
    await settleAll(stage, 5 * MINUTE);
    expectSound(stage);
  });

  test('keeps its buys waiting while its sell is unknown, and continues once that is resolved', async () => {
    const stage = await held((one) => void one.venue.fates.push('lostBefore'))();
    expect(stage.orders.map(({ terms }) => terms.side)).toEqual(['buy', 'sell']);
    expect(stage.orders.at(-1)).toMatchObject({ state: { kind: 'unknown' } });
    const { accountState, operatorWords } = stage.runner.kernel.context;
    operatorWords.take([...accountState.live.keys()][0] as never);
    await stage.pass(4 * MINUTE);
    expect(stage.orders.map(({ terms }) => `${terms.side} ${terms.symbol}`).at(-1)).toBe('buy MSFT');
  });
});

test('a rebalance during the sells of the previous one keeps its buys waiting for them', async () => {
  const mix: StrategyHooks = {
    onTimer: ({ order, timer }) =>
      timer === 'a' ? order.rebalance({ AAPL: 0.9 }) : order.rebalance({ AAPL: 0.1, MSFT: 0.8 }),
  };
  const timers = ['10:01', '10:03', '10:04'].map((at, index) => ({ name: 'abc'.charAt(index), at }));
  const stage = new Stage({ hooks: { solo: mix }, data: { quotes: ['AAPL', 'MSFT'], timers } });
  await stage.play(90 * SECOND);
  stage.venue.fill(stage.venue.last);
  await stage.pass(3 * MINUTE);
  expect(stage.orders.map(({ terms }) => `${terms.side} ${terms.symbol}`)).toEqual(['buy AAPL', 'sell AAPL']);
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  expect(stage.orders.at(-1)?.reserve).toBeGreaterThan(parseCash('7000'));
});

test('a missing amount of cash stops every buy, and the alarm names the command that ends it', async () => {
  const both: StrategyHooks = {
    onTimer({ order, timer }) {
      if (timer === 'lost') order.buy('AAPL', { notional: '1000' });
      else order.buy('MSFT', { shares: 1 });
    },
  };
  const timers = [
    { name: 'lost', at: '10:05' },
    { name: 'proof', at: '10:10' },
  ];
  const stage = new Stage({ hooks: { solo: both }, data: { quotes: ['AAPL', 'MSFT'], timers } });
  await stage.play(MINUTE);
  stage.venue.cash += parseCash('500');
  await stage.pass(7 * MINUTE);
  expect(stage.venue.sends).toBe(0);
  expect(stage.alarms.join()).toMatch(
    /difference in mUSD: .* no buy is sent until they agree.*drover accept mUSD/,
  );
  stage.venue.cash -= parseCash('500');
  await stage.pass(8 * MINUTE);
  expect(stage.venue.sends).toBe(2);
});

describe('a run at the edge of a session', () => {
  test.each([
    ['starting 10 minutes before an early close', EARLY_CLOSE - 10 * MINUTE, 1],
    ['starting in the last half minute before an early close', EARLY_CLOSE - 20 * SECOND, 0],
    ['starting at an early close', EARLY_CLOSE, 0],
    ['starting at the close', CLOSE, 0],
    ['starting at the open', OPEN, 1],
    ['starting a millisecond before the open', OPEN - 1, 1],
  ])('has the expected sends and sessions: %s', async (_name, start, sends) => {
    const told: string[] = [];
    const watch: StrategyHooks = {
      onStart: ({ order }) => void order.buy('AAPL', { notional: '1000' }),
      onSession: ({ change, session }) => void told.push(`${session.date} ${change}`),
    };
    const stage = await new Stage({ hooks: { solo: watch }, start }).play(5 * MINUTE);
    expect(stage.venue.sends).toBe(sends);
    expect(told.filter((one) => one.endsWith('opened')).length).toBe(
      start === CLOSE || start === EARLY_CLOSE ? 0 : 1,
    );
    expect(stage.failure).toBeNull();
  });

  test('a buy decided when the session opens is sent at once', async () => {
    const early: StrategyHooks = {
      onSession({ order, change }) {
        if (change === 'opened') order.buy('AAPL', { notional: '1000' });
      },
    };
    const stage = new Stage({ hooks: { solo: early }, start: OPEN - 61_500, limits: { quoteAgeMs: 20_000 } });
    await stage.play(65 * SECOND);
    expect(stage.venue.sends).toBe(1);
  });
});

test('order sizes of any magnitude neither end the run nor cause a wrong digit', async () => {
  const odd = atStart((order) => {
    order.buy('AAPL', { notional: '1e30' as never });
  });
  const stage = await new Stage({ hooks: { odd, solo: {} } }).play(10 * SECOND);
  expect(stage.failure).toBeNull();
  const sizes = atStart((order) => {
    order.buy('AAPL', { notional: '99999999999999999999999999999999' });
    order.buy('AAPL', { notional: '0.000000000000000001' });
    order.buy('AAPL', { notional: '1.000000000000000001' });
    order.limit('AAPL', { side: 'buy', shares: '0.123456789012345678', price: '99.99' });
    order.target('AAPL', { weight: 1e-30 });
    order.target('MSFT', { notional: 1e25 });
  });
  const second = await new Stage({ hooks: { solo: sizes } }).play(10 * SECOND);
  for (const row of second.venue.rows) second.venue.fill(row);
  await second.pass(2 * MINUTE);
  expect(second.failure).toBeNull();
  await settleAll(second, 5 * MINUTE);
  expectSound(second);
  expect(second.venue.cash).toBeLessThan(parseCash('100000'));
});

test('a strategy may order both ways in one hook', async () => {
  const both = atStart((order) => {
    order.buy('AAPL', { notional: '1000' });
    order.sell('AAPL', { all: true });
    order.target('AAPL', { shares: 5 });
    order.target('AAPL', { shares: 0 });
  });
  const stage = await new Stage({ hooks: { solo: both } }).play(30 * SECOND);
  for (let round = 0; round < 5; round++) {
    for (const row of stage.venue.rows) if (row.status === 'open') stage.venue.fill(row);
    await stage.pass(30 * SECOND);
  }
  await settleAll(stage, 5 * MINUTE);
  expectSound(stage);
  expect(stage.runner.kernel.context.accountState.intents.size).toBe(0);
  expect(stage.runner.kernel.context.accountState.ledger.held('solo', ticker('AAPL'))).toBe(0n);
});

test.each([-18, -6, 6, 18])(
  "a lost order is found although the venue's clock is %i s ahead",
  async (seconds) => {
    const stage = new Stage({ hooks: { solo: buy } });
    stage.venue.aheadMs = seconds * SECOND;
    stage.venue.fates.push('lostAfter');
    await stage.play(MINUTE);
    expect(stage.states).toEqual(['working']);
    expect(stage.alarms.join()).not.toMatch(/external order/);
  },
);

test.each<[string, Limits, string[]]>([
  ['stops buys under a limit that counts it', { grossExposure: parseCash('9500') }, ['closed']],
  [
    'does not stop buys under a limit that does not',
    { orderNotional: parseCash('9500') },
    ['closed', 'working'],
  ],
])('a held stock that is no longer listed %s', async (_name, limits, states) => {
  const buy = atStart((order) => order.buy('AAPL', { notional: '9000' }));
  const before = await new Stage({ data: { quotes: ['AAPL'] }, hooks: { solo: buy } }).play(SECOND);
  before.venue.fill(before.venue.last);
  await before.pass(MINUTE);
  before.venue.prices.delete('AAPL');
  const hooks = { solo: atStart((order) => order.buy('MSFT', { shares: 18 })) };
  const after = await new Stage({ after: before, data: { quotes: ['MSFT'] }, limits, hooks }).play(MINUTE);
  expect(after.states).toEqual(states);
});

test('a venue price of zero does not end the run', async () => {
  const stage = new Stage({
    hooks: { solo: { onTimer: ({ order }) => order.target('AAPL', { weight: 0.5 }) } },
    data: { quotes: ['AAPL'], timers: [{ name: 't', at: '10:01' }] },
    limits: { quoteAgeMs: 20_000 },
  });
  await stage.play(30 * SECOND);
  stage.venue.prices.set('AAPL', 0n);
  await stage.pass(2 * MINUTE);
  expect(stage.failure).toBeNull();
  expect(stage.venue.sends).toBe(0);
});
