import { describe, expect, test } from 'vitest';
import { UnreachableError } from '../../../src/core/errors.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { MINUTE, MORNING, SECOND, Stage } from '../stage.ts';

/** Buys at 10:02, two minutes after the start. */
const late: StrategyHooks = { onTimer: ({ order }) => void order.buy('AAPL', { notional: '1000' }) };
const data = { quotes: ['AAPL'], timers: [{ name: 't', at: '10:02' }] };
const stageOf = (more: object = {}) => new Stage({ hooks: { solo: late }, data, ...more });

describe('reads refused as unauthorized', () => {
  test('stop sends with one alarm, and the waiting order is sent once all has been read again', async () => {
    const stage = await stageOf().play(90 * SECOND);
    stage.venue.locked = true;
    await stage.pass(5 * MINUTE);
    expect([stage.venue.sends, stage.alarms.length]).toEqual([0, 1]);
    expect(stage.alarms[0]).toMatch(/refuses the key/);
    const lines = stage.lines.length;
    stage.venue.locked = false;
    await stage.pass(90 * SECOND);
    expect(stage.said(/have been read again/)).toBe(true);
    expect(stage.states).toEqual(['working']);
    expect(stage.lines.length).toBeGreaterThan(lines);
    expect(stage.failure).toBeNull();
  });

  test('are retried at growing intervals', async () => {
    const stage = await stageOf().play(30 * SECOND);
    let asked = 0;
    const orders = stage.venue.orders.bind(stage.venue);
    stage.venue.orders = (query) => (asked++, orders(query));
    stage.venue.locked = true;
    await stage.pass(10 * MINUTE);
    expect(asked).toBeLessThan(25);
    expect(asked).toBeGreaterThan(15);
  });
});

test('account reads that fail three times stop every send with an alarm', async () => {
  const stage = await stageOf().play(10 * SECOND);
  stage.venue.account = () => Promise.reject(new UnreachableError('connection refused'));
  await stage.pass(4 * MINUTE);
  expect(stage.venue.sends).toBe(0);
  expect(stage.alarms.join()).toMatch(/does not answer.*nothing is sent/);
});

test('an order that waits is dropped after ten minutes of failing reads', async () => {
  const stage = await stageOf().play(10 * SECOND);
  const account = stage.venue.account.bind(stage.venue);
  stage.venue.account = () => Promise.reject(new UnreachableError('connection refused'));
  await stage.pass(20 * MINUTE);
  expect(stage.said(/AAPL.*: dropped, it has been kept back for 10 minutes: .*does not answer/)).toBe(true);
  stage.venue.account = account;
  await stage.pass(5 * MINUTE);
  expect(stage.venue.sends).toBe(0);
});

test('an account read that is too old stops sends', async () => {
  const stage = await stageOf({ rules: { stateAgeMs: 45 * SECOND } }).play(35 * SECOND);
  stage.venue.account = () => new Promise(() => undefined);
  await stage.pass(3 * MINUTE);
  expect(stage.venue.sends).toBe(0);
  expect(stage.alarms.join()).toMatch(/were last read \d+ s ago/);
});

test('an account read is as old as its request, however long it takes', async () => {
  const stage = await stageOf({ rules: { stateAgeMs: 60 * SECOND } }).play(35 * SECOND);
  const account = stage.venue.account.bind(stage.venue);
  stage.venue.account = async () => {
    const report = await account();
    await stage.clock.sleep(50 * SECOND);
    return report;
  };
  const begun = stage.clock.now();
  await stage.pass(MINUTE + 20 * SECOND);
  const { account: known } = stage.runner.kernel.context.reads;
  expect(known?.at).toBeGreaterThan(begun);
  expect(known?.at).toBeLessThan(begun + 30 * SECOND);
  await stage.pass(20 * SECOND);
  expect(stage.venue.sends).toBe(0);
  expect(stage.alarms.join()).toMatch(/were last read \d+ s ago/);
});

test('account reads slower than the order list still end a hold', async () => {
  const stage = await stageOf().play(10 * SECOND);
  const account = stage.venue.account.bind(stage.venue);
  stage.venue.locked = true;
  await stage.pass(40 * SECOND);
  expect(stage.runner.kernel.context.holds.everything).toMatch(/refuses the key/);
  stage.venue.account = async () => {
    const report = await account();
    await stage.clock.sleep(20 * SECOND);
    return report;
  };
  stage.venue.locked = false;
  await stage.pass(2 * MINUTE);
  expect(stage.runner.kernel.context.holds.everything).toBeNull();
});

describe('a send refused as unauthorized', () => {
  test('closes the gate until reads have shown that the key is valid', async () => {
    const stage = stageOf();
    stage.venue.fates.push('unauthorized');
    await stage.play(2 * MINUTE + SECOND);
    expect(stage.states).toEqual(['sent']);
    expect(stage.runner.kernel.context.holds.everything).toMatch(/refused a send/);
    await stage.pass(3 * MINUTE);
    expect(stage.runner.kernel.context.holds.everything).toBeNull();
    expect(stage.states).toEqual(['refused']);
    expect(stage.alarms.join()).toMatch(/the key may not send/);
    expect(stage.venue.sends).toBe(1);
  });

  test('is reported as a problem of the key when reads are refused as well', async () => {
    const stage = stageOf();
    stage.venue.fates.push('unauthorized');
    await stage.play(2 * MINUTE + SECOND);
    stage.venue.locked = true;
    await stage.pass(2 * MINUTE);
    expect(stage.alarms.join()).toMatch(/reads are refused as well: check key, secret, IP address and clock/);
    expect(stage.runner.kernel.context.holds.everything).not.toBeNull();
  });
});

test('a clock offset raises an alarm at 5 s and stops sends at 20 s', async () => {
  const stage = stageOf();
  let offsetMs = 6_000;
  stage.venue.offsetMs = () => offsetMs;
  await stage.play(MINUTE);
  expect(stage.alarms).toEqual([expect.stringMatching(/^this clock is 6 s behind the venue's$/)]);
  expect(stage.runner.kernel.context.holds.everything).toBeNull();
  offsetMs = -21_000;
  await stage.pass(2 * MINUTE);
  expect(stage.alarms.at(-1)).toMatch(/21 s ahead of the venue's: nothing is sent/);
  expect(stage.venue.sends).toBe(0);
  offsetMs = 0;
  await stage.pass(MINUTE);
  expect(stage.venue.sends).toBe(1);
});

describe('a price', () => {
  test('that jumps beyond limits.jumpPercent counts after 30 s', async () => {
    const stage = stageOf({ start: MORNING + 2_500 });
    stage.venue.holdings.set('AAPL', 10n ** 18n);
    await stage.play(83_500);
    stage.venue.prices.set('AAPL', 30n * 10n ** 18n);
    await stage.pass(6 * SECOND);
    expect([stage.venue.sends, stage.alarms.length]).toEqual([0, 1]);
    await stage.pass(20 * SECOND);
    expect(stage.venue.sends).toBe(0);
    await stage.pass(10 * SECOND);
    expect(stage.venue.sends).toBe(1);
    expect(stage.runner.kernel.context.market.price('AAPL' as never)).toBe(30n * 10n ** 18n);
  });

  test('of zero for a moment is not delivered to the strategy', async () => {
    const prices: number[] = [];
    const watch: StrategyHooks = { onQuote: ({ price }) => void prices.push(price) };
    const stage = await new Stage({ hooks: { solo: watch }, data: { quotes: ['AAPL'] } }).play(20 * SECOND);
    stage.venue.prices.set('AAPL', 0n);
    await stage.pass(5 * SECOND);
    stage.venue.prices.set('AAPL', 101n * 10n ** 18n);
    await stage.pass(20 * SECOND);
    expect(prices).toEqual([101]);
    expect(stage.runner.kernel.context.holds.against('AAPL' as never)).toBeNull();
  });
});

test('an open difference does not keep a run from ending, and is named in the summary', async () => {
  const close = Date.parse('2026-06-15T20:00:00Z');
  const stage = new Stage({ start: close - 10 * MINUTE, until: { kind: 'sessions', count: 1 } });
  await stage.play(MINUTE);
  stage.venue.cash -= 10n ** 18n;
  await stage.pass(11 * MINUTE);
  expect(stage.summary?.reconciliation).toMatchObject({ differences: 1, open: ['mUSD'] });
});
