import { describe, expect, test } from 'vitest';
import { parseCash, parseShares } from '../../../src/core/amount.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import { txHashOf } from '../../../src/domain/orders/order.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import type { SendFate } from '../fakeVenue.ts';
import { expectSound, settleAll } from '../invariants.ts';
import { atStart, MINUTE, SECOND, Stage } from '../stage.ts';

const AAPL = ticker('AAPL');
const CLOSE = Date.parse('2026-06-15T20:00:00Z');
describe('a cancel that the order list does not show yet', () => {
  test('is not sent again, however often the strategy requests it', async () => {
    const nag: StrategyHooks = {
      onStart: ({ order }) => void order.limit('AAPL', { side: 'buy', shares: 10, price: 90 }),
      onQuote: ({ order }) => order.cancel({ symbol: 'AAPL' }),
    };
    const stage = new Stage({ hooks: { solo: nag }, data: { quotes: ['AAPL'] } });
    stage.venue.cancelFates.push(...Array.from({ length: 50 }, () => 'late' as const));
    await stage.play(10 * SECOND);
    for (let tick = 1; tick <= 10; tick++) {
      stage.venue.prices.set('AAPL', parseCash(String(100 + tick)));
      await stage.pass(5 * SECOND);
    }
    expect(stage.venue.cancels).toBe(1);
  });

  test('is not sent again by a target that waits for it', async () => {
    const turn: StrategyHooks = {
      onStart: ({ order }) => order.target('AAPL', { shares: 10 }),
      onTimer: ({ order }) => order.target('AAPL', { shares: 0 }),
    };
    const data = { quotes: ['AAPL'], timers: [{ name: 't', at: '10:01' }] };
    const stage = new Stage({ hooks: { solo: turn }, data });
    await stage.play(50 * SECOND);
    stage.venue.fill(stage.venue.last, 'open', parseShares('0'));
    stage.venue.cancelFates.push(...Array.from({ length: 50 }, () => 'late' as const));
    await stage.pass(MINUTE);
    expect(stage.venue.cancels).toBe(1);
  });
});

test('a cancel that the venue refused is sent again after half a minute', async () => {
  const nag: StrategyHooks = {
    onStart: ({ order }) => void order.limit('AAPL', { side: 'buy', shares: 10, price: 90 }),
    onQuote: ({ order }) => order.cancel({ symbol: 'AAPL' }),
  };
  const stage = new Stage({ hooks: { solo: nag }, data: { quotes: ['AAPL'] } });
  stage.venue.cancelFates.push('refuse');
  await stage.play(10 * SECOND);
  const asked: number[] = [];
  for (let tick = 1; tick <= 10; tick++) {
    stage.venue.prices.set('AAPL', parseCash(String(100 + tick)));
    await stage.pass(5 * SECOND);
    asked.push(stage.venue.cancels);
  }
  expect(stage.said(/the venue refused the cancel, not open/)).toBe(true);
  expect(asked.filter((count) => count === 1).length).toBeGreaterThanOrEqual(5);
  expect(asked.at(-1)).toBe(2);
  expect(stage.states).toEqual(['closed']);
});

/** Result of an async hook for a caller that expects none. */
const failsLate: () => unknown = () => Promise.reject(new Error('late'));

describe('a strategy that fails', () => {
  const watch: StrategyHooks = { onTimer: ({ order }) => void order.buy('AAPL', { notional: '100' }) };
  const timers = [{ name: 't', at: '10:01' }];
  const data = { quotes: ['AAPL', 'MSFT'], timers };

  test.each<[string, StrategyHooks]>([
    ['a hook that is asynchronous', { onStart: failsLate }],
    [
      'an order for each order that was dropped',
      {
        onStart: ({ order }) => void order.buy('AAPL', { notional: '99999' }),
        onOrder: ({ order, update }) => {
          if (update.status === 'dropped') order.buy('AAPL', { notional: '99999' });
        },
      },
    ],
  ])('by %s is stopped without stopping others', async (_name, bad) => {
    const stage = await new Stage({ hooks: { bad, good: watch }, data }).play(2 * MINUTE);
    expect(stage.failure).toBeNull();
    expect([...stage.runner.kernel.context.accountState.stopped.keys()]).toEqual(['bad']);
    expect(stage.orders).toMatchObject([{ strategyId: 'good', state: { kind: 'working' } }]);
  });

  test('by a state that JSON cannot hold is stopped without stopping others', async () => {
    const bad = (state: Record<string, unknown>): StrategyHooks => ({
      onStart: () => void (state['count'] = 1n),
    });
    const stage = await new Stage({ build: { bad, good: () => watch }, data }).play(2 * MINUTE);
    expect(stage.failure).toBeNull();
    expect([...stage.runner.kernel.context.accountState.stopped.keys()]).toEqual(['bad']);
    expect(stage.venue.sends).toBe(1);
    await stage.stop();
  });

  test('by retrying whenever the gate stops its order is stopped before it fills the journal', async () => {
    const stubborn: StrategyHooks = {
      onStart: ({ order }) => void order.buy('AAPL', { notional: '100' }),
      onOrder: ({ order, update }) => {
        if (update.status === 'dropped') order.buy('AAPL', { notional: '100' });
      },
    };
    const stage = new Stage({ hooks: { solo: stubborn } });
    stage.killed = true;
    await stage.play(MINUTE);
    expect(stage.runner.kernel.context.accountState.stopped.size).toBe(1);
    expect(stage.failure).toBeNull();
  });

  test('runs again at the next start', async () => {
    const bad: StrategyHooks = {
      onStart() {
        throw new Error('a bug of its author');
      },
    };
    const first = await new Stage({ hooks: { solo: bad } }).play(SECOND);
    const mended = atStart((order) => order.buy('AAPL', { notional: '100' }));
    const second = await new Stage({ hooks: { solo: mended }, after: first }).play(10 * SECOND);
    expect(second.venue.sends).toBe(1);
  });
});

describe('a fill', () => {
  const buy = atStart((order, view) => {
    if (view.orders().length === 0 && view.position('AAPL') === 0) order.buy('AAPL', { notional: '1000' });
  });

  test('found by a start that then failed is passed to the strategy by the next start', async () => {
    const fills: number[] = [];
    const first = await new Stage({ hooks: { solo: buy } }).play(10 * SECOND);
    first.venue.fill(first.venue.last);
    const failing = new Stage({ hooks: { solo: buy }, after: first });
    let accounts = 0;
    const account = failing.venue.account.bind(failing.venue);
    failing.venue.account = () =>
      ++accounts === 1 ? Promise.reject(new Error('connection refused')) : account();
    await failing.play(20 * SECOND);
    expect(failing.failure).not.toBeNull();
    const hooks = { solo: { onFill: ({ fill }) => void fills.push(fill.shares) } satisfies StrategyHooks };
    await new Stage({ hooks, after: failing }).play(20 * SECOND);
    expect(fills).toEqual([10]);
    await new Stage({ hooks, after: failing }).play(20 * SECOND);
    expect(fills).toEqual([10]);
  });
});

describe('a response that names the transaction of another order', () => {
  test('is not believed, and both orders are found', async () => {
    const twice = atStart((order) => {
      order.limit('AAPL', { side: 'buy', shares: 1, price: 90 });
      order.limit('MSFT', { side: 'buy', shares: 1, price: 40 });
    });
    const stage = new Stage({ hooks: { solo: twice } });
    stage.venue.fates.push('accept', 'sameHash');
    await stage.play(MINUTE);
    expect(stage.states).toEqual(['working', 'working']);
    expect(new Set(stage.venue.rows.map(({ txHash }) => txHash)).size).toBe(2);
    expect(stage.alarms.join()).toMatch(/belongs to order/);
  });

  test("is corrected when that order's own response was lost, and both orders are found", async () => {
    const twice = atStart((order) => {
      order.limit('AAPL', { side: 'buy', shares: 1, price: 90 });
      order.limit('MSFT', { side: 'buy', shares: 1, price: 40 });
    });
    const stage = new Stage({ hooks: { solo: twice } });
    stage.venue.fates.push('lostAfter', 'sameHash');
    await stage.play(MINUTE);
    const { accountState } = stage.runner.kernel.context;
    expect(stage.states).toEqual(['working', 'working']);
    expect([...accountState.orders.values()].map((order) => [order.terms.symbol, txHashOf(order)])).toEqual(
      stage.venue.rows.map(({ order, txHash }) => [order.symbol, txHash]),
    );
    expect(stage.alarms.join()).toMatch(/with the transaction of another order/);
    expect([...accountState.frozen, ...accountState.external]).toEqual([]);
    for (const row of stage.venue.rows) stage.venue.fill(row);
    await settleAll(stage, MINUTE);
    expectSound(stage);
  });
});

describe('a row of another order under a transaction that the wallet signed', () => {
  const begun = async (): Promise<Stage> => {
    const stage = new Stage({
      hooks: { solo: atStart((order) => void order.limit('AAPL', { side: 'buy', shares: 1, price: 90 })) },
    });
    stage.venue.signsHere = true;
    stage.venue.indexed = false;
    await stage.play(SECOND);
    const { last } = stage.venue;
    const { terms } = last;
    Object.assign(last, { shown: true, terms: terms && { ...terms, symbol: ticker('MSFT') } });
    await stage.pass(10 * MINUTE);
    last.terms = terms;
    return stage;
  };

  test('freezes the stock, and the order waits until its own row is shown', async () => {
    const stage = await begun();
    const { accountState } = stage.runner.kernel.context;
    expect(stage.states).toEqual(['acknowledged']);
    expect(stage.orders.map(txHashOf)).toEqual([stage.venue.last.txHash]);
    expect([...accountState.frozen.keys()]).toEqual(['AAPL']);
    expect(stage.alarms.join()).toMatch(
      /AAPL is frozen: order \S+: the venue shows another order, buy 1 MSFT .*, under the transaction that the wallet signed for it/,
    );
    await stage.pass(MINUTE);
    expect(stage.states).toEqual(['working']);
    stage.venue.end(stage.venue.last, 'expired');
    await settleAll(stage, MINUTE);
    expect(stage.states).toEqual(['closed']);
    expect([...accountState.external]).toEqual([]);
    expectSound(stage);
  });

  test('raises one alarm', async () => {
    const stage = await begun();
    expect(stage.alarms.filter((text) => text.includes('the wallet signed'))).toHaveLength(1);
  });
});

test('an order that exists although a second copy of its request was refused is attributed again', async () => {
  const stage = new Stage({
    hooks: { solo: atStart((order) => void order.buy('AAPL', { notional: '1000' })) },
  });
  stage.venue.fates.push('refusedTwin');
  await stage.play(70 * SECOND);
  expect(stage.states).toEqual(['working']);
  expect(stage.said(/an order that was refused has turned up/)).toBe(true);
  expect([...stage.runner.kernel.context.accountState.external]).toEqual([]);
  stage.venue.fill(stage.venue.last);
  await settleAll(stage, MINUTE);
  expectSound(stage);
});

test.each<[how: string, fate: SendFate]>([
  ['a second copy of its request was refused', 'refusedTwin'],
  ['the venue refused it in a documented text', 'refusedAfterTheDeed'],
])('an order that appears long after %s is attributed again', async (_how, fate) => {
  const stage = new Stage({
    hooks: { solo: atStart((order) => void order.buy('AAPL', { notional: '1000' })) },
  });
  stage.venue.fates.push(fate);
  stage.venue.indexed = false;
  await stage.play(SECOND);
  const taken = stage.venue.cash;
  stage.venue.cash = parseCash('100000');
  await stage.pass(5 * MINUTE);
  expect(stage.states).toEqual(['refused']);
  stage.venue.last.shown = true;
  stage.venue.cash = taken;
  await stage.pass(MINUTE);
  expect(stage.states).toEqual(['working']);
  expect([...stage.runner.kernel.context.accountState.external]).toEqual([]);
});

describe('a cancel answered with the transaction of another order', () => {
  /** The first order rests, the second one is cancelled a minute later. */
  const cancelling = (): Stage => {
    const hooks: StrategyHooks = {
      onStart({ order }) {
        order.limit('AAPL', { side: 'buy', shares: 1, price: 90 });
        order.limit('MSFT', { side: 'buy', shares: 1, price: 40 });
      },
      onTimer: ({ order }) => order.cancel({ symbol: 'MSFT' }),
    };
    const data = { quotes: ['AAPL', 'MSFT'], timers: [{ name: 't', at: '10:01' }] };
    const stage = new Stage({ hooks: { solo: hooks }, data });
    stage.venue.cancelFates.push('sameHash');
    return stage;
  };

  test('does not hide that order when its own response was lost', async () => {
    const stage = cancelling();
    stage.venue.fates.push('lostAfter');
    await stage.play(SECOND);
    const lost = stage.venue.rows[0] ?? stage.venue.last;
    lost.shown = false;
    await stage.pass(MINUTE);
    lost.shown = true;
    await stage.pass(MINUTE);
    expect(stage.states).toEqual(['working', 'closed']);
    stage.venue.fill(lost);
    await settleAll(stage, MINUTE);
    expectSound(stage);
  });

  test('does not hide that order when it is known', async () => {
    const stage = cancelling();
    await stage.play(2 * MINUTE);
    expect(stage.alarms.join()).toMatch(/answered the cancel .* with a transaction that belongs to order/);
    stage.venue.fill(stage.venue.rows[0] ?? stage.venue.last);
    await stage.pass(MINUTE);
    expect(stage.states).toEqual(['closed', 'closed']);
  });
});

describe('an unknown order whose money is gone from the account', () => {
  test('keeps its reserve past the configured grace, is reported once, and is found in the end', async () => {
    const buy: StrategyHooks = {
      onStart: ({ order }) => void order.buy('AAPL', { notional: '9000' }),
      onTimer: ({ order }) => void order.buy('MSFT', { shares: 180 }),
    };
    const data = { quotes: ['AAPL', 'MSFT'], timers: [{ name: 't', at: '10:20' }] };
    const stage = new Stage({
      hooks: { solo: buy, other: {} },
      data,
      rules: { assumeGoneAfterMs: 5 * MINUTE },
    });
    stage.venue.cash = parseCash('20000');
    stage.venue.fates.push('lostAfter');
    stage.venue.indexed = false;
    await stage.play(15 * MINUTE);
    expect(stage.states).toEqual(['unknown']);
    expect(stage.alarms.filter((text) => /the account does not agree/.test(text))).toHaveLength(1);
    stage.venue.indexed = true;
    await stage.pass(10 * MINUTE);
    for (const row of stage.venue.rows) stage.venue.fill(row);
    for (const row of stage.venue.rows) row.shown = true;
    await stage.pass(5 * MINUTE);
    expect(stage.failure).toBeNull();
    expect(stage.states).toEqual(['closed']);
    expect(stage.runner.kernel.context.accountState.ledger.total('mUSD')).toBe(stage.venue.cash);
    expect(stage.runner.kernel.context.accountState.frozen.has(AAPL)).toBe(false);
  });
});

describe('order sizes', () => {
  test('that round to nothing are dropped with a reason, not treated as done', async () => {
    const small = atStart((order) => {
      order.buy('MSFT', { shares: 0.5 });
      order.sell('MSFT', { shares: 0.5 });
      order.limit('AAPL', { side: 'buy', shares: 1e-9, price: 90 });
    });
    const stage = await new Stage({ hooks: { solo: small } }).play(10 * SECOND);
    expect(stage.runner.kernel.context.drops.of('solo').count).toBe(3);
    expect(stage.said(/dropped/)).toBe(true);
  });
});

test('an order near the close never has a deadline that has passed or that reaches the next session', async () => {
  const many = atStart((order) => {
    for (let cent = 1; cent <= 8; cent++)
      order.limit('AAPL', { side: cent % 2 ? 'buy' : 'sell', shares: 1, price: 90 + cent });
  });
  const stage = new Stage({ hooks: { solo: many }, start: CLOSE - 4_500 });
  await stage.play(MINUTE);
  const sent = stage.lines.filter((one) => one.includes('"kind":"sent"'));
  expect(sent.length).toBeGreaterThan(1);
  for (const line of sent) {
    const { at, fact } = JSON.parse(line) as { at: number; fact: { event: { deadline: number } } };
    expect(fact.event.deadline * 1000).toBeGreaterThan(at);
    expect(fact.event.deadline * 1000).toBeLessThan(CLOSE);
  }
});
