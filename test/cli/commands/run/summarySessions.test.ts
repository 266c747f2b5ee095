import { expect, test } from 'vitest';
import { tradingCalendar } from '../../../../src/calendar/index.ts';
import { epochMs } from '../../../../src/core/brand.ts';
import { noSessionText, sessionsText } from '../../../../src/cli/commands/run/summary.ts';

const at = (iso: string) => epochMs(Date.parse(iso));

test.each([
  [
    'a Saturday',
    '2026-06-20T14:00:00Z',
    'there is no session today: the next begins on Monday 2026-06-22 at 09:30',
  ],
  [
    'a holiday',
    '2026-11-26T15:00:00Z',
    'there is no session today: the next begins on Friday 2026-11-27 at 09:30',
  ],
  [
    'an evening after an early close',
    '2026-11-27T19:00:00Z',
    'the session of today has closed at 13:00: the next begins on Monday 2026-11-30 at 09:30',
  ],
])('a start on %s says that there is no session, and when the next begins', (_, time, text) => {
  expect(noSessionText(tradingCalendar, at(time))).toBe(`${text} in New York`);
});

test.each(['2026-06-15T12:00:00Z', '2026-06-15T15:00:00Z'])(
  'a start at %s, before a close, says nothing about sessions',
  (time) => {
    expect(noSessionText(tradingCalendar, at(time))).toBeNull();
  },
);

const ranged = (from: string, to: string, sessions: number) =>
  sessionsText({ from, to, sessions }, tradingCalendar);

test('the summary says how many sessions closed, and which part of an open one was seen', () => {
  expect(ranged('2026-06-15T13:25:00.000Z', '2026-06-15T14:56:00.000Z', 0)).toBe(
    '0 sessions closed, and 09:30 to 10:56 of that of 2026-06-15, which closes at 16:00',
  );
  expect(ranged('2026-06-15T13:40:00.000Z', '2026-06-15T14:56:00.000Z', 0)).toMatch(/and 09:40 to 10:56 of/);
  expect(ranged('2026-06-15T13:25:00.000Z', '2026-06-15T20:05:00.000Z', 1)).toBe('1 session closed');
  expect(ranged('2026-06-15T13:25:00.000Z', '2026-11-27T17:00:00.000Z', 2)).toMatch(
    /^2 sessions closed, and 09:30 to 12:00 of that of 2026-11-27, which closes at 13:00$/,
  );
});
