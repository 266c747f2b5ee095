import { expect, test } from 'vitest';
import { tradingCalendar } from '../../../src/calendar/index.ts';
import { epochMs, toIso } from '../../../src/core/brand.ts';
import { VirtualClock } from '../../../src/core/virtualClock.ts';
import { Schedule } from '../../../src/engine/runtime/scheduler.ts';
import type { TimerNeed } from '../../../src/strategy/index.ts';
import { memoryJournal } from '../../store/memoryJournal.ts';
import { MINUTE, Stage } from '../stage.ts';

const HOUR = 60 * MINUTE;

/** Fire times of a timer, in a run that starts at an instant and lasts some hours. */
async function fires(
  need: TimerNeed,
  start: string,
  { hours = 30, fired }: { hours?: number; fired?: string } = {},
) {
  const clock = new VirtualClock({ start: epochMs(Date.parse(start)) });
  const rung: string[] = [];
  const schedule = new Schedule({
    clock,
    calendar: tradingCalendar,
    strategies: [{ id: 'solo', needs: { timers: [need] } } as never],
    before: {
      firstStart: () => epochMs(Date.parse('2026-06-01T00:00:00Z')),
      sessionDate: null,
      sessionClosed: false,
      fired: new Map(fired === undefined ? [] : [['solo a', epochMs(Date.parse(fired))]]),
    },
    events: { onSession: () => undefined, onTimer: () => rung.push(toIso(clock.now())) },
  });
  schedule.start();
  await clock.advanceBy(hours * HOUR);
  return rung;
}

const weekly = { name: 'a', at: 'open+10m', on: 'monday' } as const;

test('a missed weekly timer fires once at the next start with `missed: run`, and not without', async () => {
  expect(await fires({ ...weekly, missed: 'run' }, '2026-06-17T14:00:00Z', { hours: 30 })).toEqual([
    '2026-06-17T14:00:00Z',
  ]);
  expect(await fires(weekly, '2026-06-17T14:00:00Z', { hours: 30 })).toEqual([]);
});

test('a timer that has fired does not fire again at the next start', async () => {
  const need = { ...weekly, missed: 'run' } as const;
  expect(await fires(need, '2026-06-17T14:00:00Z', { fired: '2026-06-15T13:40:00Z' })).toEqual([]);
});

test('a timer missed within its session fires late, and one of every n minutes only once', async () => {
  expect(await fires(weekly, '2026-06-15T15:00:00Z', { hours: 2 })).toEqual(['2026-06-15T15:00:00Z']);
  const every = { name: 'a', every: { minutes: 60 } } as const;
  expect(await fires(every, '2026-06-15T16:00:00Z', { hours: 1 })).toEqual([
    '2026-06-15T16:00:00Z',
    '2026-06-15T16:30:00Z',
  ]);
});

test('a timer at a time outside the session fires on the day of a session', async () => {
  expect(await fires({ name: 'a', at: '08:00' }, '2026-06-15T02:00:00Z', { hours: 34 })).toEqual([
    '2026-06-15T12:00:00Z',
    '2026-06-16T12:00:00Z',
  ]);
  expect(await fires({ name: 'a', at: '18:00' }, '2026-06-15T21:00:00Z', { hours: 2 })).toEqual([
    '2026-06-15T22:00:00Z',
  ]);
});

test.each([
  ['before the open', '08:00 2026-06-17T12:30:00Z', ['2026-06-17T12:30:00Z']],
  ['in the session', '08:00 2026-06-17T15:00:00Z', ['2026-06-17T15:00:00Z']],
  ['after the close', '08:00 2026-06-17T20:30:00Z', ['2026-06-17T20:30:00Z']],
  ['in the evening', '17:00 2026-06-17T21:30:00Z', ['2026-06-17T21:30:00Z']],
  ['on a weekend', '08:00 2026-06-20T12:30:00Z', ['2026-06-20T12:30:00Z']],
  [
    "before the timer's time of that day",
    'open+10m 2026-06-17T12:30:00Z',
    ['2026-06-17T12:30:00Z', '2026-06-17T13:40:00Z'],
  ],
])('a daily timer missed on several days fires once at a start %s', async (_, when, expected) => {
  const [at = '', start = ''] = when.split(' ');
  expect(await fires({ name: 'a', at, missed: 'run' }, start, { hours: 6 })).toEqual(expected);
});

test('a 9:40 timer fires at 11:00 for a strategy that was down, but not for one that joins', async () => {
  const timers: TimerNeed[] = [
    { name: 'early', at: 'open+10m' },
    { name: 'late', at: 'open+60m' },
    { name: 'after', at: 'open+120m' },
  ];
  const data = { quotes: ['AAPL'], timers };
  const open = epochMs(Date.parse('2026-06-15T13:30:00Z'));
  const first = await new Stage({ start: open - MINUTE, hooks: { old: {} }, data }).play(30 * MINUTE);
  await first.stop();
  await first.clock.advanceBy(HOUR);
  const next = await new Stage({ after: first, hooks: { joins: {}, old: {} }, data }).play(MINUTE);
  const fired = () =>
    [...memoryJournal(next.lines).entries()].flatMap(({ fact }) =>
      fact.kind === 'timer' ? [`${fact.strategyId} ${fact.timer}`] : [],
    );
  expect(fired()).toEqual(['old early', 'old late']);
  await next.pass(HOUR);
  expect(fired()).toEqual(['old early', 'old late', 'joins after', 'old after']);
  await new Stage({ after: next, hooks: { joins: {}, old: {} }, data }).play(MINUTE);
  expect(fired()).toHaveLength(4);
});
