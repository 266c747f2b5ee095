import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tradingCalendar } from '../../src/calendar/index.ts';
import { ConfigError } from '../../src/core/errors.ts';
import type { Interval } from '../../src/domain/bar.ts';
import { columnsFrom } from '../../src/market/columns.ts';
import { CsvBars, describeGap, describeMissing } from '../../src/market/csvBars.ts';
import { runs } from '../runs.ts';

const HEADER = 'ts,open,high,low,close,volume';
const OPEN = Date.parse('2026-06-15T13:30:00Z');
const PRICES = '100,101,99,100.5,1000';

type Given = Readonly<{ interval?: Interval; chunk?: number }>;

function read(text: string, { interval = '1m', chunk = Infinity }: Given = {}) {
  const csv = new CsvBars({ file: 'x.csv', interval, calendar: tradingCalendar });
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += chunk) csv.push(bytes.slice(at, at + chunk));
  return csv.end();
}

const lines = (...rows: readonly string[]) => `${[HEADER, ...rows].join('\n')}\n`;
const at = (minute: number) => OPEN + minute * 60_000;

describe('a CSV of bars', () => {
  test('gives its columns', () => {
    const { columns, gaps } = read(
      lines(`${at(0)},100,101.25,99.0001,100.5,1000`, `${at(1)},1e2,101,99.5,100,0.5`),
    );
    expect(Object.entries(columns).map(([name, column]) => [name, [...column]])).toEqual([
      ['start', [at(0), at(1)]],
      ['open', [100, 100]],
      ['high', [101.25, 101]],
      ['low', [99.0001, 99.5]],
      ['close', [100.5, 100]],
      ['volume', [1000, 0.5]],
    ]);
    expect(gaps).toEqual([]);
  });

  test.each([
    ['milliseconds', String(OPEN)],
    ['seconds', String(OPEN / 1000)],
    ['ISO 8601', '2026-06-15T13:30:00Z'],
    ['ISO 8601 with an offset', '2026-06-15T09:30:00-04:00'],
  ])('may have times in %s', (_what, ts) => {
    expect(read(lines(`${ts},${PRICES}`)).columns.start[0]).toBe(OPEN);
  });

  test('reads each instant as JavaScript does, whatever its precision', () => {
    const minute = fc.nat(389);
    const endings = ['Z', ':00Z', ':00.000Z', ':00.0Z', '+00:00'];
    fc.assert(
      fc.property(
        minute,
        fc.constantFrom(...endings),
        fc.constantFrom('2026-06-15', '2026-07-31'),
        (at, ending, day) => {
          const start = Date.parse(`${day}T13:30:00Z`) + at * 60_000;
          const ts = `${new Date(start).toISOString().slice(0, 16)}${ending}`;
          expect(read(lines(`${ts},${PRICES}`)).columns.start[0]).toBe(start);
        },
      ),
      { numRuns: runs(200) },
    );
  });

  test.each([
    '2026-06-31T13:30:00Z',
    '2026-13-15T13:30:00Z',
    '2026-06-15T25:30:00Z',
    '2026-06-15T13:60:00Z',
    '2026-06-00T13:30:00Z',
  ])('refuses %s, which does not exist', (ts) => {
    expect(() =>
      read(lines(`${at(0)},${PRICES}`.replace(/^\d+/, '2026-06-12T13:30:00Z'), `${ts},${PRICES}`)),
    ).toThrow(/^x\.csv:3: ts is "/);
  });

  test('may have the last day of a month', () => {
    const days = ['2028-02-29', '2028-03-31', '2028-05-30'];
    const { columns } = read(lines(...days.map((day) => `${day},${PRICES}`)), { interval: '1d' });
    expect([...columns.start].map((at) => new Date(at).toISOString().slice(0, 10))).toEqual(days);
  });

  test.each(['2026-06-15', String(Date.parse('2026-06-15')), String(OPEN)])(
    'with %s gives the bar of that session',
    (ts) => {
      expect(read(lines(`${ts},${PRICES}`), { interval: '1d' }).columns.start[0]).toBe(OPEN);
    },
  );

  test.each([
    ['of its Monday', '2026-06-15', '2026-06-15T13:30:00.000Z'],
    ['of its Friday', '2026-06-26', '2026-06-22T13:30:00.000Z'],
    ['that is a holiday', '2025-09-01', '2025-09-02T13:30:00.000Z'],
    ['of a Friday that is a holiday', '2026-07-03', '2026-06-29T13:30:00.000Z'],
  ])('with a day %s gives the bar of its week', (_what, ts, expected) => {
    const { columns } = read(lines(`${ts},${PRICES}`), { interval: '1w' });
    expect([...columns.start].map((start) => new Date(start).toISOString())).toEqual([expected]);
  });

  test('gives every number as JavaScript parses it, however the file is cut into chunks', () => {
    const decimal = fc.tuple(fc.nat(999_999), fc.nat(999_999)).map(([whole, part]) => `${whole + 1}.${part}`);
    fc.assert(
      fc.property(
        fc.array(decimal, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 97 }),
        (texts, chunk) => {
          const rows = texts.map((text, index) => `${at(index)},${text},${text},${text},${text},${text}`);
          const { close, volume } = read(lines(...rows), { chunk }).columns;
          expect([...close]).toEqual(texts.map(Number));
          expect([...volume]).toEqual(texts.map(Number));
        },
      ),
      { numRuns: runs(50) },
    );
  });

  test('may have CR LF line ends, a byte order mark, and no final newline', () => {
    const { columns } = read(`\uFEFF${HEADER}\r\n${at(0)},${PRICES}\r\n${at(1)},${PRICES}`);
    expect(columns.start).toHaveLength(2);
  });

  test('is read in spite of gaps, which are reported', () => {
    const { gaps } = read(lines(`${at(0)},${PRICES}`, `${at(3)},${PRICES}`));
    expect(gaps.map(describeGap)).toEqual([
      'x.csv:3: 2 bars are missing between 2026-06-15T13:31:00Z and 2026-06-15T13:33:00Z',
    ]);
  });
});

test('a gap at the end of a session is reported at the next one', () => {
  const rows = Array.from({ length: 388 }, (_, index) => `${at(index)},${PRICES}`);
  const next = Date.parse('2026-06-16T13:30:00Z');
  const { gaps } = read(lines(...rows, `${next},${PRICES}`));
  expect(gaps.map(describeGap)).toEqual([
    'x.csv:390: 2 bars are missing between 2026-06-15T19:58:00Z and 2026-06-15T20:00:00Z',
  ]);
});

describe('sessions without bars', () => {
  const missing = (interval: Interval, ...times: readonly string[]) => {
    const { missingSessions } = read(lines(...times.map((time) => `${time},${PRICES}`)), { interval });
    return missingSessions && describeMissing(missingSessions);
  };

  test('are counted by the calendar for daily bars', () => {
    const days = ['2026-11-24', '2026-11-25', '2026-11-30', '2026-12-02', '2026-12-03'];
    // Thanksgiving is the 26th; the 27th closes early.
    expect(missing('1d', ...days)).toBe('x.csv:4: 2 sessions without bars, the first 2026-11-27');
    expect(missing('1d', ...days.slice(2, 4))).toBe('x.csv:3: 1 session without bars, 2026-12-01');
    expect(missing('1d', '2026-11-25', '2026-11-27', '2026-11-30')).toBeNull();
  });

  test('are counted for intraday bars', () => {
    const times = ['2026-06-15T15:55:00-04:00', '2026-06-17T09:30:00-04:00'];
    expect(missing('5m', ...times)).toBe('x.csv:3: 1 session without bars, 2026-06-16');
    expect(missing('5m', '2026-06-15T15:55:00-04:00', '2026-06-16T09:30:00-04:00')).toBeNull();
  });

  test('are not reported for weekly bars', () => {
    expect(missing('1w', '2026-06-15', '2026-06-29')).toBeNull();
  });
});

describe('an invalid CSV of bars', () => {
  test.each([
    ['an empty file', '', /^x\.csv: the file is empty/],
    ['a header alone', `${HEADER}\n`, /^x\.csv:1: no bar follows/],
    ['another header', 'time,open,high,low,close,volume\n', /^x\.csv:1: the header is "time,open/],
    ['too few fields', lines(`${at(0)},1,2`), /^x\.csv:2: 3 fields instead of 6/],
    [
      'text for a number',
      lines(`${at(0)},${PRICES}`, `${at(1)},100,abc,99,100,1`),
      /^x\.csv:3: high is "abc", which is not/,
    ],
    ['an empty number', lines(`${at(0)},100,101,99,,1`), /^x\.csv:2: close is "", which is not/],
    [
      'mixed units',
      lines(`${at(0)},${PRICES}`, `${at(1) / 1000},${PRICES}`),
      /^x\.csv:3: ts is in seconds, .* milliseconds/,
    ],
    [
      'a time without a zone',
      lines(`2026-06-15T09:30:00,${PRICES}`),
      /^x\.csv:2: ts is "2026-06-15T09:30:00": write/,
    ],
    [
      'rows out of order',
      lines(`${at(1)},${PRICES}`, `${at(0)},${PRICES}`),
      /^x\.csv:3: .* earlier than the bar before/,
    ],
    ['a row twice', lines(`${at(0)},${PRICES}`, `${at(0)},${PRICES}`), /^x\.csv:3: .* the same bar twice/],
    [
      'a bar at night',
      lines(`${at(-60)},${PRICES}`),
      /^x\.csv:2: .*12:30:00Z is wrong: outside the regular sessions/,
    ],
    [
      'a time in microseconds',
      lines(`${at(0)}000,${PRICES}`),
      /^x\.csv:2: the bar of 1781530200000000 is wrong: outside the years 2000 to 2050/,
    ],
    [
      'a time before the calendar begins',
      lines(`1999-12-31T15:00:00Z,${PRICES}`),
      /^x\.csv:2: .*1999.* outside the years 2000 to 2050/,
    ],
    [
      'a year of two digits, which is not expanded',
      lines(`0026-06-15T14:00:00Z,${PRICES}`),
      /^x\.csv:2: the bar of 0026-06-15T14:00:00Z is wrong: outside the years 2000 to 2050/,
    ],
    [
      'ISO times among epochs',
      lines(`${at(0)},${PRICES}`, `2026-06-15T13:31:00Z,${PRICES}`),
      /^x\.csv:3: ts is in ISO 8601, but in earlier lines in milliseconds/,
    ],
    ['a field too many', lines(`${at(0)},${PRICES},1`), /^x\.csv:2: 7 fields instead of 6/],
    ['a number too large', lines(`${at(0)},100,1e999,99,100,1`), /^x\.csv:2: high is "1e999", which is not/],
    ['a day without a session', lines(`2026-06-20T14:00:00Z,${PRICES}`), /^x\.csv:2: .* outside the regular/],
    [
      'an hour after an early close',
      lines(`2026-11-27T18:00:00Z,${PRICES}`),
      /^x\.csv:2: .* outside the regular/,
    ],
    ['a bar off its step', lines(`${at(0) + 1000},${PRICES}`), /^x\.csv:2: .* not a multiple of 1m/],
    ['a price of 0', lines(`${at(0)},0,101,0,100,1`), /^x\.csv:2: a price is not above 0/],
    ['a high below the close', lines(`${at(0)},100,100,99,101,1`), /^x\.csv:2: high and low do not enclose/],
    [
      'an impossibly large price',
      lines(`${at(0)},100,1e300,99,101,1`),
      /^x\.csv:2: a price is not below 10000000000000/,
    ],
    ['a negative volume', lines(`${at(0)},100,101,99,100,-1`), /^x\.csv:2: the volume is below 0/],
  ])('is refused: %s', (_what, text, message) => {
    expect(() => read(text)).toThrow(ConfigError);
    expect(() => read(text)).toThrow(message);
  });

  test.each(['2026-06-20', '1781530200000000'])(
    'is refused with a daily bar of %s, which has no session',
    (ts) => {
      expect(() => read(lines(`${ts},${PRICES}`), { interval: '1d' })).toThrow(/^x\.csv:2: .* outside the/);
    },
  );

  test.each(['2026-02-30', '2026-02-30T14:30:00Z', '2026-02-31T09:30:00-05:00', '2027-02-29', '2026-06-31'])(
    'is refused with a day that does not exist, as %s',
    (ts) => {
      expect(() => read(lines(`${ts},${PRICES}`), { interval: '1d' })).toThrow(
        `x.csv:2: ts is "${ts}": its month has no such day`,
      );
    },
  );

  test('is refused with a daily bar that does not start at the open', () => {
    expect(() => read(lines(`${at(1)},${PRICES}`), { interval: '1d' })).toThrow(
      /starts at the open of its session/,
    );
  });

  test.each([
    [
      'a second bar of a week',
      ['2026-06-15', '2026-06-17'],
      /^x\.csv:3: .*2026-06-15T13:30.* a second bar of its week/,
    ],
    [
      'a bar of midweek',
      ['2026-06-08T13:30:00Z', '2026-06-17T13:30:00Z'],
      /^x\.csv:3: .* of 1w starts at the open of its week, 2026-06-15T13:30:00Z/,
    ],
    ['a week out of order', ['2026-06-15', '2026-06-12'], /^x\.csv:3: .* earlier than the bar before/],
    [
      'a day outside the sessions',
      ['2026-06-15', '2026-06-20'],
      /^x\.csv:3: .* outside the regular sessions/,
    ],
  ])('is refused with %s, among weekly ones', (_what, days, message) => {
    const text = lines(...days.map((day) => `${day},${PRICES}`));
    expect(() => read(text, { interval: '1w' })).toThrow(message);
  });
});

describe('a column file', () => {
  test('has six columns of float64', () => {
    const bytes = new Uint8Array(Float64Array.from([OPEN, 1, 2, 3, 4, 5]).buffer);
    const valuesOf = (from: Uint8Array) => Object.values(columnsFrom(from, 'x.f64')).map(([value]) => value);
    expect(valuesOf(bytes)).toEqual([OPEN, 1, 2, 3, 4, 5]);
    const shifted = new Uint8Array(bytes.length + 1);
    shifted.set(bytes, 1);
    expect(valuesOf(shifted.subarray(1))).toEqual([OPEN, 1, 2, 3, 4, 5]);
  });

  test.each([
    [0, /the file is empty/],
    [47, /47 bytes do not make six float64 columns/],
  ])('of %i bytes is refused', (size, message) => {
    expect(() => columnsFrom(new Uint8Array(size), 'x.f64')).toThrow(message);
  });
});
