import { expect, test } from 'vitest';
import { createTradingCalendar, newYorkClock, newYorkDate } from '../../../src/calendar/index.ts';
import { nightsOf } from '../../../src/app/environment/environment.ts';
import { parseInstant } from '../../../src/app/config/times.ts';

test.each<[at: string, end: string | null]>([
  ['2026-06-15T09:24', '2026-06-15 09:25'],
  ['2026-06-15T09:25', null],
  ['2026-06-15T12:00', null],
  ['2026-06-15T16:09', null],
  ['2026-06-15T16:10', '2026-06-16 09:25'],
  ['2026-06-16T03:00', '2026-06-16 09:25'],
  // Friday before a weekend, and before a holiday that closes a Friday.
  ['2026-06-12T18:00', '2026-06-15 09:25'],
  ['2026-07-02T16:10', '2026-07-06 09:25'],
  // An early close.
  ['2026-11-27T13:09', null],
  ['2026-11-27T13:10', '2026-11-30 09:25'],
])('the night around %s ends at %s', (at, end) => {
  const skipped = nightsOf(createTradingCalendar(), () => undefined)(parseInstant(at));
  expect(skipped && `${newYorkDate(skipped)} ${newYorkClock(skipped)}`).toBe(end);
});

test('each night is announced once, as it begins', () => {
  const ends: string[] = [];
  const skip = nightsOf(createTradingCalendar(), (end) => ends.push(newYorkDate(end)));
  for (const at of ['2026-06-15T16:05', '2026-06-15T16:10', '2026-06-15T20:00', '2026-06-16T16:10'])
    skip(parseInstant(at));
  expect(ends).toEqual(['2026-06-16', '2026-06-17']);
});
