import { DAY_MS, dateOf, dayOf, weekdayOf, type Day } from './days.ts';

/**
 * The published holidays and early closes of the New York Stock Exchange as rules, for 2000 to 2051. Checked against
 * the exchange's list of closings since 1885 and its yearly announcements, the last one for 2026 to 2028.
 */
export type Dated = ReadonlyMap<string, string>;

/** Names by date, `YYYY-MM-DD`. Weekends are not among them. */
export function holidaysOf(year: number): Dated {
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
export function earlyClosesOf(year: number): Dated {
  return named([
    [besideIndependenceDay(year), 'beside Independence Day'],
    [thanksgivingOf(year) + DAY_MS, 'day after Thanksgiving'],
    [mondayToThursday(dayOf(year, 12, 24)), 'Christmas Eve'],
  ]);
}

const JUNETEENTH_SINCE = 2022;
const [MONDAY, WEDNESDAY, THURSDAY, SATURDAY, SUNDAY] = [0, 2, 3, 5, 6];

const named = (days: readonly (readonly [day: Day | null, name: string])[]): Dated =>
  new Map(days.flatMap(([day, name]) => (day === null ? [] : [[dateOf(day), name] as const])));

const weekdayFrom = (day: Day, weekday: number): Day => day + ((weekday - weekdayOf(day) + 7) % 7) * DAY_MS;
const mondayFrom = (day: Day): Day => weekdayFrom(day, MONDAY);
const thanksgivingOf = (year: number): Day => weekdayFrom(dayOf(year, 11, 22), THURSDAY);
const mondayToThursday = (day: Day): Day | null => (weekdayOf(day) <= THURSDAY ? day : null);

/** A holiday on Saturday is kept on Friday, one on Sunday on Monday. */
function observed(day: Day): Day {
  if (weekdayOf(day) === SATURDAY) return day - DAY_MS;
  return weekdayOf(day) === SUNDAY ? day + DAY_MS : day;
}

/** On Saturday it is not kept at all: the Friday before ends a year of accounts, and the exchange trades. */
function newYearsDay(year: number): Day | null {
  const day = dayOf(year, 1, 1);
  return weekdayOf(day) === SATURDAY ? null : observed(day);
}

const FRIDAY_AFTER_THE_FOURTH_UNTIL = 2012;

/**
 * July 3 where it is a Monday to Thursday. Until 2012 a holiday on Thursday had its short day after it, on Friday
 * July 5, and none before.
 */
function besideIndependenceDay(year: number): Day | null {
  const eve = dayOf(year, 7, 3);
  const after = weekdayOf(eve) === WEDNESDAY && year <= FRIDAY_AFTER_THE_FOURTH_UNTIL;
  return after ? dayOf(year, 7, 5) : mondayToThursday(eve);
}

/** Easter Sunday by Gauss, with his numbers for 1900 to 2099 and his two exceptions (2049 is one). */
function easterOf(year: number): Day {
  const moon = (19 * (year % 19) + 24) % 30;
  const sunday = (2 * (year % 4) + 4 * (year % 7) + 6 * moon + 5) % 7;
  const late = sunday === 6 && (moon === 29 || (moon === 28 && year % 19 > 10));
  return dayOf(year, 3, 22 + moon + sunday - (late ? 7 : 0));
}
