import { describe, expect, test } from 'vitest';
import { parseCash, parseShares } from '../../../src/core/amount.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import type { OrderView, StrategyHooks } from '../../../src/strategy/index.ts';
import { atStart, MINUTE, MORNING, SECOND, Stage } from '../stage.ts';

const HOUR = 60 * MINUTE;
const BEFORE_OPEN = MORNING - HOUR;
const AAPL = ticker('AAPL');

describe('the recovery after a crash', () => {
  const buy = atStart((order, view) => {
    if (view.orders().length === 0 && view.position('AAPL') === 0) order.buy('AAPL', { notional: '1000' });
  });

  test('treats a send without a response as unknown, finds it, and sends nothing twice', async () => {
    const crashed = new Stage({ hooks: { solo: buy } });
    crashed.venue.fates.push('hang');
    await crashed.play(10 * SECOND);
    expect(crashed.states).toEqual(['sent']);
    crashed.venue.foreign(crashed.orders[0]?.terms as never);
    const next = await new Stage({ hooks: { solo: buy }, after: crashed }).play(20 * SECOND);
    expect(next.states).toEqual(['working']);
    expect(next.venue.sends).toBe(1);
  });

  test('abandons an order that was planned and never sent', async () => {
    const crashed = new Stage({ hooks: { solo: buy } });
    await crashed.play(10 * SECOND);
    const planned = crashed.lines.findIndex((line) => line.includes('"planned"'));
    crashed.lines.length = planned + 1;
    crashed.venue.rows.length = 0;
    crashed.venue.cash = parseCash('100000');
    const next = await new Stage({ hooks: { solo: {} }, after: crashed }).play(20 * SECOND);
    expect(next.states).toEqual(['abandoned']);
    expect(next.runner.kernel.context.accountState.ledger.balance('solo', 'reserved', 'mUSD')).toBe(0n);
  });

  test('repeated in a second start changes nothing', async () => {
    const first = await new Stage({ hooks: { solo: buy } }).play(10 * SECOND);
    const second = await new Stage({ hooks: { solo: buy }, after: first }).play(20 * SECOND);
    const third = await new Stage({ hooks: { solo: buy }, after: second }).play(20 * SECOND);
    expect(third.orders).toEqual(second.orders);
    expect(third.venue.sends).toBe(1);
  });

  test('notifies a strategy of a fill that happened while it was down', async () => {
    const fills: number[] = [];
    const first = await new Stage({ hooks: { solo: buy } }).play(10 * SECOND);
    first.venue.fill(first.venue.last);
    const hooks = { solo: { onFill: ({ fill }) => void fills.push(fill.shares) } satisfies StrategyHooks };
    const next = new Stage({ hooks, after: first });
    await next.play(20 * SECOND);
    expect(fills).toEqual([10]);
  });
});

describe('an order intent', () => {
  test('outside the session waits for the open', async () => {
    const buy = atStart((order) => order.buy('AAPL', { notional: '1000' }));
    const stage = await new Stage({ start: BEFORE_OPEN, hooks: { solo: buy } }).play(10 * MINUTE);
    expect(stage.venue.sends).toBe(0);
    await stage.pass(25 * MINUTE);
    expect(stage.venue.sends).toBe(1);
  });

  test('outside the session ends at once with `outside: refuse`', async () => {
    const buy = atStart((order) => order.buy('AAPL', { notional: '1000', outside: 'refuse' }));
    const stage = await new Stage({ start: BEFORE_OPEN, hooks: { solo: buy } }).play(HOUR);
    expect(stage.venue.sends).toBe(0);
  });

  test('with `at: open` waits for the next open even during a session', async () => {
    const buy = atStart((order) => order.buy('AAPL', { notional: '1000', at: 'open' }));
    const stage = await new Stage({ hooks: { solo: buy } }).play(5 * HOUR);
    expect(stage.venue.sends).toBe(0);
    await stage.pass(19 * HOUR);
    expect(stage.venue.sends).toBe(1);
  });

  test('for a market order in the last 30 seconds waits for the next open', async () => {
    const close = Date.parse('2026-06-15T20:00:00Z');
    const buy = atStart((order) => order.buy('AAPL', { notional: '1000' }));
    const stage = await new Stage({ start: close - 20 * SECOND, hooks: { solo: buy } }).play(MINUTE);
    expect(stage.venue.sends).toBe(0);
    await stage.pass(18 * HOUR);
    expect(stage.venue.sends).toBe(1);
  });

  test('that is good till cancelled is placed again in each session for the remaining shares', async () => {
    const rest = atStart((order) =>
      order.limit('AAPL', { side: 'buy', shares: 10, price: 90, goodTill: 'cancelled' }),
    );
    const stage = await new Stage({ hooks: { solo: rest } }).play(5 * HOUR);
    stage.venue.fill(stage.venue.last, 'expired', parseShares('4'));
    await stage.pass(19 * HOUR);
    expect(stage.orders.map(({ id, terms }) => [id, 'quantity' in terms ? terms.quantity : 0n])).toEqual([
      ['solo-1.1', parseShares('10')],
      ['solo-1.2', parseShares('6')],
    ]);
  });

  test('for a target counts orders under way and orders nothing twice', async () => {
    const target: StrategyHooks = {
      onQuote: ({ order, symbol }) => order.target(symbol, { shares: 10 }),
      onStart: ({ order }) => order.target('AAPL', { shares: 10 }),
    };
    const stage = await new Stage({ hooks: { solo: target }, data: { quotes: ['AAPL'] } }).play(10 * SECOND);
    stage.venue.prices.set('AAPL', parseCash('101'));
    await stage.pass(MINUTE);
    expect(stage.venue.sends).toBe(1);
  });

  test('for the opposite target first cancels the open order', async () => {
    const turn: StrategyHooks = {
      onStart: ({ order }) => order.target('AAPL', { shares: 10 }),
      onQuote: ({ order }) => order.target('AAPL', { shares: 0 }),
    };
    const stage = await new Stage({ hooks: { solo: turn }, data: { quotes: ['AAPL'] } }).play(10 * SECOND);
    stage.venue.prices.set('AAPL', parseCash('101'));
    await stage.pass(MINUTE);
    expect(stage.orders).toMatchObject([{ state: { kind: 'closed', how: 'cancelled' } }]);
  });

  test('for a rebalance sells first and buys when the sells have ended', async () => {
    const mix: StrategyHooks = {
      onTimer: ({ order, view }) =>
        order.rebalance(view.position('AAPL') > 0 ? { AAPL: 0, MSFT: 0.9 } : { AAPL: 0.9 }),
    };
    const timers = [
      { name: 'a', at: '10:01' },
      { name: 'b', at: '10:03' },
    ];
    const stage = new Stage({ hooks: { solo: mix }, data: { quotes: ['AAPL', 'MSFT'], timers } });
    await stage.play(90 * SECOND);
    stage.venue.fill(stage.venue.last);
    await stage.pass(2 * MINUTE);
    expect(stage.orders.map(({ terms }) => terms.side)).toEqual(['buy', 'sell']);
    stage.venue.fill(stage.venue.last);
    await stage.pass(MINUTE);
    expect(stage.orders.map(({ terms }) => `${terms.side} ${terms.symbol}`)).toEqual([
      'buy AAPL',
      'sell AAPL',
      'buy MSFT',
    ]);
  });
});

describe('a cancel by a strategy', () => {
  const place: StrategyHooks = {
    onStart: ({ order }) => void order.limit('AAPL', { side: 'buy', shares: 10, price: 90 }),
    onTimer: ({ order }) => order.cancel({ symbol: 'AAPL' }),
  };
  const data = { quotes: ['AAPL'], timers: [{ name: 't', at: '10:01' }] };

  test('ends the order when the venue reports it cancelled', async () => {
    const stage = await new Stage({ hooks: { solo: place }, data }).play(50 * SECOND);
    await stage.pass(MINUTE);
    expect(stage.orders).toMatchObject([{ state: { kind: 'closed', how: 'cancelled' } }]);
    expect(await stage.stop()).toMatchObject({
      orders: { cancelled: 1 },
      reconciliation: { differences: 0 },
    });
  });

  test('that loses the race against a fill leaves the order filled', async () => {
    const stage = new Stage({ hooks: { solo: place }, data });
    stage.venue.cancelFates.push('refuse');
    await stage.play(50 * SECOND);
    stage.venue.fill(stage.venue.last);
    await stage.pass(MINUTE);
    expect(stage.orders).toMatchObject([{ state: { kind: 'closed', how: 'filled' } }]);
  });

  test('that never arrived is repeated only after its order was seen open past the deadline', async () => {
    const stage = new Stage({ hooks: { solo: place }, data });
    stage.venue.cancelFates.push('lostBefore');
    await stage.play(3 * MINUTE);
    expect(stage.states).toEqual(['working']);
    await stage.pass(2 * MINUTE);
    expect(stage.orders).toMatchObject([{ state: { kind: 'closed', how: 'cancelled' } }]);
  });
});

test('an order list requested before an order ended does not freeze its stock', async () => {
  const place = atStart((order) => order.limit('AAPL', { side: 'buy', shares: 10, price: 90 }));
  const stage = await new Stage({ hooks: { solo: place } }).play(20 * SECOND);
  const { kernel } = stage.runner;
  const before = { ...stage.venue.last };
  const asked = stage.clock.now();
  stage.venue.fill(stage.venue.last);
  await stage.pass(20 * SECOND);
  expect(stage.states).toEqual(['closed']);
  kernel.handle({ kind: 'swept', asked, rows: [before], complete: true }, stage.clock.now());
  expect(kernel.context.accountState.frozen.size).toBe(0);
  kernel.handle(
    { kind: 'swept', asked: stage.clock.now(), rows: [before], complete: true },
    stage.clock.now(),
  );
  expect(kernel.context.accountState.frozen.has(AAPL)).toBe(true);
});

describe('the reconciliation', () => {
  test('reports a missing amount of cash as exactly one difference', async () => {
    const stage = await new Stage().play(MINUTE);
    stage.venue.cash -= parseCash('123.45');
    await stage.pass(20 * SECOND);
    expect(stage.runner.kernel.context.accountState.differences).toHaveLength(0);
    await stage.pass(10 * MINUTE);
    expect(await stage.stop()).toMatchObject({ reconciliation: { differences: 1 } });
    expect(stage.alarms.filter((text) => text.startsWith('difference'))).toHaveLength(1);
  });

  test('freezes a stock whose shares differ', async () => {
    const later: StrategyHooks = { onTimer: ({ order }) => void order.buy('AAPL', { notional: '100' }) };
    const data = { quotes: ['AAPL'], timers: [{ name: 't', at: '10:10' }] };
    const stage = await new Stage({ hooks: { solo: later }, data }).play(MINUTE);
    stage.venue.holdings.set('AAPL', parseCash('3'));
    await stage.pass(15 * MINUTE);
    expect(stage.runner.kernel.context.accountState.frozen.has(AAPL)).toBe(true);
    expect(stage.venue.sends).toBe(0);
  });

  test('reports an external order once and never touches it', async () => {
    const stage = await new Stage().play(MINUTE);
    const stock = '0x1111111111111111111111111111111111111111';
    stage.venue.foreign({ type: 'market', side: 'buy', symbol: AAPL, stock, notional: parseCash('10') });
    await stage.pass(2 * MINUTE);
    expect(stage.alarms.filter((text) => /^external order on this key: 0x/.test(text))).toHaveLength(1);
    expect(await stage.stop()).toMatchObject({ orders: { external: 1, sent: 0 } });
  });
});

describe('a strategy', () => {
  test('that throws is stopped without stopping others, and its open orders are cancelled', async () => {
    const bad: StrategyHooks = {
      onStart: ({ order }) => void order.limit('AAPL', { side: 'buy', shares: 1, price: 90 }),
      onTimer() {
        throw new Error('a bug of its author');
      },
    };
    const good: StrategyHooks = { onTimer: ({ order }) => void order.buy('MSFT', { shares: 1 }) };
    const data = { quotes: ['AAPL', 'MSFT'], timers: [{ name: 't', at: '10:01' }] };
    const stage = await new Stage({ hooks: { bad, good }, data }).play(3 * MINUTE);
    expect(stage.orders).toMatchObject([
      { strategyId: 'bad', state: { kind: 'closed', how: 'cancelled' } },
      { strategyId: 'good', state: { kind: 'working' } },
    ]);
    expect(await stage.stop()).toMatchObject({ strategies: [{ state: 'stopped' }, { state: 'running' }] });
  });

  test('cannot spend the cash of another', async () => {
    const spend = atStart((order) => order.buy('AAPL', { notional: '10001' }));
    const stage = await new Stage({ hooks: { one: spend, two: {} } }).play(MINUTE);
    expect(stage.venue.sends).toBe(0);
    expect(stage.said(/needs 10012\.0011 mUSD, has 10000 free/)).toBe(true);
  });

  test('is notified of each status of its order once, and of the fill once', async () => {
    const told: string[] = [];
    const watch: StrategyHooks = {
      onStart: ({ order }) => void order.buy('AAPL', { notional: '1000' }),
      onOrder: ({ update }: { update: OrderView }) => void told.push(update.status),
      onFill: ({ fill }) => void told.push(`fill ${fill.shares}`),
    };
    const stage = await new Stage({ hooks: { solo: watch } }).play(20 * SECOND);
    stage.venue.fill(stage.venue.last);
    await stage.pass(MINUTE);
    expect(told).toEqual(['sending', 'accepted', 'working', 'filled', 'fill 10']);
  });

  test('keeps its state over a restart', async () => {
    const counting = (state: Record<string, unknown>): StrategyHooks => ({
      onStart: () => void (state['starts'] = Number(state['starts'] ?? 0) + 1),
    });
    const first = await new Stage({ build: { solo: counting } }).play(SECOND);
    const second = await new Stage({ build: { solo: counting }, after: first }).play(SECOND);
    expect(second.runner.kernel.context.accountState.states.get('solo')).toEqual({ starts: 2 });
  });

  test('with more capital than the account has is refused at the start', async () => {
    const stage = await new Stage({ capital: '100001' }).play(SECOND);
    expect(String(stage.failure)).toMatch(
      /strategy solo is given 100001 mUSD, but can have at most 100000\. Lower its capital$/,
    );
  });
});

test('a run for one session ends only once every order has ended', async () => {
  const rest = atStart((order) => order.limit('AAPL', { side: 'buy', shares: 10, price: 90 }));
  const stage = await new Stage({ hooks: { solo: rest }, until: { kind: 'sessions', count: 1 } }).play(
    6 * HOUR,
  );
  expect(stage.summary).toBeNull();
  stage.venue.end(stage.venue.last, 'expired');
  await stage.pass(3 * MINUTE);
  expect(stage.summary).toMatchObject({ sessions: 1, orders: { expired: 1, working: 0 } });
});
