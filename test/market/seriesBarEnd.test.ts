import { describe, expect, test } from 'vitest';
import { tradingCalendar } from '../../src/calendar/index.ts';
import { epochMs, toIso } from '../../src/core/brand.ts';
import { INTERVAL_MS, INTERVALS, type Interval } from '../../src/domain/bar.ts';
import { barEnd, endsAt, weekOpen } from '../../src/market/series.ts';

const instant = (iso: string) => epochMs(Date.parse(iso));

// 2026-11-23 to 27: Thanksgiving on Thursday, an early close at 18:00Z on Friday. Regular hours 14:30Z to 21:00Z.
describe('barEnd', () => {
  test.each<[name: string, interval: Interval, start: string, end: string]>([
    ['a minute', '1m', '2026-11-23T14:30:00Z', '2026-11-23T14:31:00Z'],
    ['the last minute', '1m', '2026-11-23T20:59:00Z', '2026-11-23T21:00:00Z'],
    ['an hour', '1h', '2026-11-23T14:30:00Z', '2026-11-23T15:30:00Z'],
    [
      'the last hour of a day, which lasts half an hour',
      '1h',
      '2026-11-23T20:30:00Z',
      '2026-11-23T21:00:00Z',
    ],
    ['the last hour before an early close', '1h', '2026-11-27T17:30:00Z', '2026-11-27T18:00:00Z'],
    ['a bar over an early close', '15m', '2026-11-27T17:50:00Z', '2026-11-27T18:00:00Z'],
    ['a day', '1d', '2026-11-23T14:30:00Z', '2026-11-23T21:00:00Z'],
    ['a day in summer', '1d', '2026-06-15T13:30:00Z', '2026-06-15T20:00:00Z'],
    ['a day with an early close', '1d', '2026-11-27T14:30:00Z', '2026-11-27T18:00:00Z'],
    ['a week with an early Friday', '1w', '2026-11-23T14:30:00Z', '2026-11-27T18:00:00Z'],
    ['a plain week', '1w', '2026-11-16T14:30:00Z', '2026-11-20T21:00:00Z'],
    ['a week that begins on Tuesday', '1w', '2026-09-08T13:30:00Z', '2026-09-11T20:00:00Z'],
    ['a week that ends on Thursday', '1w', '2026-03-30T13:30:00Z', '2026-04-02T20:00:00Z'],
    ['a week before summer time ends', '1w', '2026-10-26T13:30:00Z', '2026-10-30T20:00:00Z'],
    ['a minute before the open', '1m', '2026-11-23T14:00:00Z', '2026-11-23T14:01:00Z'],
  ])('is correct for %s', (...[, interval, start, end]) => {
    expect(toIso(barEnd({ start: instant(start), interval }, tradingCalendar))).toBe(end);
  });
});

test.each([
  ['a Monday', '2026-06-15', '2026-06-15T13:30:00Z'],
  ['a Friday', '2026-11-27', '2026-11-23T14:30:00Z'],
  ['a holiday', '2025-09-01', '2025-09-02T13:30:00Z'],
  ['an instant of a session', '2026-06-17T13:30:00Z', '2026-06-15T13:30:00Z'],
])('the week of %s opens with its first session', (_what, at, open) => {
  expect(toIso(weekOpen(instant(at), tradingCalendar))).toBe(open);
});

describe('endsAt', () => {
  const at = (iso: string) => INTERVALS.filter((interval) => endsAt(interval, instant(iso), tradingCalendar));

  test.each<[name: string, at: string, ends: string]>([
    ['nothing ends at the open', '2026-11-23T14:30:00Z', ''],
    ['a minute after it', '2026-11-23T14:31:00Z', '1m'],
    ['three minutes after it', '2026-11-23T14:33:00Z', '1m 3m'],
    ['a quarter of an hour after it', '2026-11-23T14:45:00Z', '1m 3m 5m 15m'],
    ['an hour after it, and not at the full hour', '2026-11-23T15:30:00Z', '1m 3m 5m 15m 1h'],
    ['at the full hour', '2026-11-23T16:00:00Z', '1m 3m 5m 15m'],
    ['at the close of Monday', '2026-11-23T21:00:00Z', '1m 3m 5m 15m 1h 1d'],
    ['at an early close, the last of the week', '2026-11-27T18:00:00Z', '1m 3m 5m 15m 1h 1d 1w'],
    ['at the close that Friday would have had', '2026-11-27T21:00:00Z', ''],
    ['at a Thursday’s close before Good Friday', '2026-04-02T20:00:00Z', '1m 3m 5m 15m 1h 1d 1w'],
    ['on a holiday', '2026-11-26T15:30:00Z', ''],
    ['between two minutes', '2026-11-23T14:31:00.500Z', ''],
    ['after the close', '2026-11-23T21:01:00Z', ''],
  ])('finds the intervals that end: %s', (_name, iso, ends) => {
    expect(at(iso).join(' ')).toBe(ends);
  });

  test('agrees with the ends of all bars in a week with every kind of day', () => {
    for (const interval of INTERVALS) {
      const ends = new Set<number>();
      for (const { open, close } of tradingCalendar.sessions('2026-11-23', '2026-11-27')) {
        const step = Math.min(INTERVAL_MS[interval], close - open);
        for (let start: number = open; start < close; start += step)
          ends.add(barEnd({ start: epochMs(start), interval }, tradingCalendar));
      }
      const from = instant('2026-11-23T00:00:00Z');
      for (let minute = 0; minute < 6 * 1_440; minute++) {
        const at = epochMs(from + minute * 60_000);
        expect(endsAt(interval, at, tradingCalendar), `${interval} at ${toIso(at)}`).toBe(ends.has(at));
      }
    }
  });
});
