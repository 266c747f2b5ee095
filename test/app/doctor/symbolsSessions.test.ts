import { expect, test } from 'vitest';
import type { VenueClient } from '../../../src/api/client.ts';
import { createTradingCalendar, tradingCalendar } from '../../../src/calendar/index.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { NoAnswerError } from '../../../src/core/errors.ts';
import { checkCalendar } from '../../../src/app/doctor/offline.ts';
import { checkSessions } from '../../../src/app/doctor/symbols.ts';
import type { LoadedConfig } from '../../../src/app/config/load.ts';
import { accountOf, startEmulated } from '../../cli/support/emulated.ts';
import { listing } from '../../cli/support/oneUser.ts';

const at = (iso: string) => epochMs(Date.parse(iso));
/** A Wednesday, 11:00 in New York. */
const NOW = at('2026-07-08T15:00:00Z');

/** A venue with daily bars of these days, and a quote of `quotedAt`. */
const venueWith = (days: readonly string[], quotedAt = NOW) =>
  ({
    symbols: () => Promise.resolve([listing('AAPL', { lastUpdateTimestamp: quotedAt / 1000 })]),
    history: () =>
      Promise.resolve(
        days.map((day) => ({ timestamp: tradingCalendar.newYorkTime(day, '09:30') / 1000, volume: 1 })),
      ),
  }) as unknown as VenueClient;

const sessions = tradingCalendar.sessions('2026-06-24', '2026-07-08').map(({ date }) => date);

test('the sessions of the venue pass where they equal those of the calendar', async () => {
  expect(sessions).not.toContain('2026-07-03');
  const { verdict, detail } = await checkSessions(venueWith(sessions), tradingCalendar, NOW);
  expect([verdict, detail]).toEqual(['ok', expect.stringContaining('now regular')]);
});

test.each([
  [
    'a closure missing from the calendar',
    sessions.filter((day) => day !== '2026-07-06'),
    /no daily bar of 2026-07-06/,
  ],
  [
    'a day that has no session in the calendar',
    [...sessions, '2026-07-03'],
    /a daily bar of 2026-07-03, on which we/,
  ],
  ['a venue without daily bars', [], /no daily bars of the last 14 days to compare/],
])('%s is a warning', async (_, days, text) => {
  const { verdict, detail } = await checkSessions(venueWith(days), tradingCalendar, NOW);
  expect([verdict, detail]).toEqual(['warn', expect.stringMatching(text)]);
});

test('a closure that the config has added passes', async () => {
  const calendar = createTradingCalendar([{ date: '2026-07-06', reason: 'mourning', closed: true }]);
  const days = sessions.filter((day) => day !== '2026-07-06');
  expect((await checkSessions(venueWith(days), calendar, NOW)).verdict).toBe('ok');
});

test('old quotes are a warning during a session, and pass at night', async () => {
  const old = venueWith(sessions, at('2026-07-08T14:20:00Z'));
  const open = await checkSessions(old, tradingCalendar, NOW);
  expect([open.verdict, open.detail]).toEqual(['warn', expect.stringContaining('40 min old')]);
  const night = at('2026-07-09T01:00:00Z');
  expect((await checkSessions(old, tradingCalendar, night)).verdict).toBe('ok');
});

test('unreadable bars are a warning, which lets a run start', async () => {
  const client = {
    ...venueWith(sessions),
    history: () => Promise.reject(new NoAnswerError('a page of a proxy')),
  } as unknown as VenueClient;
  const { verdict, detail } = await checkSessions(client, tradingCalendar, NOW);
  expect([verdict, detail]).toEqual(['warn', expect.stringContaining('cannot be read (a page of a proxy)')]);
});

test('the sessions of the emulator equal those of the calendar', async () => {
  const emulated = await startEmulated(9_917);
  const { run } = accountOf(emulated, 'one-click');
  const { out } = await run(['doctor']);
  await emulated.close();
  const found = (JSON.parse(out) as { check: string }[]).find(({ check }) => check === 'sessions');
  expect(found).toMatchObject({ verdict: 'ok', detail: expect.stringContaining('now regular') as string });
});

test.each([
  ['2026-11-22T12:00:00Z', 'ok', 'until 2028-12-31 as the exchange published them on 2025-12-23'],
  ['2028-10-31T12:00:00Z', 'warn', 'which is long ago'],
  ['2028-11-15T12:00:00Z', 'warn', 'which ends in 46 days'],
  ['2029-01-02T12:00:00Z', 'warn', '2028-12-31 is past'],
])('at %s the check of known closures is %s', (time, verdict, text) => {
  const loaded = { config: { calendar: { overrides: [] } } } as unknown as LoadedConfig;
  const finding = checkCalendar(loaded, { ...systemClock, now: () => at(time) });
  expect([finding.verdict, finding.detail]).toEqual([verdict, expect.stringContaining(text)]);
});
