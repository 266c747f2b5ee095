import { DAY_MS } from '../core/brand.ts';
import { dateOf, dayOf, weekdayOf, type Day } from './zone.ts';

/**
 * The published holidays and early closes of the New York Stock Exchange as rules, for 2000 to 2051. Checked against
 * the exchange's list of closings since 1885 and its yearly announcements, the last one for 2026 to 2028.
 */
type NamedDates = ReadonlyMap<string, string>;

/** Names of the holidays by date, `YYYY-MM-DD`, without weekends. */
export function holidaysOf(year: number): NamedDates {
  return named([
    [newYearsDay(year), "New Year's Day"],
    [mondayFrom(dayOf(year, 1, 15)), 'Martin Luther King Jr. Day'],
    [mondayFrom(dayOf(year, 2, 15)), "Washington's Birthday"],
    [easterOf(year) - 2 * DAY_MS, 'Good Friday'],
    [mondayFrom(dayOf(year, 5, 25)), 'Memorial Day'],
    [year < JUNETEENTH_SINCE ? null : observed(dayOf(year, 6, 19)), 'Juneteenth'],
    [observed(dayOf(year, 7, 4)), 'Independence Day'],
    [mondayFrom(dayOf(year, 9, 1)), 'Labor Day'],
    [thanksgivingOf(year), 'Thanksgiving'],
    [observed(dayOf(year, 12, 25)), 'Christmas'],
  ]);
}

/** Sessions that end at 13:00: reasons by date. */
export function earlyClosesOf(year: number): NamedDates {
  return named([
    [besideIndependenceDay(year), 'beside Independence Day'],
    [thanksgivingOf(year) + DAY_MS, 'day after Thanksgiving'],
    [mondayToThursday(dayOf(year, 12, 24)), 'Christmas Eve'],
  ]);
}

const JUNETEENTH_SINCE = 2022;
const [MONDAY, WEDNESDAY, THURSDAY, SATURDAY, SUNDAY] = [0, 2, 3, 5, 6];

const named = (days: readonly (readonly [day: Day | null, name: string])[]): NamedDates =>
  new Map(days.flatMap(([day, name]) => (day === null ? [] : [[dateOf(day), name] as const])));

const weekdayFrom = (day: Day, weekday: number): Day => day + ((weekday - weekdayOf(day) + 7) % 7) * DAY_MS;
const mondayFrom = (day: Day): Day => weekdayFrom(day, MONDAY);
const thanksgivingOf = (year: number): Day => weekdayFrom(dayOf(year, 11, 22), THURSDAY);
const mondayToThursday = (day: Day): Day | null => (weekdayOf(day) <= THURSDAY ? day : null);

/** Day on which a holiday is observed: Friday for a Saturday, Monday for a Sunday. */
function observed(day: Day): Day {
  if (weekdayOf(day) === SATURDAY) return day - DAY_MS;
  return weekdayOf(day) === SUNDAY ? day + DAY_MS : day;
}

/** New Year's Day. On a Saturday it is not observed: the Friday before ends a financial year and is a session. */
function newYearsDay(year: number): Day | null {
  const day = dayOf(year, 1, 1);
  return weekdayOf(day) === SATURDAY ? null : observed(day);
}

const FRIDAY_AFTER_THE_FOURTH_UNTIL = 2012;

/**
 * Early close before Independence Day: July 3 if it is a Monday to Thursday. Until 2012, a holiday on a Thursday had
 * its short day after it, on Friday July 5, and none before.
 */
function besideIndependenceDay(year: number): Day | null {
  const eve = dayOf(year, 7, 3);
  const after = weekdayOf(eve) === WEDNESDAY && year <= FRIDAY_AFTER_THE_FOURTH_UNTIL;
  return after ? dayOf(year, 7, 5) : mondayToThursday(eve);
}

/** Easter Sunday by Gauss's algorithm, with the constants for 1900 to 2099 and its two exceptions (2049 is one). */
function easterOf(year: number): Day {
  const moon = (19 * (year % 19) + 24) % 30;
  const sunday = (2 * (year % 4) + 4 * (year % 7) + 6 * moon + 5) % 7;
  const late = sunday === 6 && (moon === 29 || (moon === 28 && year % 19 > 10));
  return dayOf(year, 3, 22 + moon + sunday - (late ? 7 : 0));
}

/** Session that the rules get wrong. Times are New York, `HH:MM`; a missing time is that of the rules. */
export type CalendarException = Readonly<{ date: string; reason: string }> &
  (Readonly<{ closed: true }> | Readonly<{ closed?: false; open?: string; close?: string }>);

/**
 * Day on which this table was last checked: later closures and irregular hours are not known. Update it when adding a
 * row, or after finding none to add.
 */
export const exceptionsAsOf = '2026-07-21';

const WORLD_TRADE_CENTER = 'attack on the World Trade Center';
const SANDY = 'Hurricane Sandy';

/**
 * Exceptions since 2000, from the exchange's own list of special closings and, after 2011, its notices. Excludes pauses
 * within a session (such as 2015-07-08, 11:32 to 15:10) and 2009-07-02, when orders left over from the close at 16:00
 * were executed until 16:15.
 */
export const exceptions: readonly CalendarException[] = [
  { date: '2001-09-11', reason: WORLD_TRADE_CENTER, closed: true },
  { date: '2001-09-12', reason: WORLD_TRADE_CENTER, closed: true },
  { date: '2001-09-13', reason: WORLD_TRADE_CENTER, closed: true },
  { date: '2001-09-14', reason: WORLD_TRADE_CENTER, closed: true },
  { date: '2001-09-17', reason: 'silence for the dead of September 11', open: '09:33' },
  { date: '2001-10-08', reason: 'silence for the troops in Afghanistan', open: '09:31' },
  { date: '2002-09-11', reason: 'first anniversary of September 11', open: '12:00' },
  { date: '2003-03-20', reason: 'silence for the troops in Iraq', open: '09:32' },
  { date: '2003-12-26', reason: 'Friday after Christmas', close: '13:00' },
  { date: '2004-06-07', reason: 'silence for President Reagan', open: '09:32' },
  { date: '2004-06-11', reason: 'mourning for President Reagan', closed: true },
  { date: '2005-06-01', reason: 'failure of the communication system', close: '15:56' },
  { date: '2006-12-27', reason: 'silence for President Ford', open: '09:32' },
  { date: '2007-01-02', reason: 'mourning for President Ford', closed: true },
  { date: '2012-10-29', reason: SANDY, closed: true },
  { date: '2012-10-30', reason: SANDY, closed: true },
  { date: '2018-12-05', reason: 'mourning for President George H. W. Bush', closed: true },
  { date: '2025-01-09', reason: 'mourning for President Carter', closed: true },
];

/**
 * Closures and early closes published by the exchange, which replace the rules for these years.
 *
 * Source: NYSE Group (Intercontinental Exchange), "NYSE Group Announces 2026, 2027 and 2028 Holiday and Early Closings
 * Calendar", press release of 2025-12-23, for the New York Stock Exchange's cash equity market; that of 2024-11-08
 * agrees on 2026 and 2027. Early closes are at 13:00 New York. New Year's Day 2028, a Saturday, is not listed.
 */
export const publishedOn = '2025-12-23';

/** Last day that the published closures cover. */
export const publishedUntil = '2028-12-31';

type PublishedYear = Readonly<{ closed: NamedDates; early: NamedDates }>;

const BLACK_FRIDAY = 'day after Thanksgiving';

const years: ReadonlyMap<number, PublishedYear> = new Map([
  [
    2026,
    {
      closed: new Map([
        ['2026-01-01', "New Year's Day"],
        ['2026-01-19', 'Martin Luther King Jr. Day'],
        ['2026-02-16', "Washington's Birthday"],
        ['2026-04-03', 'Good Friday'],
        ['2026-05-25', 'Memorial Day'],
        ['2026-06-19', 'Juneteenth'],
        ['2026-07-03', 'Independence Day'],
        ['2026-09-07', 'Labor Day'],
        ['2026-11-26', 'Thanksgiving'],
        ['2026-12-25', 'Christmas'],
      ]),
      early: new Map([
        ['2026-11-27', BLACK_FRIDAY],
        ['2026-12-24', 'Christmas Eve'],
      ]),
    },
  ],
  [
    2027,
    {
      closed: new Map([
        ['2027-01-01', "New Year's Day"],
        ['2027-01-18', 'Martin Luther King Jr. Day'],
        ['2027-02-15', "Washington's Birthday"],
        ['2027-03-26', 'Good Friday'],
        ['2027-05-31', 'Memorial Day'],
        ['2027-06-18', 'Juneteenth'],
        ['2027-07-05', 'Independence Day'],
        ['2027-09-06', 'Labor Day'],
        ['2027-11-25', 'Thanksgiving'],
        ['2027-12-24', 'Christmas'],
      ]),
      early: new Map([['2027-11-26', BLACK_FRIDAY]]),
    },
  ],
  [
    2028,
    {
      closed: new Map([
        ['2028-01-17', 'Martin Luther King Jr. Day'],
        ['2028-02-21', "Washington's Birthday"],
        ['2028-04-14', 'Good Friday'],
        ['2028-05-29', 'Memorial Day'],
        ['2028-06-19', 'Juneteenth'],
        ['2028-07-04', 'Independence Day'],
        ['2028-09-04', 'Labor Day'],
        ['2028-11-23', 'Thanksgiving'],
        ['2028-12-25', 'Christmas'],
      ]),
      early: new Map([
        ['2028-07-03', 'beside Independence Day'],
        ['2028-11-24', BLACK_FRIDAY],
      ]),
    },
  ],
]);

/** Closures that the exchange has published for a year; undefined if there are none yet. */
export const publishedYear = (year: number): PublishedYear | undefined => years.get(year);
