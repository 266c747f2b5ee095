import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newYorkTime, tradingCalendar, type Session } from '../../src/calendar/index.ts';
import { toIso } from '../../src/core/brand.ts';
import { instantOf, timerInstants } from '../../src/strategy/sessionTime.ts';
import type { TimerNeed } from '../../src/strategy/index.ts';

const sessionOf = (date: string) => {
  const [session] = tradingCalendar.sessions(date, date);
  if (!session) throw new Error(`no session on ${date}`);
  return session;
};
const at = (time: string, date: string) => {
  const instant = instantOf(time, sessionOf(date));
  return instant === null ? null : toIso(instant);
};

const WINTER = '2026-03-06';
const SUMMER = '2026-03-09';
const EARLY_CLOSE = '2026-11-27';

test.each([
  { time: '10:00', date: WINTER, is: '2026-03-06T15:00:00Z' },
  { time: '10:00', date: SUMMER, is: '2026-03-09T14:00:00Z' },
  { time: 'open', date: WINTER, is: '2026-03-06T14:30:00Z' },
  { time: 'open+5m', date: SUMMER, is: '2026-03-09T13:35:00Z' },
  { time: 'open+1h30m', date: SUMMER, is: '2026-03-09T15:00:00Z' },
  { time: 'close', date: SUMMER, is: '2026-03-09T20:00:00Z' },
  { time: 'close-30m', date: EARLY_CLOSE, is: '2026-11-27T17:30:00Z' },
  { time: 'close-3h30m', date: EARLY_CLOSE, is: '2026-11-27T14:30:00Z' },
  { time: '13:00', date: EARLY_CLOSE, is: '2026-11-27T18:00:00Z' },
  { time: '13:01', date: EARLY_CLOSE, is: null },
  { time: '15:30', date: EARLY_CLOSE, is: null },
  { time: 'open+4h', date: EARLY_CLOSE, is: null },
  { time: 'close-4h', date: EARLY_CLOSE, is: null },
])('$time of $date is $is', ({ time, date, is }) => {
  expect(at(time, date)).toBe(is);
});

describe('a time outside of every session', () => {
  const never = ['09:29', '16:01', '24:00', '9:30', '10:60', 'open-5m', 'close+5m', 'open+7h', 'close-391m'];
  const nonsense = [
    '',
    'Open',
    'open+',
    'open+5',
    'open+m',
    'open5m',
    'open+5m ',
    'open+1.5h',
    'open+5m1h',
    'noon',
  ];
  test.each([...never, ...nonsense])('is an error: "%s"', (time) => {
    expect(() => at(time, SUMMER)).toThrow('write "10:30" (New York)');
  });
});

test('a session time is inside its session or null, and shows as its wall time, in every session since 2000', () => {
  const onTime = ({ date, open }: Session) => open === newYorkTime(date, '09:30');
  const sessions = tradingCalendar.sessions('2000-01-01', '2026-12-31').filter(onTime);
  const minute = fc.integer({ min: 9 * 60 + 30, max: 16 * 60 });
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'America/New_York',
    hour: '2-digit',
    minute: '2-digit',
  });
  fc.assert(
    fc.property(fc.constantFrom(...sessions), minute, (session, minutes) => {
      const pad = (part: number) => String(part).padStart(2, '0');
      const wall = `${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
      const instant = instantOf(wall, session);
      expect(instantOf(`open+${minutes - 570}m`, session)).toBe(instant);
      if (instant === null) expect(session.early).toBe(true);
      else expect(clock.format(instant)).toBe(wall);
    }),
  );
});

type Form = Omit<TimerNeed, 'name'>;

const datesOf = (form: Form, from: string, to: string) =>
  tradingCalendar
    .sessions(from, to)
    .filter(
      (session) => timerInstants({ name: 'a', ...form } as TimerNeed, session, tradingCalendar).length > 0,
    )
    .map(({ date }) => date);

test('a weekly timer fires in the first session from its weekday, also after a holiday', () => {
  // 2026-05-25 is Memorial Day, 2026-07-03 a holiday.
  expect(datesOf({ on: 'monday', at: 'open' }, '2026-05-18', '2026-06-05')).toEqual([
    '2026-05-18',
    '2026-05-26',
    '2026-06-01',
  ]);
  expect(datesOf({ on: 'friday', at: 'close' }, '2026-06-22', '2026-07-10')).toEqual([
    '2026-06-26',
    '2026-07-02',
    '2026-07-10',
  ]);
});

test('a monthly timer fires in the first or the last session of the month', () => {
  expect(datesOf({ on: 'month-start', at: '10:00' }, '2026-01-01', '2026-03-31')).toEqual([
    '2026-01-02',
    '2026-02-02',
    '2026-03-02',
  ]);
  expect(datesOf({ on: 'month-end', at: '10:00' }, '2026-01-01', '2026-03-31')).toEqual([
    '2026-01-30',
    '2026-02-27',
    '2026-03-31',
  ]);
});

const instants = (form: Form, date: string) => {
  const session = tradingCalendar.sessionFrom(date);
  return timerInstants({ name: 'a', ...form } as TimerNeed, session, tradingCalendar).map(toIso);
};

test('a timer every n minutes counts from the open to the close, also an early one', () => {
  expect(instants({ every: { minutes: 120 } }, '2026-06-15')).toEqual([
    '2026-06-15T15:30:00Z',
    '2026-06-15T17:30:00Z',
    '2026-06-15T19:30:00Z',
  ]);
  // An early close at 13:00 in New York.
  expect(instants({ every: { minutes: 105 } }, '2026-11-27').at(-1)).toBe('2026-11-27T18:00:00Z');
});

test('a timer at a wall time outside of the session fires on any session day, one within only in the session', () => {
  expect(instants({ at: '08:00' }, '2026-06-15')).toEqual(['2026-06-15T12:00:00Z']);
  expect(instants({ at: '18:30' }, '2026-11-27')).toEqual(['2026-11-27T23:30:00Z']);
  expect(instants({ at: '15:30' }, '2026-11-27')).toEqual([]);
});
