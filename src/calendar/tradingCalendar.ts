import { HOUR_MS, type EpochMs } from '../core/brand.ts';
import { countWhile } from '../core/countWhile.ts';
import { InvalidValueError, invariant } from '../core/errors.ts';
import { dayOf, parseDay, yearOfDay, newYorkDate, newYorkTime } from './zone.ts';
import { exceptions, exceptionsAsOf, type CalendarException, publishedOn, publishedUntil } from './rules.ts';
import { spansOf, type PhaseAt, type Span } from './phases.ts';
import { closureOn, indexExceptions, sessionsOf, type Session } from './sessions.ts';

/**
 * Regular sessions of the New York Stock Exchange and the phases around them, 2000-01-01 to 2050-12-31 New York.
 * Every method throws `InvalidValueError` for a malformed date and for a date or an instant outside those years.
 */
export interface TradingCalendar {
  /** Sessions from one date to another, both inclusive, `YYYY-MM-DD`. Throws `InvalidValueError` if out of order. */
  sessions(from: string, to: string): Session[];
  sessionOn(date: string): Session | undefined;
  /** Reason why a weekday has no session, such as `Labor Day`. */
  closureOn(date: string): string | undefined;
  /** Session of a day, or the next one after it. */
  sessionFrom(date: string): Session;
  /** Regular session with open <= at < close. */
  sessionAt(at: EpochMs): Session | undefined;
  /** First session whose open is after `at`. At the end of 2050 that is the first of 2051. */
  nextSession(at: EpochMs): Session;
  /** Last session whose close is at or before `at`. Throws before the first close of 2000. */
  previousSession(at: EpochMs): Session;
  phaseAt(at: EpochMs): PhaseAt;
  /** Date in New York, `YYYY-MM-DD`; any year. */
  newYorkDate(at: EpochMs): string;
  /** Instant of a wall time in New York, `HH:MM`, on a date; any year. */
  newYorkTime(date: string, hhmm: string): EpochMs;
  /** Date after which unscheduled closures are unknown. */
  readonly exceptionsAsOf: string;
  /** Publication date of the exchange's latest list of closures, and its last day: the rules apply after it. */
  readonly published: Readonly<{ on: string; until: string }>;
}

/** Calendar of a run, which may learn of closures and hours while it runs. */
export type ChangeableCalendar = TradingCalendar &
  Readonly<{
    /** Replaces all exceptions beyond those of the table. */
    change(further: readonly CalendarException[]): void;
  }>;

const FIRST_YEAR = 2000;
const LAST_YEAR = 2050;
/** Offset in ms that New York is behind UTC at the start of any year. */
const NEW_YEAR_OFFSET_MS = 5 * HOUR_MS;

/** @param further exceptions, such as closures announced since; they replace rows of the table with the same date */
export function createTradingCalendar(further: readonly CalendarException[] = []): ChangeableCalendar {
  let years = createYears([...exceptions, ...further]);

  const sessions = (from: string, to: string): Session[] => {
    const [first, last] = [yearOfDate(from), yearOfDate(to)];
    if (from > to) throw new InvalidValueError(`${from} is after ${to}. Swap the two dates`);
    const each = Array.from({ length: last - first + 1 }, (_, index) => years.sessions(first + index));
    return each.flat().filter(({ date }) => date >= from && date <= to);
  };

  const nextSession = (at: EpochMs): Session => {
    const year = yearOf(at);
    const ofYear = years.sessions(year);
    return ofYear[countWhile(ofYear, ({ open }) => open <= at)] ?? years.firstOf(year + 1);
  };

  const previousSession = (at: EpochMs): Session => {
    const year = yearOf(at);
    const ofYear = years.sessions(year);
    const found = ofYear[countWhile(ofYear, ({ close }) => close <= at) - 1];
    return found ?? years.lastBefore(year);
  };

  const sessionAt = (at: EpochMs): Session | undefined => {
    const ofYear = years.sessions(yearOf(at));
    const opened = ofYear[countWhile(ofYear, ({ open }) => open <= at) - 1];
    return opened && at < opened.close ? opened : undefined;
  };

  const phaseAt = (at: EpochMs): PhaseAt => {
    const spans = years.spans(yearOf(at));
    const span = spans[countWhile(spans, ({ from }) => from <= at) - 1];
    invariant(span !== undefined, 'every instant of a year has a phase', { at });
    return span.at;
  };

  const sessionOn = (date: string): Session | undefined => years.byDate(yearOfDate(date)).get(date);
  const sessionFrom = (date: string): Session => sessionOn(date) ?? nextSession(newYorkTime(date, '00:00'));

  return {
    sessions,
    sessionOn,
    closureOn: (date) => (sessionOn(date) ? undefined : years.closures(date)),
    sessionFrom,
    sessionAt,
    nextSession,
    previousSession,
    phaseAt,
    newYorkDate,
    newYorkTime,
    exceptionsAsOf,
    published: { on: publishedOn, until: publishedUntil },
    change: (others) => void (years = createYears([...exceptions, ...others])),
  };
}

/** Years of the calendar, each computed on first use. */
function createYears(list: readonly CalendarException[]) {
  const byDateOf = indexExceptions(list);
  const sessions = remember((year) => sessionsOf(year, byDateOf));
  const firstOf = (year: number): Session => {
    const first = sessions(year)[0];
    invariant(first !== undefined, 'every year has a session', { year });
    return first;
  };
  const lastBefore = (year: number): Session => {
    const last = year > FIRST_YEAR ? sessions(year - 1).at(-1) : undefined;
    if (!last) throw new InvalidValueError(`The calendar knows no session before the first of ${FIRST_YEAR}`);
    return last;
  };
  return {
    sessions,
    closures: (date: string) => closureOn(date, byDateOf),
    firstOf,
    lastBefore,
    byDate: remember((year) => new Map(sessions(year).map((session) => [session.date, session]))),
    spans: remember((year): readonly Span[] => spansOf(sessions(year), firstOf(year + 1))),
  };
}

function remember<Value>(make: (year: number) => Value): (year: number) => Value {
  const known = new Map<number, Value>();
  return (year) => {
    let value = known.get(year);
    if (value === undefined) known.set(year, (value = make(year)));
    return value;
  };
}

/** Year of the latest instant, because the next lookup is nearly always in it: saves a `Date` for each bar. */
let latest = { year: 0, from: 0, until: 0 };

function yearOf(at: EpochMs): number {
  if (at >= latest.from && at < latest.until) return latest.year;
  const year = checkedYear(yearOfDay(at - NEW_YEAR_OFFSET_MS), at);
  const [from, until] = [dayOf(year, 1, 1), dayOf(year + 1, 1, 1)].map((day) => day + NEW_YEAR_OFFSET_MS);
  latest = { year, from: from ?? 0, until: until ?? 0 };
  return year;
}

const yearOfDate = (date: string): number => checkedYear(yearOfDay(parseDay(date)), date);

function checkedYear(year: number, of: string | EpochMs): number {
  if (year >= FIRST_YEAR && year <= LAST_YEAR) return year;
  const what = typeof of === 'string' ? of : `The instant ${of}`;
  throw new InvalidValueError(`${what} is outside the calendar, ${FIRST_YEAR}-01-01 to ${LAST_YEAR}-12-31`);
}
