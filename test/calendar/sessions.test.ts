import { describe, expect, test } from 'vitest';
import { createTradingCalendar, tradingCalendar, type CalendarException } from '../../src/calendar/index.ts';
import { publishedYear, earlyClosesOf, holidaysOf, exceptions } from '../../src/calendar/rules.ts';
import { epochMs, toIso } from '../../src/core/brand.ts';
import { InvalidValueError } from '../../src/core/errors.ts';
import { easters, xnysOddHours, xnysYears } from '../fixtures/xnys.ts';

const FIRST = '2000-01-01';
const LAST = '2050-12-31';
const instant = (iso: string) => epochMs(Date.parse(iso));

// The fixture's days as New York times, by Node's own zone data: a second way to the same instants.
const clock = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'America/New_York',
  dateStyle: 'short',
  timeStyle: 'short',
});
const shown = (at: number) => clock.format(at);
const written = (date: string, time: string) => `${date.split('-').reverse().join('/')}, ${time}`;

function weekdaysOf(year: string): string[] {
  const days: string[] = [];
  for (
    let day = Date.parse(`${year}-01-01`);
    new Date(day).getUTCFullYear() === Number(year);
    day += 86_400_000
  )
    if (![0, 6].includes(new Date(day).getUTCDay())) days.push(new Date(day).toISOString().slice(0, 10));
  return days;
}

const odd = new Map(xnysOddHours.map(([date, ...hours]) => [date, hours]));

describe("sessions of the exchange's history", () => {
  test.each(Object.entries(xnysYears))(
    'match the record of %s: every session with its open and its close',
    (year, facts) => {
      const closed = facts.closed.split(' ');
      const short = facts.short.split(' ');
      const expected = weekdaysOf(year)
        .filter((date) => !closed.includes(date.slice(5)))
        .map((date) => {
          const regular = ['09:30', short.includes(date.slice(5)) ? '13:00' : '16:00'];
          const [open = '', close = ''] = odd.get(date) ?? regular;
          return { date, open: written(date, open), close: written(date, close), early: close < '16:00' };
        });
      const actual = tradingCalendar.sessions(`${year}-01-01`, `${year}-12-31`);

      expect(
        actual.map((session) => ({ ...session, open: shown(session.open), close: shown(session.close) })),
      ).toEqual(expected);
      expect(actual).toHaveLength(facts.sessions);
    },
  );

  test.each(easters)('leave out Good Friday, %s', (easter) => {
    const friday = toIso(epochMs(Date.parse(easter) - 2 * 86_400_000)).slice(0, 10);
    const thursday = toIso(epochMs(Date.parse(easter) - 3 * 86_400_000)).slice(0, 10);
    expect([tradingCalendar.sessionOn(friday), tradingCalendar.sessionOn(thursday)?.date]).toEqual([
      undefined,
      thursday,
    ]);
  });

  test.each(['2010-12-31', '2021-12-31', '2027-12-31', '2049-12-31'])(
    'are not shortened when New Year falls on a Saturday: %s trades to 16:00',
    (date) => expect(tradingCalendar.sessionOn(date)).toMatchObject({ early: false }),
  );

  test('follow rules of 9 holidays a year, 10 since 2022, one fewer when New Year is on a Saturday', () => {
    for (let year = 2000; year <= 2050; year++) {
      const dates = [...holidaysOf(year).keys()];
      expect(dates.filter((date) => !weekdaysOf(String(year)).includes(date))).toEqual([]);
      const newYearOnSaturday = new Date(`${year}-01-01`).getUTCDay() === 6;
      expect(dates).toHaveLength((year < 2022 ? 9 : 10) - (newYearOnSaturday ? 1 : 0));
    }
  });

  test('have exceptions that each change a trading day, with no date twice', () => {
    const dates = exceptions.map(({ date }) => date);
    expect(dates).toEqual([...new Set(dates)].sort());
    expect(() => createTradingCalendar(exceptions)).not.toThrow();
  });
});

describe('the sessions around a change to or from summer time', () => {
  test.each([
    ['the Friday before spring, 2007 on', '2026-03-06', '2026-03-06T14:30:00Z', '2026-03-06T21:00:00Z'],
    ['the Monday after', '2026-03-09', '2026-03-09T13:30:00Z', '2026-03-09T20:00:00Z'],
    ['the Friday before autumn', '2026-10-30', '2026-10-30T13:30:00Z', '2026-10-30T20:00:00Z'],
    ['the Monday after', '2026-11-02', '2026-11-02T14:30:00Z', '2026-11-02T21:00:00Z'],
    ['until 2006 spring came in April', '2006-03-31', '2006-03-31T14:30:00Z', '2006-03-31T21:00:00Z'],
    ['on the Sunday after that', '2006-04-03', '2006-04-03T13:30:00Z', '2006-04-03T20:00:00Z'],
    ['and autumn in October', '2006-10-30', '2006-10-30T14:30:00Z', '2006-10-30T21:00:00Z'],
    ['a short day', '2026-11-27', '2026-11-27T14:30:00Z', '2026-11-27T18:00:00Z'],
    ['far ahead', '2050-07-01', '2050-07-01T13:30:00Z', '2050-07-01T20:00:00Z'],
  ])('keep New York hours: %s, %s', (...[, date, open, close]) => {
    const session = tradingCalendar.sessionOn(date);
    expect(session && [toIso(session.open), toIso(session.close)]).toEqual([open, close]);
  });

  test.each([
    ['a plain time', '2026-06-15', '09:25', '2026-06-15T13:25:00Z'],
    ['before the change', '2026-03-08', '01:59', '2026-03-08T06:59:00Z'],
    ['a skipped time continues on the old clock', '2026-03-08', '02:30', '2026-03-08T07:30:00Z'],
    ['after the change', '2026-03-08', '03:00', '2026-03-08T07:00:00Z'],
    ['the first of a repeated hour', '2026-11-01', '01:30', '2026-11-01T05:30:00Z'],
    ['after the repeated hour', '2026-11-01', '02:00', '2026-11-01T07:00:00Z'],
    ['midnight', '2026-11-01', '00:00', '2026-11-01T04:00:00Z'],
    ['the last minute of a year', '2025-12-31', '23:59', '2026-01-01T04:59:00Z'],
  ])('newYorkTime resolves a New York wall time (%s: %s %s)', (...[, date, hhmm, expected]) => {
    const at = tradingCalendar.newYorkTime(date, hhmm);
    expect(toIso(at)).toBe(expected);
    expect(tradingCalendar.newYorkDate(at)).toBe(date);
  });
});

describe('sessions(from, to)', () => {
  test('includes both ends of the range and is empty when no session falls into it', () => {
    const dates = (from: string, to: string) => tradingCalendar.sessions(from, to).map(({ date }) => date);
    expect(dates('2026-11-25', '2026-11-27')).toEqual(['2026-11-25', '2026-11-27']);
    expect(dates('2025-12-31', '2026-01-02')).toEqual(['2025-12-31', '2026-01-02']);
    expect(dates('2026-11-28', '2026-11-29')).toEqual([]);
    expect(dates('2026-11-27', '2026-11-27')).toEqual(['2026-11-27']);
  });

  test('returns sessions in order without overlap', () => {
    const all = tradingCalendar.sessions(FIRST, LAST);
    expect(all.length).toBe(new Set(all.map(({ date }) => date)).size);
    for (const [index, session] of all.entries()) {
      expect(session.open).toBeLessThan(session.close);
      expect(session.open).toBeGreaterThan(all[index - 1]?.close ?? -Infinity);
    }
  });

  test.each([
    ['2026-2-03', '2026-03-01', '"2026-2-03" is not a date'],
    ['2026-02-29', '2026-03-01', '"2026-02-29" is not a date'],
    ['', '2026-03-01', '"" is not a date'],
    ['2026-03-01', '2026-13-01', '"2026-13-01" is not a date'],
    ['2026-03-02', '2026-03-01', '2026-03-02 is after 2026-03-01'],
    ['1999-12-31', '2000-03-01', '1999-12-31 is outside the calendar'],
    ['2050-12-31', '2051-01-01', '2051-01-01 is outside the calendar'],
  ])('refuses the range from %s to %s', (from, to, message) => {
    const asked = () => tradingCalendar.sessions(from, to);
    expect(asked).toThrow(InvalidValueError);
    expect(asked).toThrow(message);
  });

  test.each(['24:00', '9:30', '09:60', ''])('newYorkTime refuses "%s" as a time of day', (hhmm) =>
    expect(() => tradingCalendar.newYorkTime('2026-06-15', hhmm)).toThrow(InvalidValueError),
  );
});

describe('previousSession, sessionAt and nextSession', () => {
  const date = (session: { date: string } | undefined) => session?.date ?? null;
  test.each<[name: string, at: string, previous: string, current: string | null, next: string]>([
    ['a ms before the open', '2026-11-25T14:29:59.999Z', '2026-11-24', null, '2026-11-25'],
    ['at the open', '2026-11-25T14:30:00Z', '2026-11-24', '2026-11-25', '2026-11-27'],
    ['a ms before the close', '2026-11-25T20:59:59.999Z', '2026-11-24', '2026-11-25', '2026-11-27'],
    ['at the close', '2026-11-25T21:00:00Z', '2026-11-25', null, '2026-11-27'],
    ['on a holiday', '2026-11-26T17:00:00Z', '2026-11-25', null, '2026-11-27'],
    ['at an early close', '2026-11-27T18:00:00Z', '2026-11-27', null, '2026-11-30'],
    ['over New Year', '2026-01-01T04:30:00Z', '2025-12-31', null, '2026-01-02'],
    ['at the very first close', '2000-01-03T21:00:00Z', '2000-01-03', null, '2000-01-04'],
    ['on the very last evening', '2051-01-01T04:59:59Z', '2050-12-30', null, '2051-01-03'],
  ])('find the sessions around an instant: %s', (...[, iso, previous, current, next]) => {
    const at = instant(iso);
    expect(date(tradingCalendar.previousSession(at))).toBe(previous);
    expect(date(tradingCalendar.sessionAt(at))).toBe(current);
    expect(date(tradingCalendar.nextSession(at))).toBe(next);
  });

  test('refuse instants outside the covered years, and a session before the first', () => {
    const lookups = ['sessionAt', 'nextSession', 'previousSession', 'phaseAt'] as const;
    for (const at of [instant('2000-01-01T04:59:59.999Z'), instant('2051-01-01T05:00:00Z'), epochMs(NaN)])
      for (const lookup of lookups) expect(() => tradingCalendar[lookup](at)).toThrow(InvalidValueError);
    const beforeAll = instant('2000-01-03T20:59:59.999Z');
    expect(() => tradingCalendar.previousSession(beforeAll)).toThrow(InvalidValueError);
  });
});

describe('a calendar with additional exceptions', () => {
  const with_ = (...further: CalendarException[]) => createTradingCalendar(further);

  test('has no session on an added closure, and leaves the bundled calendar unchanged', () => {
    const calendar = with_({ date: '2026-12-02', reason: 'a storm', closed: true });
    expect(calendar.sessionOn('2026-12-02')).toBeUndefined();
    expect(calendar.nextSession(instant('2026-12-01T22:00:00Z')).date).toBe('2026-12-03');
    expect(calendar.phaseAt(instant('2026-12-02T17:00:00Z'))).toMatchObject({ phase: 'closed' });
    expect(tradingCalendar.sessionOn('2026-12-02')).toBeDefined();
  });

  test('returns from sessionFrom the session of that day, or the next one', () => {
    const calendar = with_({ date: '2026-12-02', reason: 'mourning', closed: true });
    const from = (day: string) => calendar.sessionFrom(day).date;
    expect(['2026-12-01', '2026-12-02', '2026-12-05'].map(from)).toEqual([
      '2026-12-01',
      '2026-12-03',
      '2026-12-07',
    ]);
    expect(() => from('2051-01-01')).toThrow(InvalidValueError);
  });

  test('prefers hours of an added exception over those of the bundled table', () => {
    const calendar = with_(
      { date: '2026-12-02', reason: 'a storm', open: '11:00', close: '14:00' },
      { date: '2002-09-11', reason: 'another account', open: '11:30' },
    );
    const hours = (day: string) => {
      const session = calendar.sessionOn(day);
      return session && [shown(session.open).slice(-5), shown(session.close).slice(-5), session.early];
    };
    expect(hours('2026-12-02')).toEqual(['11:00', '14:00', true]);
    expect(hours('2002-09-11')).toEqual(['11:30', '16:00', false]);
  });

  test.each<[name: string, exception: CalendarException]>([
    ['a holiday', { date: '2026-12-25', reason: 'x', closed: true }],
    ['a weekend', { date: '2026-12-26', reason: 'x', close: '13:00' }],
    ['no date', { date: '26-12-2', reason: 'x', closed: true }],
    ['no time', { date: '2026-12-02', reason: 'x', close: '1pm' }],
    ['an early close before the open', { date: '2026-12-02', reason: 'x', close: '09:30' }],
    ['no room for pre', { date: '2026-12-02', reason: 'x', open: '04:00' }],
    ['no room for post', { date: '2026-12-02', reason: 'x', close: '20:00' }],
  ])('refuses an exception on or with %s', (_name, exception) =>
    expect(() => with_(exception)).toThrow(InvalidValueError),
  );
});

test.each([2026, 2027, 2028])(
  'the holidays and early closes of %d match what the exchange has published',
  (year) => {
    const published = publishedYear(year);
    expect([...(published?.closed ?? [])]).toEqual([...holidaysOf(year)]);
    expect([...(published?.early ?? [])]).toEqual([...earlyClosesOf(year)]);
  },
);
