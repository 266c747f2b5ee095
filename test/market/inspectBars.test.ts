import { describe, expect, test } from 'vitest';
import { tradingCalendar } from '../../src/calendar/index.ts';
import { outsideHours } from '../../src/calendar/phaseHours.ts';
import type { Interval } from '../../src/domain/bar.ts';
import { inspectBars, splitFindings, type Finding } from '../../src/market/inspectBars.ts';
import type { StoredAction } from '../../src/market/manifest.ts';
import type { BarRow } from '../../src/market/mergeBars.ts';
import { columnsAsGiven, minutesOf, opensOf, row } from './columns.ts';

const inspect = (
  rows: readonly BarRow[],
  interval: Interval,
  actions: readonly StoredAction[] | null = null,
) => inspectBars(columnsAsGiven(rows), { interval, calendar: tradingCalendar, actions });
const source = { kind: 'venue', name: 'v' } as const;
const told = (findings: readonly Finding[]) =>
  findings.map(
    ({ severity, kind, at, what }) =>
      `${severity} ${kind} ${new Date(at).toISOString().slice(0, 16)} ${what}`,
  );

const DAYS = opensOf('2026-06-22', '2026-07-08');
const days = (change: (price: number, index: number) => Partial<BarRow> = () => ({})) =>
  DAYS.map((at, index) => row(at, 100, change(100, index)));
/** The half session of the day after Thanksgiving, between whole ones. */
const MINUTES = minutesOf('2026-11-25', '2026-11-30');

test('inspection finds nothing in sound bars, over a weekend, a holiday and an early close', () => {
  expect(inspect(days(), '1d')).toEqual([]);
  expect(
    inspect(
      MINUTES.map((at) => row(at)),
      '1m',
    ),
  ).toEqual([]);
  const weeks = ['2026-06-22', '2026-06-29', '2026-07-06'].map((date) => opensOf(date, date)[0] ?? NaN);
  expect(
    inspect(
      weeks.map((at) => row(at)),
      '1w',
    ),
  ).toEqual([]);
});

describe('inspection of bars', () => {
  const off = (more: Partial<BarRow>) => days((_price, index) => (index === 2 ? more : {}));

  test.each<[string, BarRow[], Interval, string[]]>([
    [
      'a duplicate bar',
      [row(DAYS[0] ?? 0), row(DAYS[0] ?? 0)],
      '1d',
      ['error duplicate 2026-06-22T13:30 there are two bars with this start'],
    ],
    [
      'bars out of order',
      [row(DAYS[1] ?? 0), row(DAYS[0] ?? 0)],
      '1d',
      ['error order 2026-06-22T13:30 it comes after the bar of 2026-06-23T13:30:00Z'],
    ],
    [
      'a bar at night',
      [row((DAYS[0] ?? 0) - 3_600_000)],
      '1m',
      ['error outside 2026-06-22T12:30 it is outside the regular sessions'],
    ],
    [
      'a bar off its step',
      [row((DAYS[0] ?? 0) + 60_000)],
      '5m',
      ['error step 2026-06-22T13:31 it does not start on a step of 5m from the open, 2026-06-22T13:30:00Z'],
    ],
    [
      'a price of 0',
      off({ low: 0 }),
      '1d',
      ['error price 2026-06-24T13:30 a price is not a number above 0: open 100, high 101, low 0, close 100'],
    ],
    [
      'a price that is not a number',
      off({ close: NaN }),
      '1d',
      ['error price 2026-06-24T13:30 a price is not a number above 0: open 100, high 101, low 99, close NaN'],
    ],
    [
      'a high below the close',
      off({ high: 99.5 }),
      '1d',
      [
        'error range 2026-06-24T13:30 high and low do not enclose open and close: open 100, high 99.5, low 99, close 100',
      ],
    ],
    ['a volume below 0', off({ volume: -1 }), '1d', ['error volume 2026-06-24T13:30 the volume is -1']],
    [
      'an outlier price within its bar',
      off({ high: 1000 }),
      '1d',
      [
        'error absurd 2026-06-24T13:30 a price is more than 2 times higher or lower than the others: open 100, high 1000, low 99, close 100',
      ],
    ],
    [
      'an outlier bar',
      off({ open: 10, high: 11, low: 9, close: 10 }),
      '1d',
      ['error absurd 2026-06-24T13:30 the price goes from 100 to 10, and back with the next bar'],
    ],
    [
      'missing sessions',
      days().filter((_row, index) => index !== 3 && index !== 9),
      '1d',
      [
        'error session 2026-06-25T13:30 the whole session is missing',
        'error session 2026-07-06T13:30 the whole session is missing',
      ],
    ],
    [
      'a week that begins in its middle',
      ['2026-06-22', '2026-06-24'].map((date) => row(opensOf(date, date)[0] ?? NaN)),
      '1w',
      ['error step 2026-06-24T13:30 it does not start at the open of its week, 2026-06-22T13:30:00Z'],
    ],
    [
      'a missing week',
      ['2026-06-22', '2026-07-06'].map((date) => row(opensOf(date, date)[0] ?? NaN)),
      '1w',
      ['error session 2026-06-29T13:30 a week or more is missing'],
    ],
  ])('finds %s', (...[, rows, interval, expected]) => {
    expect(told(inspect(rows, interval))).toEqual(expected);
  });

  test('finds missing minutes, also before and after an early close', () => {
    const close = MINUTES.findIndex((at) => at === Date.parse('2026-11-27T17:59:00Z'));
    const holes = new Set([5, 6, close, close + 1, close + 2]);
    expect(
      told(
        inspect(
          MINUTES.filter((_at, index) => !holes.has(index)).map((at) => row(at)),
          '1m',
        ),
      ),
    ).toEqual([
      'warning gap 2026-11-25T14:35 2 bars are missing up to 2026-11-25T14:37:00Z',
      'warning gap 2026-11-27T17:59 1 bar is missing up to 2026-11-27T18:00:00Z',
      'warning gap 2026-11-30T14:30 2 bars are missing up to 2026-11-30T14:32:00Z',
    ]);
  });
});

describe('inspection for splits', () => {
  const split = {
    type: 'forward_split',
    exDate: '2026-06-25',
    oldRate: '1',
    newRate: '4',
    cashPerShare: null,
    source,
  };
  const fallen = DAYS.map((at, index) => row(at, index < 3 ? 100 : 25.5));

  test('finds a jump like that of a split that is not stored, and nothing once it is', () => {
    expect(told(inspect(fallen, '1d'))).toEqual([
      'error split 2026-06-25T13:30 the price goes from 100 to 25.5, as by a split 4 for 1, but none is known',
    ]);
    expect(inspect(fallen, '1d', [split])).toEqual([]);
  });

  const payment = { ...split, type: 'cash_dividend', oldRate: null, newRate: null };
  const opensAt = (to: number) => DAYS.map((at, index) => row(at, index < 3 ? 100 : to));

  test.each([
    ['of more than the price', '1000', { to: 100, actions: [] }],
    ['of a third of the price, which stays', '33', { to: 100, actions: [] }],
    ['of a third of the price, which stays beside a split', '33', { to: 25.5, actions: [split] }],
  ])('finds a payment that the prices do not show: %s', (_, cashPerShare, { to, actions }) => {
    expect(told(inspect(opensAt(to), '1d', [{ ...payment, cashPerShare }, ...actions]))).toEqual([
      `error split 2026-06-25T13:30 a payment of ${cashPerShare} a share is known of 2026-06-25, but the price goes from 100 to ${to}`,
    ]);
  });

  test.each([
    ['that the price falls by', '33', { to: 68, actions: [] }],
    ['of a small part of the price', '20', { to: 100, actions: [] }],
    ['that the price falls by beside a split', '40', { to: 15.2, actions: [split] }],
  ])('finds nothing about a payment %s', (_, cashPerShare, { to, actions }) => {
    const paid = { ...payment, type: 'spin_off', cashPerShare };
    expect(told(inspect(opensAt(to), '1d', [paid, ...actions]))).toEqual([]);
  });

  test('finds a stored split that the prices do not show', () => {
    expect(told(inspect(days(), '1d', [split]))).toEqual([
      'error split 2026-06-25T13:30 a split 4 for 1 is known of 2026-06-25, but the price stays at 100',
    ]);
    expect(
      inspect(days(), '1d', [{ ...split, type: 'cash_dividend', oldRate: null, newRate: null }]),
    ).toEqual([]);
  });

  const spinOff = { ...split, type: 'spin_off', oldRate: null, newRate: null, cashPerShare: '2' };
  const jump = 'error split 2026-06-25T13:30 the price goes from 100 to';

  test.each([
    [
      'a spin-off',
      [spinOff],
      25.5,
      'as by a split 4 for 1 beside the spin off of 2026-06-25, but none is known',
    ],
    [
      'a dividend',
      [{ ...spinOff, type: 'cash_dividend', cashPerShare: '0.5' }],
      25.5,
      'as by a split 4 for 1 beside the cash dividend of 2026-06-25, but none is known',
    ],
    [
      'a split of another rate',
      [{ ...split, newRate: '2' }],
      25.5,
      'as by a split 2 for 1 beside the forward split of 2026-06-25, but none is known',
    ],
    ['a split the other way', [split], 410, 'which the forward split of 2026-06-25 does not explain'],
    [
      'an action without amounts',
      [{ ...spinOff, cashPerShare: null }],
      25.5,
      'as by a split 4 for 1 beside the spin off of 2026-06-25, but none is known',
    ],
  ] as const)('finds a missing split in spite of %s on the same day', (...[, actions, price, says]) => {
    const rows = DAYS.map((at, index) => row(at, index < 3 ? 100 : price));
    expect(told(inspect(rows, '1d', actions))).toEqual([`${jump} ${price}, ${says}`]);
  });

  test('accepts a jump that a payment of the day explains, with or without a split', () => {
    const halved = DAYS.map((at, index) => row(at, index < 3 ? 100 : 50));
    expect(inspect(halved, '1d', [{ ...spinOff, cashPerShare: '48' }])).toEqual([]);
    const both = DAYS.map((at, index) => row(at, index < 3 ? 100 : 13));
    expect(inspect(both, '1d', [split, { ...spinOff, cashPerShare: '48' }])).toEqual([]);
    expect(inspect(both, '1d', [split, { ...spinOff, cashPerShare: '12' }])).toEqual([]);
  });

  test('gives the same findings without the other checks', () => {
    const splitsOf = (rows: readonly BarRow[], actions: readonly StoredAction[]) =>
      splitFindings(columnsAsGiven(rows), { interval: '1d', calendar: tradingCalendar, actions });
    expect(splitsOf(fallen, [])).toEqual(inspect(fallen, '1d'));
    expect(splitsOf(fallen, [split])).toEqual([]);
    expect(splitsOf(days(), [split])).toEqual(inspect(days(), '1d', [split]));
    const odd = days((_price, index) => (index === 2 ? { open: 0, close: 0, start: NaN } : {}));
    expect(splitsOf(odd, [{ ...split, exDate: 'soon' }])).toEqual([]);
    const empty = days((_price, index) => (index === 2 ? { open: 0, close: 0 } : {}));
    expect(splitsOf(empty, [])).toEqual([]);
    const other = DAYS.map((at, index) => row(at, index < 3 ? 100 : 56));
    expect(splitsOf(other, [])).toEqual([]);
  });

  test('warns of a jump of another size', () => {
    const rows = DAYS.map((at, index) => row(at, index < 3 ? 100 : 56));
    expect(told(inspect(rows, '1d'))).toEqual([
      'warning jump 2026-06-25T13:30 the price goes from 100 to 56',
    ]);
  });
});

describe('inspection of bars outside the sessions', () => {
  const outside = outsideHours(tradingCalendar);
  const at = (date: string, time: string) => tradingCalendar.newYorkTime(date, time);
  const night = (rows: readonly BarRow[], actions: readonly StoredAction[] | null = null) =>
    told(inspectBars(columnsAsGiven(rows), { interval: '5m', calendar: outside, actions }));

  test('finds nothing where bars, phases and whole days are missing', () => {
    const times = [
      at('2026-06-21', '20:05'),
      at('2026-06-22', '09:25'),
      at('2026-06-22', '16:00'),
      at('2026-06-25', '03:55'),
    ];
    expect(night(times.map((time) => row(time)))).toEqual([]);
  });

  test('finds faulty bars, and bars of the session or the weekend among them', () => {
    expect(
      night([
        row(at('2026-06-22', '04:02')),
        row(at('2026-06-22', '09:30')),
        row(at('2026-06-22', '16:00'), 100, { low: 0 }),
        row(at('2026-06-22', '16:10'), 100, { high: 300 }),
        row(at('2026-06-27', '12:00')),
      ]),
    ).toEqual([
      'error step 2026-06-22T08:02 it does not start on a step of 5m from the open, 2026-06-22T08:00:00Z',
      'error outside 2026-06-22T13:30 it is of a regular session, and the others are not',
      expect.stringMatching(/^error price /),
      expect.stringMatching(/^error absurd /),
      'error outside 2026-06-27T16:00 it is outside the regular sessions and all other phases',
    ]);
  });

  test.each([
    ['summer', '2026-06-23', '2026-06-22'],
    ['winter', '2026-12-15', '2026-12-14'],
  ])('a split takes effect at 20:00 of the evening before its ex-date in %s', (_season, exDate, eve) => {
    const action: StoredAction = {
      type: 'forward_split',
      exDate,
      oldRate: '1',
      newRate: '4',
      cashPerShare: null,
      source,
    };
    const [post, evening, morning] = [at(eve, '19:55'), at(eve, '20:00'), at(exDate, '04:00')];
    const seen = [row(post, 400), row(evening, 100), row(morning, 100)];
    expect(night(seen, [action])).toEqual([]);
    expect(night(seen, [])).toEqual([
      expect.stringMatching(/^error split .* as by a split 4 for 1, but none is known/),
    ]);
    const unseen = [row(post, 100), row(evening, 100), row(morning, 100)];
    expect(night(unseen, [action])).toEqual([
      `error split ${new Date(evening).toISOString().slice(0, 16)} a split 4 for 1 is known of ${exDate}, but the price stays at 100`,
    ]);
  });
});
