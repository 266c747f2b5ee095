import { DAY_MS, type EpochMs } from '../core/brand.ts';
import { InvalidValueError } from '../core/errors.ts';
import { dateOf, dayOf, parseDay, weekdayOf, yearOfDay, type Day, instantAt, parseTime } from './zone.ts';
import { type CalendarException, publishedYear, earlyClosesOf, holidaysOf } from './rules.ts';

/** Regular session. `date`: trading date, `YYYY-MM-DD`. `early`: closes before 16:00 New York. */
export type Session = Readonly<{ date: string; open: EpochMs; close: EpochMs; early: boolean }>;

export type Exceptions = ReadonlyMap<string, CalendarException>;

type Hours = Readonly<{ open: string; close: string }>;

const CLOSE = '16:00';
const WHOLE_DAY: Hours = { open: '09:30', close: CLOSE };
const SHORT_DAY: Hours = { open: '09:30', close: '13:00' };
const FRIDAY = 4;

/** Regular sessions of a year, in order. Frozen, because strategies receive them and the whole process shares them. */
export function sessionsOf(year: number, exceptions: Exceptions): Session[] {
  const hoursOn = scheduleOf(year);
  const sessions: Session[] = [];
  for (let day = dayOf(year, 1, 1); day < dayOf(year + 1, 1, 1); day += DAY_MS) {
    if (weekdayOf(day) > FRIDAY) continue;
    const date = dateOf(day);
    const scheduled = hoursOn(date);
    const hours = scheduled && excepted(scheduled, exceptions.get(date));
    if (hours) sessions.push(Object.freeze({ date, ...instantsOf(day, hours) }));
  }
  return sessions;
}

/** Returns the hours of a weekday, null if nothing trades: as published or, for other years, by the rules. */
function scheduleOf(year: number): (date: string) => Hours | null {
  const { closed, early } = publishedYear(year) ?? { closed: holidaysOf(year), early: earlyClosesOf(year) };
  return (date) => {
    if (closed.has(date)) return null;
    return early.has(date) ? SHORT_DAY : WHOLE_DAY;
  };
}

/** Reason why a day has no session; undefined for a weekend, and for a day with a session. */
export function closureOn(date: string, exceptions: Exceptions): string | undefined {
  const year = yearOfDay(parseDay(date));
  const closed = publishedYear(year)?.closed ?? holidaysOf(year);
  const exception = exceptions.get(date);
  return closed.get(date) ?? (exception?.closed ? exception.reason : undefined);
}

function excepted(scheduled: Hours, exception: CalendarException | undefined): Hours | null {
  if (!exception) return scheduled;
  if (exception.closed) return null;
  return { open: exception.open ?? scheduled.open, close: exception.close ?? scheduled.close };
}

const instantsOf = (day: Day, { open, close }: Hours) => ({
  open: instantAt(day, minutesOf(open)),
  close: instantAt(day, minutesOf(close)),
  early: close < CLOSE,
});

/** Cache of parsed times of day: nearly all sessions share three of them. */
const known = new Map<string, number>();

function minutesOf(hhmm: string): number {
  let minutes = known.get(hhmm);
  if (minutes === undefined) known.set(hhmm, (minutes = parseTime(hhmm)));
  return minutes;
}

const FIRST_OPEN = '04:01';
const LAST_CLOSE = '19:59';

/**
 * @returns the exceptions by date; if a date occurs twice, the later entry wins
 * @throws {InvalidValueError} for a malformed date or time, for a date on which the rules have no session, and for
 * hours that leave no room for a pre and a post session
 */
export function indexExceptions(list: readonly CalendarException[]): Exceptions {
  for (const exception of list) {
    const day = parseDay(exception.date);
    const scheduled = weekdayOf(day) > FRIDAY ? null : scheduleOf(yearOfDay(day))(exception.date);
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
