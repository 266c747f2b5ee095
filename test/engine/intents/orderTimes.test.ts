import { describe, expect, test } from 'vitest';
import { tradingCalendar } from '../../../src/calendar/index.ts';
import { epochMs, toIso } from '../../../src/core/brand.ts';
import type { JournalEntry } from '../../../src/domain/journalEvent.ts';
import { expiryOf, startOf } from '../../../src/engine/intents/orderTimes.ts';
import { Kernel } from '../../../src/engine/kernel/kernel.ts';
import { replay } from '../../../src/engine/runtime/replay.ts';
import type { EngineContext } from '../../../src/engine/state/engineContext.ts';
import { memoryJournal } from '../../store/memoryJournal.ts';
import { atStart, MINUTE, Stage, type StageOptions } from '../stage.ts';

/** Context at an instant: times need nothing else. */
const at = (now: string): Pick<EngineContext, 'now' | 'calendar'> => ({
  now: epochMs(Date.parse(now)),
  calendar: tradingCalendar,
});

describe('the start and expiry of an order', () => {
  test.each([
    ['now', '2026-06-15T14:00:00Z', '2026-06-15T14:00:00Z'],
    ['open', '2026-06-15T14:00:00Z', '2026-06-16T13:30:00Z'],
    ['10:30', '2026-06-15T14:00:00Z', '2026-06-15T14:30:00Z'],
    ['10:00', '2026-06-15T14:00:00Z', '2026-06-16T14:00:00Z'],
    ['close-5m', '2026-06-15T14:00:00Z', '2026-06-15T19:55:00Z'],
    ['open+15m', '2026-06-13T14:00:00Z', '2026-06-15T13:45:00Z'],
    // The day after Thanksgiving closes at 13:00 in New York: it has no 15:30, and its close-5m is 12:55.
    ['15:30', '2026-11-27T15:00:00Z', '2026-11-30T20:30:00Z'],
    ['close-5m', '2026-11-27T15:00:00Z', '2026-11-27T17:55:00Z'],
  ])('resolve the start %s at %s to %s', (time, now, instant) => {
    expect(toIso(startOf(time, at(now)))).toBe(instant);
  });

  test('place the expiry after the start', () => {
    const context = at('2026-06-15T14:00:00Z');
    const start = startOf('open', context);
    expect(toIso(expiryOf('close-5m', start, context))).toBe('2026-06-16T19:55:00Z');
    expect(toIso(expiryOf({ minutes: 10 }, start, context))).toBe('2026-06-16T13:40:00Z');
  });

  test.each([
    ['17:00', /at of an order: "17:00" is not a time of a session/],
    ['close', /nothing is sent at the close itself.*close-5m/],
  ])('refuse %s as a start', (time, why) => {
    expect(() => startOf(time, at('2026-06-15T14:00:00Z'))).toThrow(why);
  });

  test.each([NaN, 0, -5, Infinity])('refuse %s minutes as an expiry', (minutes) => {
    const context = at('2026-06-15T14:00:00Z');
    expect(() => expiryOf({ minutes }, context.now, context)).toThrow(/expires of an order/);
  });
});

const entriesOf = ({ lines }: Stage): JournalEntry[] => [...memoryJournal(lines).entries()];

/** True when a replay of a stage's journal makes the same decisions. */
function isReplayed(stage: Stage, options: StageOptions): boolean {
  const { calendar, rules, strategies } = new Stage(options).options;
  const create = () => new Kernel({ calendar, rules, strategies, obstacles: { reason: () => null } });
  return replay(entriesOf(stage), create).parting === null;
}

const resting = (expires: string | { minutes: number }): StageOptions => ({
  hooks: {
    solo: atStart((order) =>
      order.limit('AAPL', { side: 'buy', shares: 5, price: 90, expires, goodTill: 'cancelled' }),
    ),
  },
});

describe('the `expires` of an order', () => {
  test('cancels an open order on time, between two reads of the venue', async () => {
    const options = resting({ minutes: 7.05 });
    const stage = await new Stage(options).play(7 * MINUTE + 2_500);
    expect(stage.venue.cancels).toBe(0);
    await stage.pass(1_000);
    expect(stage.venue.cancels).toBe(1);
    await stage.pass(MINUTE);
    expect(stage.states).toEqual(['closed']);
    expect(stage.runner.kernel.context.accountState.intents.size).toBe(0);
    expect(isReplayed(stage, options)).toBe(true);
  });

  test('reads a session time as its next occurrence', async () => {
    const stage = await new Stage(resting('10:30')).play(29 * MINUTE);
    expect(stage.venue.cancels).toBe(0);
    await stage.pass(2 * MINUTE);
    expect(stage.venue.cancels).toBe(1);
  });

  test('ends an order that waits, and nothing is sent', async () => {
    const options: StageOptions = {
      start: Date.parse('2026-06-15T12:00:00Z'),
      hooks: {
        solo: atStart((order) => {
          order.buy('AAPL', { notional: 500, expires: { minutes: 30 } });
          order.sell('AAPL', { all: true, at: '10:00', expires: { minutes: 5 } });
        }),
      },
    };
    const stage = await new Stage(options).play(31 * MINUTE);
    expect(stage.said(/has expired, it is not sent any more/)).toBe(true);
    expect(stage.runner.kernel.context.accountState.intents.size).toBe(1);
    await stage.pass(120 * MINUTE);
    expect(stage.venue.sends).toBe(0);
    expect(isReplayed(stage, options)).toBe(true);
  });

  test('stays in force over a kill, and while the bot is down', async () => {
    const options = resting({ minutes: 10 });
    const first = await new Stage(options).play(5 * MINUTE);
    first.crash();
    await first.clock.advanceBy(10 * MINUTE);
    const next = await new Stage({ ...options, hooks: { solo: {} }, after: first }).play(MINUTE);
    expect(next.venue.cancels).toBe(1);
    expect(next.states).toEqual(['closed']);
  });
});

test('the `at` of an order with a session time sends it at that instant', async () => {
  const options: StageOptions = {
    hooks: { solo: atStart((order) => order.buy('AAPL', { notional: 500, at: '10:07' })) },
  };
  const stage = await new Stage(options).play(7 * MINUTE - 1_000);
  expect(stage.venue.sends).toBe(0);
  await stage.pass(2_000);
  expect(stage.venue.sends).toBe(1);
  expect(isReplayed(stage, options)).toBe(true);
});
