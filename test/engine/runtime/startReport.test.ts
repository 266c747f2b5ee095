import { describe, expect, test } from 'vitest';
import { tradingCalendar } from '../../../src/calendar/index.ts';
import { WAD } from '../../../src/core/amount.ts';
import type { DataNeeds, StrategyHooks } from '../../../src/strategy/index.ts';
import { atStart, MINUTE, SECOND, Stage } from '../stage.ts';

const linesOf = ({ notices }: Stage, kind: string) =>
  notices.filter((notice) => notice.kind === kind).map(({ text }) => text);

const resting = atStart((order, view) => {
  if (view.orders('AAPL').length > 0) return;
  order.buy('MSFT', { shares: 10 });
  order.limit('AAPL', { side: 'buy', shares: 2, price: 90, goodTill: 'day' });
});

test('a first start names the stock the account held before, once', async () => {
  const stage = new Stage({ hooks: { solo: {} } });
  stage.venue.holdings.set('AAPL', 100n * WAD).set('MSFT', 0n);
  await stage.play(10 * SECOND);
  const second = await new Stage({ after: stage, hooks: { solo: {} } }).play(10 * SECOND);
  const line = 'held before this run: 100 AAPL; no strategy has it (unallocated), and none trades it';
  expect(linesOf(stage, 'account')).toEqual([line]);
  expect(linesOf(second, 'account')).not.toContain(line);
});

describe('the report of a start after another run', () => {
  test('names open orders, positions, unknown orders and differences after a kill', async () => {
    const first = await new Stage({ hooks: { solo: resting } }).play(10 * SECOND);
    const [bought] = first.venue.rows;
    if (!bought) throw new Error('nothing was bought');
    first.venue.fill(bought);
    await first.pass(MINUTE);
    expect(linesOf(first, 'account').filter((text) => text.startsWith('continues'))).toEqual([]);
    const second = await new Stage({ after: first, hooks: { solo: resting } }).play(10 * SECOND);
    const [ended, ...found] = linesOf(second, 'account');
    expect(ended).toMatch(/^continues: the run before was killed at 2026-06-15 10:0\d$/);
    expect(found).toEqual([
      'found: orders open: solo buy 2 AAPL at 90; without an answer: none',
      'found: positions: solo 10 MSFT',
      'found: differences between ledger and venue: none',
    ]);
  });

  test('names an unknown order of that run', async () => {
    const buy = atStart((order) => void order.buy('AAPL', { notional: 200 }));
    const first = new Stage({ hooks: { solo: buy } });
    first.venue.fates.push('lostBefore');
    await first.play(10 * SECOND);
    const second = await new Stage({ after: first }).play(10 * SECOND);
    expect(linesOf(second, 'account')).toContain(
      'found: orders open: none; without an answer: solo buy AAPL for 200 (order solo-1.1)',
    );
  });

  test('names an order that has ended meanwhile', async () => {
    const first = await new Stage({ hooks: { solo: resting } }).play(10 * SECOND);
    for (const row of first.venue.rows) first.venue.fill(row);
    const second = await new Stage({ after: first }).play(10 * SECOND);
    expect(linesOf(second, 'account')[1]).toBe(
      'found: orders ended meanwhile: solo buy 10 MSFT at 50.25 (filled), solo buy 2 AAPL at 90 (filled)',
    );
  });

  test('names the sessions that have passed', async () => {
    const first = await new Stage().play(10 * SECOND);
    await first.stop();
    await first.clock.advanceBy(3 * 24 * 60 * MINUTE);
    const second = await new Stage({ after: first }).play(10 * SECOND);
    expect(linesOf(second, 'account').at(-1)).toBe(
      'missed while nothing ran: 2 sessions, 2026-06-16 to 2026-06-17, with their timers',
    );
  });

  test('says that the run ended in order', async () => {
    const first = await new Stage().play(10 * SECOND);
    await first.stop();
    const second = await new Stage({ after: first }).play(10 * SECOND);
    expect(linesOf(second, 'account')[0]).toMatch(/^continues: the run before ended in order at 2026-06-15/);
  });
});

describe('the report of a start within a session', () => {
  const timers = [
    { name: 'open', at: '09:45' },
    { name: 'noon', at: '12:00' },
  ] as const;
  const data: DataNeeds = { quotes: ['AAPL'], timers };
  const hooks: Record<string, StrategyHooks> = { solo: { onTimer: () => undefined } };

  test('names the timers that are past, and the next one', async () => {
    const stage = await new Stage({ hooks, data }).play(10 * SECOND);
    expect(linesOf(stage, 'strategy')).toEqual([
      'timers past today: open 09:45 (not fired: before its first start); next: noon 12:00',
    ]);
  });

  test('names a timer fired before, and that the next one is tomorrow', async () => {
    const first = await new Stage({ hooks, data }).play(2 * 60 * MINUTE + MINUTE);
    await first.stop();
    const second = await new Stage({ after: first, hooks, data }).play(10 * SECOND);
    expect(linesOf(second, 'strategy')).toEqual([
      'timers past today: open 09:45 (not fired: before its first start), noon 12:00 (fired before); ' +
        'next: open 09:45 on 2026-06-16',
    ]);
  });

  test('names the times of a timer of every few minutes as a span', async () => {
    const every: DataNeeds = { quotes: ['AAPL'], timers: [{ name: 'look', every: { minutes: 10 } }] };
    const first = await new Stage({ hooks, data: every }).play(11 * MINUTE);
    await first.stop();
    const second = await new Stage({ after: first, hooks, data: every }).play(10 * SECOND);
    expect(linesOf(second, 'strategy')).toEqual([
      'timers past today: look 09:40 to 09:50, 2 times (not fired: before its first start), ' +
        'look 10:00 to 10:10, 2 times (fired before); next: look 10:20',
    ]);
    await second.stop();
    await second.clock.advanceBy(20 * MINUTE);
    const third = await new Stage({ after: second, hooks, data: every }).play(10 * SECOND);
    expect(linesOf(third, 'strategy').at(-1)).toContain(
      'look 10:20 to 10:30, 2 times (fires now, once); next: look 10:40',
    );
  });

  test('writes the time once when it is the name of its timer', async () => {
    const timer = { name: '12:00', at: '12:00' } as const;
    const stage = await new Stage({ hooks, data: { quotes: ['AAPL'], timers: [timer] } }).play(10 * SECOND);
    expect(linesOf(stage, 'strategy')).toEqual(['next timer: 12:00']);
  });

  test('does not name a past time as the next one, before the open', async () => {
    const start = tradingCalendar.newYorkTime('2026-06-15', '09:00');
    const early: DataNeeds = { quotes: ['AAPL'], timers: [{ name: 'early', at: '08:00' }] };
    const stage = await new Stage({ hooks, data: early, start }).play(10 * SECOND);
    expect(linesOf(stage, 'strategy')).toEqual([
      'timers past today: early 08:00 (not fired: before its first start); next: early 08:00 on 2026-06-16',
    ]);
  });

  test('names only the next timer when none is past', async () => {
    const late: DataNeeds = { quotes: ['AAPL'], timers: [{ name: 'noon', at: '12:00' }] };
    const stage = await new Stage({ hooks, data: late }).play(10 * SECOND);
    expect(linesOf(stage, 'strategy')).toEqual(['next timer: noon 12:00']);
  });

  test('says nothing when there are no timers', async () => {
    const stage = await new Stage().play(10 * SECOND);
    expect(linesOf(stage, 'strategy')).toEqual([]);
  });
});

test("the report at the close gives each strategy's profit of the day, orders, fees and open orders", async () => {
  const stage = await new Stage({
    start: Date.parse('2026-06-15T19:50:00Z'),
    hooks: { one: atStart((order) => void order.buy('AAPL', { notional: 1_000 })), two: {} },
  }).play(10 * SECOND);
  for (const row of stage.venue.rows) stage.venue.fill(row);
  await stage.pass(MINUTE);
  stage.venue.prices.set('AAPL', 103n * 10n ** 18n);
  await stage.pass(15 * MINUTE);
  const days = stage.notices.filter(({ kind, strategyId }) => kind === 'session' && strategyId !== null);
  expect(days.map(({ strategyId, text }) => [strategyId, text])).toEqual([
    ['one', 'day: +28.90 mUSD; orders 1, filled 1, fees 0.00; nothing open'],
    ['two', 'day: 0.00 mUSD; orders 0, filled 0, fees 0.00; nothing open'],
  ]);
});

test('the report at a close gives the fills that came after the close before', async () => {
  const stage = await new Stage({
    start: Date.parse('2026-06-15T19:59:00Z'),
    hooks: {
      one: atStart((order) => void order.limit('AAPL', { side: 'buy', shares: 2, price: 100 })),
      two: {},
    },
  }).play(10 * SECOND);
  await stage.pass(2 * MINUTE);
  for (const row of stage.venue.rows) stage.venue.fill(row);
  await stage.pass(24 * 60 * MINUTE);
  const days = stage.notices.filter(({ kind, strategyId }) => kind === 'session' && strategyId === 'one');
  expect(days.map(({ text }) => text)).toEqual([
    'day: 0.00 mUSD; orders 1, filled 0, fees 0.00; open: buy 2 AAPL at 100',
    'day: 0.00 mUSD; orders 0, filled 0, fees 0.00; filled after the close before 1, fees 0.00; nothing open',
  ]);
});
