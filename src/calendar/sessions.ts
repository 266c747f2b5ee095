import type { EpochMs } from '../core/brand.ts';
import { InvalidValueError } from '../core/errors.ts';
import { DAY_MS, dateOf, dayOf, parseDay, weekdayOf, yearOfDay, type Day } from './days.ts';
import type { CalendarException } from './exceptions.ts';
import { earlyClosesOf, holidaysOf } from './rules.ts';
import { newYorkTime, parseTime } from './zone.ts';

/** `date` is the trading date, `YYYY-MM-DD`. `early`: it closes before 16:00 New York. */
export type Session = Readonly<{ date: string; open: EpochMs; close: EpochMs; early: boolean }>;

export type Exceptions = ReadonlyMap<string, CalendarException>;

type Hours = Readonly<{ open: string; close: string }>;

const OPEN = '09:30';
const CLOSE = '16:00';
const EARLY_CLOSE = '13:00';
const FRIDAY = 4;

/** The regular sessions of a year, in order. */
export function sessionsOf(year: number, exceptions: Exceptions): Session[] {
  const hoursOn = scheduleOf(year);
  const sessions: Session[] = [];
  for (let day = dayOf(year, 1, 1); day < dayOf(year + 1, 1, 1); day += DAY_MS) {
    const date = dateOf(day);
    const scheduled = hoursOn(day);
    const hours = scheduled && excepted(scheduled, exceptions.get(date));
    if (hours) sessions.push(toSession(date, hours));
  }
  return sessions;
}

/** What the rules alone say of a day in the year: its hours, or null where nothing trades. */
function scheduleOf(year: number): (day: Day) => Hours | null {
  const holidays = holidaysOf(year);
  const early = earlyClosesOf(year);
  return (day) => {
    const date = dateOf(day);
    if (weekdayOf(day) > FRIDAY || holidays.has(date)) return null;
    return { open: OPEN, close: early.has(date) ? EARLY_CLOSE : CLOSE };
  };
}

function excepted(scheduled: Hours, exception: CalendarException | undefined): Hours | null {
  if (!exception) return scheduled;
  if (exception.closed) return null;
  return { open: exception.open ?? scheduled.open, close: exception.close ?? scheduled.close };
}

const toSession = (date: string, { open, close }: Hours): Session => ({
  date,
  open: newYorkTime(date, open),
  close: newYorkTime(date, close),
  early: close < CLOSE,
});

const FIRST_OPEN = '04:01';
const LAST_CLOSE = '19:59';

/**
 * @returns the exceptions by date; of two for one date the later in the list counts
 * @throws {InvalidValueError} for a malformed date or time, for a date on which the rules have no session, and for
 * hours that do not leave a pre and a post session around them
 */
export function indexExceptions(list: readonly CalendarException[]): Exceptions {
  for (const exception of list) {
    const day = parseDay(exception.date);
    const scheduled = scheduleOf(yearOfDay(day))(day);
    if (!scheduled)
      throw new InvalidValueError(`${exception.date} has no session, so nothing to change on that day`);
    const hours = excepted(scheduled, exception);
    if (hours) checkHours(exception.date, hours);
  }
  return new Map(list.map((exception) => [exception.date, exception]));
}

function checkHours(date: string, { open, close }: Hours): void {
  parseTime(open);
  parseTime(close);
  if (open < FIRST_OPEN || close <= open || close > LAST_CLOSE)
    throw new InvalidValueError(`${date} cannot trade from ${open} to ${close} in New York`);
}
