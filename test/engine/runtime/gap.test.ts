import { describe, expect, test } from 'vitest';
import { UnreachableError } from '../../../src/core/errors.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { FakePulse } from '../fakePulse.ts';
import { dividend } from '../account/exDate.ts';
import { expectSound, factsOf, settleAll } from '../invariants.ts';
import { settable } from '../settable.ts';
import { atStart, MINUTE, MORNING, SECOND, Stage } from '../stage.ts';

const HOUR = 60 * MINUTE;

const timers: StrategyHooks = {
  onTimer: ({ order, timer }) => void order.buy(timer === 'a' ? 'AAPL' : 'MSFT', { notional: '100' }),
};

describe('a clock gap during a run', () => {
  test('stops sends until prices, orders and account have been read again', async () => {
    const watchdog = new FakePulse();
    const data = { quotes: ['AAPL', 'MSFT'], timers: [{ name: 'a', at: '10:01' }] };
    const stage = new Stage({ hooks: { solo: timers }, data, more: { watchdog } });
    await stage.play(50 * SECOND);
    stage.venue.readsFail = true;
    watchdog.gap = { kind: 'stoodStill', ms: 5 * MINUTE };
    await stage.pass(30 * SECOND);
    expect(stage.alarms[0]).toBe(
      'the program stood still for 300 s: nothing is sent until prices, orders and account have been read again',
    );
    expect(stage.venue.sends).toBe(0);
    stage.venue.readsFail = false;
    await stage.pass(20 * SECOND);
    expect(stage.said(/have been read again: trading continues/)).toBe(true);
    await stage.pass(MINUTE);
    expect(stage.venue.sends).toBe(1);
    await settleAll(stage, 10 * MINUTE);
    expectSound(stage);
  });

  test('abandons an order about to be sent when its gate notices the gap', async () => {
    const watchdog = new FakePulse();
    const buy = atStart((order) => order.buy('AAPL', { notional: '1000' }));
    const stage = new Stage({ hooks: { solo: buy }, more: { watchdog } });
    const place = stage.venue.place.bind(stage.venue);
    stage.venue.place = (terms, gate) => {
      watchdog.gap = { kind: 'setForward', ms: HOUR };
      return place(terms, gate);
    };
    await stage.play(20 * SECOND);
    expect(stage.venue.sends).toBe(0);
    expect(stage.states).toEqual(['abandoned']);
    expect(stage.alarms[0]).toMatch(/the machine slept, or its clock was set forward, by 3600 s/);
  });

  test('keeps new orders planned until every read has succeeded', async () => {
    const watchdog = new FakePulse();
    const eager: StrategyHooks = {
      onQuote: ({ order, price }) => price > 100 && order.buy('AAPL', { notional: '100' }),
    };
    const stage = new Stage({ hooks: { solo: eager }, data: { quotes: ['AAPL'] }, more: { watchdog } });
    await stage.play(20 * SECOND);
    const delegation = stage.venue.delegation.bind(stage.venue);
    stage.venue.delegation = () => Promise.reject(new UnreachableError('connection refused'));
    watchdog.gap = { kind: 'stoodStill', ms: 5 * MINUTE };
    stage.venue.prices.set('AAPL', 101n * 10n ** 18n);
    await stage.pass(20 * SECOND);
    expect(stage.states).toEqual(['planned']);
    stage.venue.delegation = delegation;
    await stage.pass(20 * SECOND);
    expect(stage.states).toEqual(['working']);
  });

  test('is no longer reported once the run is stopped', async () => {
    const watchdog = new FakePulse();
    const stage = new Stage({ more: { watchdog } });
    await stage.play(20 * SECOND);
    stage.venue.readsFail = true;
    watchdog.gap = { kind: 'stoodStill', ms: 5 * MINUTE };
    await stage.pass(HOUR / 60);
    await stage.stop();
    const told = stage.notices.length;
    stage.venue.readsFail = false;
    await stage.pass(10 * MINUTE);
    expect(stage.notices.length).toBe(told);
  });

  test.each([
    ['in the session', '14:00'],
    ['over the close', '19:58'],
  ])('a plan that has waited three minutes %s is dropped at the gate', async (_when, time) => {
    const buy = atStart((order) => order.buy('AAPL', { notional: '1000' }));
    const start = Date.parse(`2026-06-15T${time}:00Z`);
    const stage = new Stage({ start, hooks: { solo: buy }, limits: { quoteAgeMs: HOUR } });
    const place = stage.venue.place.bind(stage.venue);
    stage.venue.place = async (terms, gate) => {
      await stage.clock.sleep(3 * MINUTE);
      return place(terms, gate);
    };
    await stage.play(5 * MINUTE);
    expect(stage.venue.sends).toBe(0);
    expect(stage.said(/it was planned 18\d s ago/)).toBe(true);
    expect(stage.runner.kernel.context.accountState.intents.size).toBe(0);
  });
});

describe('the scheduler around a clock gap', () => {
  const data = {
    quotes: ['AAPL', 'MSFT'],
    timers: [
      { name: 'a', at: '10:01' },
      { name: 'b', at: '15:59' },
    ],
  };
  const rung = (log: string[]): StrategyHooks => ({
    onTimer: ({ timer }) => void log.push(timer),
    onSession: ({ change, session }) => void log.push(`${session.date} ${change}`),
  });

  test('fires each timer and session once although the gap restarts it', async () => {
    const [watchdog, log] = [new FakePulse(), [] as string[]];
    const stage = new Stage({ hooks: { solo: rung(log) }, data, more: { watchdog } });
    await stage.play(2 * MINUTE);
    for (let gap = 0; gap < 3; gap++) {
      watchdog.gap = { kind: 'setBack', ms: 2 * MINUTE };
      await stage.pass(MINUTE);
    }
    expect(log).toEqual(['2026-06-15 opened', 'a']);
    await stage.pass(7 * HOUR);
    expect(log).toEqual(['2026-06-15 opened', 'a', 'b', '2026-06-15 closed']);
  });

  test('fires each timer and session once although the gap came before it had started', async () => {
    const [watchdog, log] = [new FakePulse(), [] as string[]];
    const stage = new Stage({ hooks: { solo: rung(log) }, data, more: { watchdog } });
    const orders = stage.venue.orders.bind(stage.venue);
    stage.venue.orders = (page) => {
      stage.venue.orders = orders;
      watchdog.gap = { kind: 'setBack', ms: 1_000 };
      return orders(page);
    };
    await stage.play(20 * SECOND);
    await stage.pass(7 * HOUR);
    expect(log).toEqual(['2026-06-15 opened', 'a', 'b', '2026-06-15 closed']);
  });

  test('begins no session and fires no timer by a clock that is a day ahead of the venue', async () => {
    const [watchdog, log] = [new FakePulse(), [] as string[]];
    const stage = new Stage({ hooks: { solo: rung(log) }, data, more: { watchdog } });
    const { clock, venue } = stage;
    Object.assign(venue, { offsetMs: () => clock.monotonic() - clock.now() });
    const set = settable(stage, watchdog);
    await stage.play(2 * MINUTE);
    set(25 * HOUR);
    await stage.pass(2 * MINUTE);
    expect(log).toEqual(['2026-06-15 opened', 'a']);
    expect(stage.alarms).toContain("this clock is 90000 s ahead of the venue's: nothing is sent");
    set(-25 * HOUR);
    await stage.pass(30 * HOUR);
    const day = (date: string) => [`${date} opened`, 'a', 'b', `${date} closed`];
    expect(log).toEqual([...day('2026-06-15'), ...day('2026-06-16')]);
  });

  test('books no loss by a clock that is a day ahead of the venue: its cooldown would last until the day after', async () => {
    const watchdog = new FakePulse();
    const trades: StrategyHooks = {
      onStart: ({ order }) => void order.buy('AAPL', { shares: 10 }),
      onTimer: ({ order, timer }) =>
        void (timer === 'sell' ? order.sell('AAPL', { shares: 10 }) : order.buy('AAPL', { shares: 5 })),
    };
    const stage = new Stage({
      hooks: { solo: trades },
      data: { quotes: ['AAPL'], timers: ['sell', 'again'].map((name, at) => ({ name, at: `10:${at}5` })) },
      limits: { cooldown: { minutes: 5 } },
      more: { watchdog },
    });
    const { clock, venue } = stage;
    Object.assign(venue, { offsetMs: () => clock.monotonic() - clock.now() });
    const set = settable(stage, watchdog);
    await stage.play(MINUTE);
    venue.fill(venue.last);
    await stage.pass(4 * MINUTE + 10 * SECOND);
    expect(stage.orders.at(-1)?.terms.side).toBe('sell');
    set(25 * HOUR);
    venue.prices.set('AAPL', 95n * 10n ** 18n);
    venue.fill(venue.last);
    await stage.pass(MINUTE);
    set(-25 * HOUR);
    await stage.pass(10 * MINUTE);
    expect(stage.states).toEqual(['closed', 'closed', 'working']);
  });

  test('begins no session and fires no timer for a start by a clock that is a day ahead of the venue', async () => {
    const [watchdog, log] = [new FakePulse(), [] as string[]];
    const until = { kind: 'sessions', count: 2 } as const;
    const stage = new Stage({ hooks: { solo: rung(log) }, data, until, more: { watchdog } });
    const { clock, venue } = stage;
    Object.assign(venue, { offsetMs: () => clock.monotonic() - clock.now() });
    const set = settable(stage, watchdog);
    set(25 * HOUR);
    watchdog.gap = null;
    await stage.play(30 * SECOND);
    expect(log).toEqual([]);
    expect(stage.alarms).toContain("this clock is 90000 s ahead of the venue's: nothing is sent");
    set(-25 * HOUR);
    await stage.pass(31 * HOUR);
    const day = (date: string) => [`${date} opened`, 'a', 'b', `${date} closed`];
    expect(log).toEqual([...day('2026-06-15'), ...day('2026-06-16')]);
    expect(stage.summary?.stop.why).toBe('the end of the run');
  });

  test('reports the timers a gap over the close has skipped, and closes the session', async () => {
    const [watchdog, log] = [new FakePulse(), [] as string[]];
    const stage = new Stage({
      hooks: { solo: rung(log) },
      data: { ...data, timers: [{ name: 'early', at: '15:55' }, ...data.timers] },
      start: MORNING + 5.9 * HOUR,
      more: { watchdog },
    });
    await stage.play(2 * MINUTE);
    stage.venue.readsFail = true;
    watchdog.gap = { kind: 'stoodStill', ms: HOUR };
    await stage.pass(HOUR);
    stage.venue.readsFail = false;
    await stage.pass(MINUTE);
    expect(stage.alarms).toContain('the session closed meanwhile; not fired: solo b');
    expect(log).toEqual(['2026-06-15 opened', 'early', '2026-06-15 closed']);
    await stage.pass(18 * HOUR);
    expect(log.slice(3)).toEqual(['2026-06-16 opened', 'a']);
  });
});

test('a dividend whose ex-date began during a gap is not due on shares sold earlier in that gap', async () => {
  const watchdog = new FakePulse();
  const sells: StrategyHooks = {
    onStart: ({ order }) => void order.buy('AAPL', { shares: 10 }),
    onFill: ({ order, fill }) => {
      if (fill.side === 'buy') order.limit('AAPL', { side: 'sell', shares: 10, price: 110 });
    },
  };
  const stage = new Stage({
    start: MORNING + 4 * HOUR,
    hooks: { solo: sells },
    more: { watchdog },
    as: (venue) => {
      venue.corporateActions = () => Promise.resolve([dividend]);
      return venue;
    },
  });
  await stage.play(MINUTE);
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  stage.venue.readsFail = true;
  watchdog.gap = { kind: 'stoodStill', ms: 20 * HOUR };
  stage.venue.fill(stage.venue.last);
  await stage.pass(20 * HOUR);
  stage.venue.readsFail = false;
  await stage.pass(10 * MINUTE);
  expect(stage.states).toEqual(['closed', 'closed']);
  expect(factsOf(stage).some(({ kind }) => kind === 'entitled')).toBe(false);
});
