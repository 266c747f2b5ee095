import { describe, expect, test } from 'vitest';
import { tradingCalendar } from '../../../src/calendar/index.ts';
import { toIso } from '../../../src/core/brand.ts';
import { ConfigError } from '../../../src/core/errors.ts';
import { Secrets } from '../../../src/core/secrets.ts';
import { calendarOf } from '../../../src/app/config/fields.ts';
import { parseConfig } from '../../../src/app/config/load.ts';

const configWith = (overrides: string) =>
  parseConfig(
    `mode: emulator
calendar: { overrides: [${overrides}] }
strategies: [{ id: one, use: dca, capital: 1000, params: { symbol: SPY, notional: 5 } }]
`,
    { file: 'my.yaml', cwd: '/home/me', secrets: new Secrets() },
  );

const daysWith = (overrides: string) =>
  calendarOf(configWith(overrides).config)
    .sessions('2026-06-15', '2026-06-17')
    .map(({ date, open, close, early }) => `${date} ${toIso(open)} ${toIso(close)}${early ? ' early' : ''}`);

describe('calendar.overrides', () => {
  test('without rows leaves the calendar unchanged', () =>
    expect(calendarOf(configWith('').config)).toBe(tradingCalendar));

  test('with a closure removes the session', () =>
    expect(daysWith('{ date: 2026-06-16, closed: true, reason: mourning }')).toEqual([
      '2026-06-15 2026-06-15T13:30:00Z 2026-06-15T20:00:00Z',
      '2026-06-17 2026-06-17T13:30:00Z 2026-06-17T20:00:00Z',
    ]));

  test("with an early close and a late open moves the session's ends", () =>
    expect(daysWith('{ date: 2026-06-16, close: "13:00" }, { date: 2026-06-17, open: "10:30" }')).toEqual([
      '2026-06-15 2026-06-15T13:30:00Z 2026-06-15T20:00:00Z',
      '2026-06-16 2026-06-16T13:30:00Z 2026-06-16T17:00:00Z early',
      '2026-06-17 2026-06-17T14:30:00Z 2026-06-17T20:00:00Z',
    ]));

  test('refuses an invalid day or hour with its place', () => {
    expect(() => configWith('{ date: 2026-02-30, closed: true }')).toThrow(ConfigError);
    expect(() => configWith('{ date: 2026-06-16, close: "25:00" }')).toThrow(/my\.yaml:2/);
  });

  test.each([
    ['a Sunday', '{ date: 2026-06-14, close: "13:00" }', 'overrides[0]: 2026-06-14 has no session'],
    ['a holiday', '{ date: 2026-07-03, close: "13:00" }', 'overrides[0]: 2026-07-03 has no session'],
    ['a close before the open', '{ date: 2026-06-16, close: "09:00" }', 'cannot trade from 09:30 to 09:00'],
    [
      'a day listed twice',
      '{ date: 2026-06-16, close: "13:00" }, { date: 2026-06-16, closed: true }',
      'overrides[1]: names 2026-06-16 twice',
    ],
  ])('refuses %s with its place', (_name, rows, text) => {
    expect(() => configWith(rows)).toThrow(text);
    expect(() => configWith(rows)).toThrow(/my\.yaml:2/);
  });
});
