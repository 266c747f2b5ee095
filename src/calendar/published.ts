import type { Dated } from './rules.ts';

/**
 * Closures and early closes as the exchange itself has published them, in place of the rules for these years.
 *
 * Source: NYSE Group (Intercontinental Exchange), "NYSE Group Announces 2026, 2027 and 2028 Holiday and Early Closings
 * Calendar", press release of 2025-12-23, for the New York Stock Exchange's cash equity market; its release of 2024-11-08 says the
 * same of 2026 and 2027. Early closes are at 13:00 New York. The release gives no day off for New Year's Day 2028, a Saturday.
 */
export const publishedOn = '2025-12-23';

/** Last day of what the exchange has published. */
export const publishedUntil = '2028-12-31';

type PublishedYear = Readonly<{ closed: Dated; early: Dated }>;

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

/** Closures that the exchange has published for a year; undefined where it has published none (yet). */
export const publishedYear = (year: number): PublishedYear | undefined => years.get(year);
