import { expect, test } from 'vitest';
import { tradingCalendar } from '../../../../src/calendar/index.ts';
import { calendarRows, renderCalendar } from '../../../../src/cli/commands/venue/calendar.ts';
import { InvalidValueError } from '../../../../src/core/errors.ts';

test('calendar rows are sessions with instants in UTC', () =>
  expect(calendarRows(tradingCalendar, '2026-11-26', '2026-11-30')).toEqual([
    { date: '2026-11-27', open: '2026-11-27T14:30:00Z', close: '2026-11-27T18:00:00Z', early: true },
    { date: '2026-11-30', open: '2026-11-30T14:30:00Z', close: '2026-11-30T21:00:00Z', early: false },
  ]));

test('calendar refuses a range that ends before it begins', () =>
  expect(() => calendarRows(tradingCalendar, '2026-11-30', '2026-11-26')).toThrow(InvalidValueError));

test('the calendar table shows both clocks, and late opens and early closes', () =>
  expect(
    renderCalendar([
      ...calendarRows(tradingCalendar, '2002-09-10', '2002-09-11'),
      ...calendarRows(tradingCalendar, '2026-11-27', '2026-11-27'),
    ]),
  ).toBe(`\
date        day  New York     UTC          note
2002-09-10  Tue  09:30–16:00  13:30–20:00
2002-09-11  Wed  12:00–16:00  16:00–20:00  late open
2026-11-27  Fri  09:30–13:00  14:30–18:00  early close`));

test('the calendar table of a range without a session says so', () =>
  expect(renderCalendar(calendarRows(tradingCalendar, '2026-11-28', '2026-11-29'))).toBe(
    'No session in this period.',
  ));
