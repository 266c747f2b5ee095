import { describe, expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import { epochMs } from '../../../src/core/brand.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { give } from '../operator/commands.ts';
import { SECOND, Stage } from '../stage.ts';
import { held } from '../synthetic/play.ts';
import { june, MINUTE, nightStage, ordersOf, trading, until } from './nights.ts';

const timed = (times: readonly string[], act: StrategyHooks['onTimer']) => ({
  data: { quotes: ['AAPL'], timers: times.map((at) => ({ name: at, at })) },
  hooks: { solo: { onTimer: act } as StrategyHooks },
});

const buyAt = (time: string) =>
  timed([time], ({ order }) => void order.buy('AAPL', { shares: 3, outside: 'limit' }));

describe('prices of the night', () => {
  test('that stand still are too old for an order', async () => {
    const stage = nightStage({ ...buyAt('16:30'), limits: { quoteAgeMs: 60_000 } });
    await stage.play(0);
    await until(stage, '15T20:10');
    stage.venue.haltedAt.set('AAPL', epochMs(june('15T20:10')));
    await until(stage, '15T21:00');
    expect(ordersOf(stage)).toEqual([]);
    expect(stage.said(/the price of AAPL is \d+ s old/)).toBe(true);
  });

  test('from last week lead to no order on Sunday at 20:00', async () => {
    const friday = Date.parse('2026-06-12T23:59:00Z');
    const stage = nightStage({
      start: Date.parse('2026-06-14T23:50:00Z'),
      hooks: { solo: { onStart: ({ order }) => void order.limit('AAPL', SOME) } },
    });
    stage.venue.haltedAt.set('AAPL', epochMs(friday));
    await stage.play(30 * MINUTE);
    expect(ordersOf(stage)).toEqual([]);
    stage.venue.haltedAt.delete('AAPL');
    await stage.pass(MINUTE);
    expect(ordersOf(stage)).toEqual(['buy limit 3 at 90 working']);
  });

  test('are read as often as day prices only if nights are traded', async () => {
    const reads = async (rules: object) => {
      let count = 0;
      const stage = new Stage({
        start: june('15T21:00'),
        rules,
        as: (venue) => {
          const { listings } = venue;
          venue.listings = () => (count++, listings.call(venue));
          return venue;
        },
      });
      await stage.play(10 * MINUTE);
      return count;
    };
    expect(await reads({})).toBeLessThan(15);
    expect(await reads({ trade: trading() })).toBeGreaterThan(100);
    expect(await reads({ trade: trading(['regular', 'pre']) })).toBeLessThan(15);
  });
});

const SOME = { side: 'buy', shares: 3, price: 90, goodTill: 'cancelled' } as const;

/** Instants, in UTC, at which an order of a standing limit was planned. */
const plannedAt = (stage: Stage): string[] =>
  stage.orders.map(({ plannedAt }) => new Date(plannedAt).toISOString().slice(0, 16));

/** A stage with a standing limit order over some days; cancelled orders end, and the close ends the orders of its session. */
async function over(from: string, to: string): Promise<Stage> {
  const stage = nightStage({
    start: Date.parse(from),
    hooks: { solo: { onStart: ({ order }) => void order.limit('AAPL', SOME) } },
  });
  await stage.play(0);
  while (stage.clock.now() < Date.parse(to)) {
    await stage.pass(15 * MINUTE);
    if (stage.options.calendar.phaseAt(stage.clock.now()).phase === 'post')
      for (const row of stage.venue.rows)
        if (row.status === 'open' && stage.options.calendar.sessionAt(row.createdAt))
          stage.venue.end(row, 'expired');
  }
  return stage;
}

describe('phases on unusual days', () => {
  test('on a weekend with a clock change begin by New York time', async () => {
    const stage = await over('2026-03-06T20:50:00Z', '2026-03-09T14:00:00Z');
    // Friday's session and post in winter time; Monday's overnight, pre and session in summer time.
    expect(plannedAt(stage)).toEqual([
      '2026-03-06T20:50',
      '2026-03-06T21:05',
      '2026-03-09T00:00',
      '2026-03-09T08:00',
      '2026-03-09T13:30',
    ]);
  });

  test('of a half day end at 17:00', async () => {
    const half = await over('2025-07-03T16:50:00Z', '2025-07-03T23:00:00Z');
    expect(plannedAt(half)).toEqual(['2025-07-03T16:50', '2025-07-03T17:05']);
    const post = half.orders.at(-1);
    expect(post?.until).toBe(Date.parse('2025-07-03T21:00:00Z'));
    expect(post?.state.kind).toBe('closed');
  });

  test('do not exist before a holiday', async () => {
    const stage = await over('2026-11-25T20:50:00Z', '2026-11-27T02:00:00Z');
    // Thanksgiving has no night before it; Friday's night begins on Thanksgiving evening.
    expect(plannedAt(stage)).toEqual(['2026-11-25T20:50', '2026-11-25T21:05', '2026-11-27T01:00']);
  });
});

describe('a limit order of the night', () => {
  const sent = async (options: object = {}): Promise<Stage> => {
    const stage = nightStage({ ...buyAt('16:30'), ...options });
    await stage.play(0);
    return until(stage, '15T20:32');
  };

  test('counts as live until the latest possible end of DAY, and is disputed after it', async () => {
    const stage = nightStage(buyAt('16:30'));
    stage.venue.cancelFates.push(...Array<'late'>(2_000).fill('late'));
    await stage.play(0);
    await until(stage, '16T19:59');
    expect(stage.alarms.filter((text) => /its session has closed/.test(text))).toEqual([]);
    await until(stage, '16T20:11');
    expect(stage.alarms.filter((text) => /its session has closed/.test(text))).toHaveLength(1);
    expect(stage.states).toEqual(['working']);
  });

  test('ends without doubt if it expires with its phase', async () => {
    const stage = await sent();
    await until(stage, '15T23:59:40');
    stage.venue.end(stage.venue.last, 'expired');
    await until(stage, '16T00:02');
    expect(stage.orders[0]?.doubt?.isSolicited).toBe(true);
  });

  test('ends in doubt if it expires before its phase is over', async () => {
    const stage = await sent();
    stage.venue.end(stage.venue.last, 'expired');
    await stage.pass(2 * MINUTE);
    expect(stage.orders[0]?.doubt?.isSolicited).toBe(false);
  });
});

describe('the trading day of the limits', () => {
  test('begins at 20:00 of the evening before if nights are traded', async () => {
    const buys = timed(['15:59', '20:05', '09:35'], ({ order }) => {
      order.buy('AAPL', { shares: 3, outside: 'limit' });
    });
    const stage = nightStage({ ...buys, limits: { turnoverPerDay: parseCash('500') } });
    await stage.play(0);
    await until(stage, '15T19:59:30');
    stage.venue.fill(stage.venue.last);
    await until(stage, '16T00:06');
    stage.venue.fill(stage.venue.last);
    await until(stage, '16T13:37');
    // 300 of Monday, 300 of Tuesday's night, and none of Tuesday's session: the day has changed at 20:00 and not at the open.
    expect(ordersOf(stage)).toEqual(['buy limit 3 at 100.5 filled', 'buy limit 3 at 100.5 filled']);
    expect(stage.said(/today's turnover/)).toBe(true);
  });

  test('is the session if nights are not traded', async () => {
    const stage = new Stage({ start: june('15T19:50') });
    await stage.play(0);
    await until(stage, '16T13:40');
    expect(stage.lines.some((line) => line.includes('dayBegan'))).toBe(false);
  });

  test('includes losses of the night', async () => {
    const stage = nightStage({
      ...timed(['15:55', '20:30'], ({ order, timer }) => {
        if (timer === '15:55') order.buy('AAPL', { shares: 50 });
        else order.buy('AAPL', { shares: 1, outside: 'limit' });
      }),
      limits: { dayLoss: parseCash('200') },
    });
    await stage.play(0);
    await until(stage, '15T19:56');
    stage.venue.fill(stage.venue.last);
    await until(stage, '16T00:01');
    stage.venue.prices.set('AAPL', parseCash('95'));
    await until(stage, '16T00:31');
    expect(stage.said(/today's loss of 250/)).toBe(true);
    expect(ordersOf(stage)).toHaveLength(1);
  });
});

describe('a flatten at night', () => {
  test('sells what trades now by a limit order that follows the price, and continues in the next phase', async () => {
    const stage = await held(() => undefined, {}, { start: june('15T19:50'), rules: { trade: trading() } });
    stage.venue.told.set('AAPL', { overnightTradable: true });
    await until(stage, '16T07:50');
    expect(await give(stage, { kind: 'flatten', scope: {} })).toMatchObject({
      kind: 'done',
      text: expect.stringContaining('what is held is being sold') as unknown,
    });
    await stage.pass(30 * SECOND);
    stage.venue.prices.set('AAPL', parseCash('98'));
    await until(stage, '16T07:56');
    expect(ordersOf(stage).slice(1)).toEqual([
      'sell limit 10 at 99.5 cancelled',
      'sell limit 10 at 97.51 working',
    ]);
    await until(stage, '16T08:03');
    expect(ordersOf(stage).slice(2)).toEqual([
      'sell limit 10 at 97.51 cancelled',
      'sell limit 10 at 97.51 working',
    ]);
    expect(stage.venue.rows.filter(({ status }) => status === 'open')).toHaveLength(1);
  });

  test('is placed again each time a falling price has left its limit behind', async () => {
    const stage = await held(() => undefined, {}, { start: june('15T19:50'), rules: { trade: trading() } });
    stage.venue.told.set('AAPL', { overnightTradable: true });
    await until(stage, '16T06:00');
    await give(stage, { kind: 'flatten', scope: {} });
    const open: boolean[] = [];
    for (let price = 100; price > 80; price--) {
      stage.venue.prices.set('AAPL', parseCash(String(price)));
      await stage.pass(MINUTE);
      open.push(stage.venue.rows.some(({ status }) => status === 'open'));
    }
    expect(open.filter((isOpen) => !isOpen).length).toBeLessThan(4);
    expect(stage.venue.sends).toBeGreaterThan(15);
  });
});
