import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exceptionsAreOld, tradingCalendar, type Phase } from '../../src/calendar/index.ts';
import { epochMs, toIso } from '../../src/core/brand.ts';
import { xnysYears } from '../fixtures/xnys.ts';
import { runs } from '../runs.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const instant = (iso: string) => epochMs(Date.parse(iso));

/** The oracle uses only a wall clock and the fixture: no rule, no table of instants. */
const clock = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'America/New_York',
  dateStyle: 'short',
  timeStyle: 'short',
});

const dayAfter = (date: string) => new Date(Date.parse(date) + DAY_MS).toISOString().slice(0, 10);

function dayKind(date: string): 'full' | 'short' | 'none' {
  const facts = xnysYears[Number(date.slice(0, 4))];
  const weekend = [0, 6].includes(new Date(date).getUTCDay());
  if (!facts || weekend || facts.closed.split(' ').includes(date.slice(5))) return 'none';
  return facts.short.split(' ').includes(date.slice(5)) ? 'short' : 'full';
}

function oracle(at: number): readonly [Phase, string | null] {
  const [date = '', time = ''] = clock.format(at).split(' ');
  if (time >= '20:00') {
    const next = dayAfter(date);
    return dayKind(next) === 'none' ? ['closed', null] : ['overnight', next];
  }
  const kind = dayKind(date);
  if (kind === 'none') return ['closed', null];
  if (time < '04:00') return ['overnight', date];
  if (time < '09:30') return ['pre', date];
  if (time < (kind === 'short' ? '13:00' : '16:00')) return ['regular', date];
  return time < (kind === 'short' ? '17:00' : '20:00') ? ['post', date] : ['closed', null];
}

describe('the phase at every minute of a week matches the clock and the list of holidays', () => {
  test.each([
    ['Thanksgiving and its short Friday', '2026-11-23'],
    ['Christmas Eve and Christmas', '2025-12-22'],
    ['the year turns', '2026-12-28'],
    ['a year that turns on a Saturday', '2021-12-27'],
    ['July 3 before the Fourth', '2025-06-30'],
    ['July 5 after the Fourth', '2002-07-01'],
    ['a Monday holiday', '2026-01-16'],
    ['clocks go forward', '2026-03-06'],
    ['clocks go back', '2026-10-30'],
    ['clocks go forward in April', '2005-04-01'],
    ['four days shut', '2001-09-10'],
    ['a closed Wednesday', '2018-12-03'],
  ])('%s, from %s', (_name, from) => {
    const start = tradingCalendar.newYorkTime(from, '00:00');
    for (let at = start; at < start + 8 * DAY_MS; at = epochMs(at + MINUTE_MS)) {
      if (clock.format(at) === '2001-09-17 09:30') break; // that day opened three minutes late
      const { phase, session } = tradingCalendar.phaseAt(at);
      if (oracle(at)[0] !== phase || oracle(at)[1] !== session)
        expect([toIso(at), phase, session]).toEqual([toIso(at), ...oracle(at)]);
    }
  });
});

test.each<[name: string, at: string, phase: Phase, session: string | null, nextChange: string, next: Phase]>([
  ['Sunday before 20:00', '2026-11-23T00:59Z', 'closed', null, '2026-11-23T01:00:00Z', 'overnight'],
  [
    'Sunday 20:00 opens Monday',
    '2026-11-23T01:00Z',
    'overnight',
    '2026-11-23',
    '2026-11-23T09:00:00Z',
    'pre',
  ],
  ['pre', '2026-11-23T09:00Z', 'pre', '2026-11-23', '2026-11-23T14:30:00Z', 'regular'],
  ['regular', '2026-11-23T14:30Z', 'regular', '2026-11-23', '2026-11-23T21:00:00Z', 'post'],
  [
    'post runs into the next day',
    '2026-11-23T21:00Z',
    'post',
    '2026-11-23',
    '2026-11-24T01:00:00Z',
    'overnight',
  ],
  ['no overnight before a holiday', '2026-11-26T01:00Z', 'closed', null, '2026-11-27T01:00:00Z', 'overnight'],
  ['post of a short day', '2026-11-27T18:00Z', 'post', '2026-11-27', '2026-11-27T22:00:00Z', 'closed'],
  ['the weekend', '2026-11-27T22:00Z', 'closed', null, '2026-11-30T01:00:00Z', 'overnight'],
  ['a gap, then overnight', '2025-07-02T22:00Z', 'post', '2025-07-02', '2025-07-03T00:00:00Z', 'overnight'],
  [
    'a short Tuesday before a closed Wednesday',
    '2018-12-24T22:00Z',
    'closed',
    null,
    '2018-12-26T01:00:00Z',
    'overnight',
  ],
  ['over New Year', '2026-01-01T01:00Z', 'closed', null, '2026-01-02T01:00:00Z', 'overnight'],
  ['a late open lengthens pre', '2002-09-11T14:00Z', 'pre', '2002-09-11', '2002-09-11T16:00:00Z', 'regular'],
  [
    'a failure does not shorten post',
    '2005-06-01T19:56Z',
    'post',
    '2005-06-01',
    '2005-06-02T00:00:00Z',
    'overnight',
  ],
  ['the first instant', '2000-01-01T05:00Z', 'closed', null, '2000-01-03T01:00:00Z', 'overnight'],
  ['the last instant', '2051-01-01T04:59Z', 'closed', null, '2051-01-03T01:00:00Z', 'overnight'],
])('%s, %s', (...[, at, phase, session, nextChange, next]) => {
  const expected = { phase, session, nextChange: instant(nextChange), next };
  const { since, ...phaseNow } = tradingCalendar.phaseAt(instant(at));
  expect(phaseNow).toEqual(expected);
  expect(since).toBeLessThanOrEqual(instant(at));
});

// Clocks change on Sundays at 02:00, before Monday's overnight begins at 20:00. So the night of the change is
// shorter or longer, and no overnight is.
test.each([
  ['spring', '2026-03-07', '2026-03-08', 7],
  ['autumn', '2026-10-31', '2026-11-01', 9],
  ['an ordinary night', '2026-06-06', '2026-06-07', 8],
])('the night (%s) from %s 20:00 to %s 04:00 New York lasts %i hours', (...[, eve, day, hours]) => {
  const night = tradingCalendar.newYorkTime(day, '04:00') - tradingCalendar.newYorkTime(eve, '20:00');
  expect(night / 3_600_000).toBe(hours);
});

test('every overnight phase lasts 8 hours, because clocks change only on weekends', () => {
  for (const { date } of tradingCalendar.sessions('2000-01-01', '2050-12-31')) {
    const pre = tradingCalendar.newYorkTime(date, '04:00');
    const night = tradingCalendar.phaseAt(epochMs(pre - 1));
    expect(night).toMatchObject({ phase: 'overnight', session: date, nextChange: pre });
    expect(tradingCalendar.phaseAt(epochMs(pre - 8 * 3_600_000)).session).toBe(date);
    expect(tradingCalendar.phaseAt(epochMs(pre - 8 * 3_600_000 - 1)).session).not.toBe(date);
  }
});

describe('the calendar at any instant', () => {
  const start = Date.parse('2000-01-03T21:00:00Z');
  const end = Date.parse('2050-12-30T00:00:00Z');
  const anyInstant = fc.integer({ min: start, max: end }).map(epochMs);
  const calendar = tradingCalendar;

  test('keeps a phase up to nextChange and changes it exactly there', () =>
    fc.assert(
      fc.property(anyInstant, fc.double({ min: 0, max: 1, noNaN: true }), (at, part) => {
        const { phase, session, since, nextChange, next } = calendar.phaseAt(at);
        fc.pre(since > -Infinity); // the first span of a year has no beginning
        const between = epochMs(Math.floor(at + (nextChange - 1 - at) * part));
        expect(nextChange).toBeGreaterThan(at);
        expect(calendar.phaseAt(between)).toEqual({ phase, session, since, nextChange, next });
        expect(calendar.phaseAt(epochMs(since)).phase).toBe(phase);
        expect(calendar.phaseAt(epochMs(since - 1)).phase).not.toBe(phase);
        expect(calendar.phaseAt(epochMs(nextChange - 1)).phase).toBe(phase);
        expect(calendar.phaseAt(nextChange).phase).toBe(next);
        expect(next).not.toBe(phase);
      }),
      { numRuns: runs(2_000) },
    ));

  test('reports previous, current and next sessions that agree with each other and with the phase', () =>
    fc.assert(
      fc.property(anyInstant, (at) => {
        const [previous, current, next] = [
          calendar.previousSession(at),
          calendar.sessionAt(at),
          calendar.nextSession(at),
        ];
        expect(previous.close <= at && at < next.open).toBe(true);
        expect(calendar.phaseAt(at).phase === 'regular').toBe(current !== undefined);
        if (current) expect(calendar.phaseAt(at).session).toBe(current.date);
        if (current) expect(calendar.sessionOn(calendar.newYorkDate(at))).toBe(current);
        expect(calendar.nextSession(previous.close)).toBe(current ?? next);
        expect(calendar.previousSession(next.open)).toBe(current ?? previous);
      }),
      { numRuns: runs(2_000) },
    ));
});

test('the list of exceptions counts as old once 400 days have passed since its last check', () => {
  const checked = tradingCalendar.newYorkTime(tradingCalendar.exceptionsAsOf, '00:00');
  expect([400, 401].map((days) => exceptionsAreOld(epochMs(checked + days * DAY_MS)))).toEqual([false, true]);
});
