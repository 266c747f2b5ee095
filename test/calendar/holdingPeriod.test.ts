import { expect, test } from 'vitest';
import { holdingPeriod } from '../../src/calendar/holdingPeriod.ts';
import { newYorkTime } from '../../src/calendar/zone.ts';

test.each([
  ['2025-03-10', '2025-03-10', 0, false],
  ['2025-03-10', '2026-03-10', 365, false],
  ['2025-03-10', '2026-03-11', 366, true],
  ['2024-02-29', '2025-03-01', 366, false],
  ['2024-02-29', '2025-03-02', 367, true],
])('the holding period from %s to %s is %i days', (...given) => {
  const [from, to, days, isLong] = given;
  expect(holdingPeriod(newYorkTime(from, '19:59'), newYorkTime(to, '04:00'))).toEqual({ days, isLong });
});
