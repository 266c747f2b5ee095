import { expect, test } from 'vitest';
import { tradingCalendar } from '../../src/calendar/index.ts';
import { toIso } from '../../src/core/brand.ts';
import { timerInstants } from '../../src/strategy/timerTimes.ts';
import type { TimerNeed } from '../../src/strategy/index.ts';

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
