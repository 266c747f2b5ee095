import { IANAZone } from 'luxon';
import { InvalidValueError, orElse } from '../core/errors.ts';
import { MINUTE_MS, HOUR_MS, DAY_MS, epochMs, type EpochMs } from '../core/brand.ts';

/** Calendar day without a zone, as the ms of its midnight in UTC, so that days can be counted and compared. */
export type Day = number;

const MONDAY_1970_01_05 = 4 * DAY_MS;

/** Day of a date. `month` counts from 1. A day past the end of its month overflows into the next. */
export const dayOf = (year: number, month: number, day: number): Day => Date.UTC(year, month - 1, day);

/** Weekday: 0 is Monday, 6 is Sunday. */
export const weekdayOf = (day: Day): number => ((((day - MONDAY_1970_01_05) / DAY_MS) % 7) + 7) % 7;

/** `YYYY-MM-DD`. */
export const dateOf = (day: Day): string => new Date(day).toISOString().slice(0, 10);

export const yearOfDay = (day: Day): number => new Date(day).getUTCFullYear();

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

/** @throws {InvalidValueError} for anything but an existing date written `YYYY-MM-DD` */
export function parseDay(date: string): Day {
  const [, year, month, day] = DATE.exec(date) ?? [];
  const parsed = dayOf(Number(year), Number(month), Number(day));
  if (Number.isNaN(parsed) || dateOf(parsed) !== date)
    throw new InvalidValueError(`"${date}" is not a date: write YYYY-MM-DD, as 2026-11-27`);
  return parsed;
}

/**
 * Zone of the IANA database. luxon's own check of a name formats the present time, which the strategies' realm forbids:
 * Node's list is used instead, also in processes that have locked the realm.
 * @throws {RangeError} for an unknown name
 */
function placeOf(name: string): IANAZone {
  new Intl.DateTimeFormat('en-US', { timeZone: name });
  return Object.assign(IANAZone.create(name), { valid: true });
}

/** Created on first use: that takes tens of milliseconds, and a thread of strategies may never need it. */
let newYork: IANAZone | undefined;

/** Time in ms within which New York never changes its clocks twice. */
const STEP_MS = 63 * DAY_MS;

/** Offset that applies from `from` up to, but not including, `until`. */
type Stretch = Readonly<{ from: number; until: number; offsetMs: number }>;

const known = new Map<number, readonly Stretch[]>();
/** Span of the latest lookup, because the next one is nearly always in it. */
let latest: Stretch = { from: 0, until: 0, offsetMs: 0 };

/**
 * Offset of New York from UTC at an instant, in ms: negative. The days on which clocks change are read once per UTC
 * year, because a lookup costs microseconds and days are counted by the thousand.
 */
function newYorkOffset(at: number): number {
  if (at >= latest.from && at < latest.until) return latest.offsetMs;
  const year = yearOfDay(at);
  let stretches = known.get(year);
  if (stretches === undefined) known.set(year, (stretches = stretchesOf(year)));
  const found = stretches.find(({ until }) => at < until);
  if (found) latest = found;
  return found?.offsetMs ?? ask(at);
}

const ask = (at: number): number => (newYork ??= placeOf('America/New_York')).offset(at) * MINUTE_MS;

function stretchesOf(year: number): Stretch[] {
  const [start, end] = [dayOf(year, 1, 1), dayOf(year + 1, 1, 1)];
  const stretches: Stretch[] = [];
  let [from, offsetMs] = [start, ask(start)];
  for (let at = start; at < end; at += STEP_MS) {
    const later = Math.min(at + STEP_MS, end);
    if (ask(later) === offsetMs) continue;
    const until = changeBetween(at, later);
    stretches.push({ from, until, offsetMs });
    [from, offsetMs] = [until, ask(until)];
  }
  return [...stretches, { from, until: end, offsetMs }];
}

/** First full hour with the later offset: New York has always changed its clocks at a full hour of UTC. */
function changeBetween(from: number, until: number): number {
  const before = ask(from);
  let [low, high] = [from, until];
  while (high - low > HOUR_MS) {
    const middle = low + Math.floor((high - low) / 2 / HOUR_MS) * HOUR_MS;
    if (ask(middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** Minutes since midnight. @throws {InvalidValueError} for anything but `00:00` to `23:59` */
export function parseTime(hhmm: string): number {
  const [, hours, minutes] = TIME.exec(hhmm) ?? [];
  if (hours === undefined || minutes === undefined)
    throw new InvalidValueError(`"${hhmm}" is not a time: write HH:MM, as 09:30`);
  return Number(hours) * 60 + Number(minutes);
}

/**
 * Instant at which clocks in New York show `hhmm` on `date`. For an hour that occurs twice (autumn), the first; a time
 * that is skipped (spring) is read as if the clocks had not been changed: 02:30 becomes 03:30.
 * @throws {InvalidValueError} when the date or the time is malformed
 */
export const newYorkTime = (date: string, hhmm: string): EpochMs =>
  instantAt(parseDay(date), parseTime(hhmm));

/** Instant of a day and the minutes since its midnight in New York. */
export function instantAt(day: Day, minutes: number): EpochMs {
  // luxon's constructors guess by today's offset, so an hour that occurs twice would depend on the season of the run
  const wall = day + minutes * MINUTE_MS;
  const before = newYorkOffset(wall - DAY_MS);
  const after = newYorkOffset(wall + DAY_MS);
  const first = wall - before;
  const shown = before === after || newYorkOffset(first) === before;
  const second = wall - after;
  return epochMs(shown || newYorkOffset(second) !== after ? first : second);
}

/** Date in New York at an instant, `YYYY-MM-DD`. */
export const newYorkDate = (at: EpochMs): string => dateOf(at + newYorkOffset(at));

/** Time in New York at an instant, `HH:MM`. */
export const newYorkClock = (at: EpochMs): string =>
  new Date(at + newYorkOffset(at)).toISOString().slice(11, 16);

/** Date and time in New York at an instant, `YYYY-MM-DD HH:MM`. */
export const newYorkMinute = (at: number): string =>
  `${newYorkDate(epochMs(at))} ${newYorkClock(epochMs(at))}`;

/** Clock of a place. `offset`: from UTC in ms at an instant; `instant`: of a day and the ms since its midnight. */
export type Zone = Readonly<{
  name: string;
  offset(at: number): number;
  instant(day: Day, ms: number): number;
}>;

export const NEW_YORK: Zone = {
  name: 'America/New_York',
  offset: newYorkOffset,
  instant: (day, ms) => instantAt(day, Math.floor(ms / MINUTE_MS)) + (ms % MINUTE_MS),
};

/** Zone without clock changes. @param offset from UTC, in ms */
export const fixedZone = (name: string, offset: number): Zone => ({
  name,
  offset: () => offset,
  instant: (day, ms) => day + ms - offset,
});

/**
 * Meanings of an abbreviation in files of exchanges and brokers: offsets in hours, and places whose clocks it stands
 * for. Many write EST all year round.
 */
const ABBREVIATIONS: Readonly<Record<string, readonly (number | string)[]>> = {
  UTC: [0],
  GMT: [0],
  Z: [0],
  EST: [-5, 'America/New_York'],
  EDT: [-4, 'America/New_York'],
  CT: ['America/Chicago'],
  CST: [-6, 'America/Chicago', 'Asia/Shanghai'],
  CDT: [-5, 'America/Chicago'],
  MST: [-7, 'America/Denver'],
  MDT: [-6, 'America/Denver'],
  PT: ['America/Los_Angeles'],
  PST: [-8, 'America/Los_Angeles'],
  PDT: [-7, 'America/Los_Angeles'],
  BST: [1, 'Europe/London', 'Asia/Dhaka'],
  CET: [1, 'Europe/Berlin'],
  CEST: [2, 'Europe/Berlin'],
  EET: [2, 'Europe/Helsinki'],
  EEST: [3, 'Europe/Helsinki'],
  MSK: [3],
  IST: ['Asia/Kolkata', 'Asia/Jerusalem', 'Europe/Dublin'],
  HKT: [8],
  SGT: [8],
  JST: [9],
  KST: [9],
};
/** Number of meanings from which an abbreviation counts as ambiguous. */
const OF_SEVERAL_PLACES = 3;
const NEW_YORK_NAMES = /^(america\/new_york|us\/eastern|et|est5edt|eastern|eastern time|new[ _-]?york)$/i;

/** Zone with a name; null if there is none, and for an ambiguous abbreviation. */
export function zoneNamed(name: string): Zone | null {
  const zones = zonesNamed(name);
  return zones.length < OF_SEVERAL_PLACES ? (zones[0] ?? null) : null;
}

const readings = new Map<string, readonly Zone[]>();

/** Zones for an abbreviation, an offset such as `-0500`, or a name such as `Europe/Warsaw`; none for other words. */
export function zonesNamed(name: string): readonly Zone[] {
  let zones = readings.get(name);
  if (!zones) readings.set(name, (zones = readingsOf(name)));
  return zones;
}

function readingsOf(name: string): readonly Zone[] {
  if (NEW_YORK_NAMES.test(name)) return [NEW_YORK];
  const known = ABBREVIATIONS[name.toUpperCase()] ?? [];
  if (known.length > 0)
    return known.flatMap((one) =>
      typeof one === 'string'
        ? readingsOf(one)
        : [fixedZone(one === 0 ? name : `UTC${one > 0 ? '+' : ''}${one}`, one * 60 * MINUTE_MS)],
    );
  const [, sign, hour, minute = '00'] = /^(?:UTC|GMT)?([+-])(\d{1,2}):?(\d{2})?$/i.exec(name) ?? [];
  if (hour !== undefined) {
    const minutes = Number(hour) * 60 + Number(minute);
    return [fixedZone(name, (sign === '-' ? -minutes : minutes) * MINUTE_MS)];
  }
  return name.includes('/') ? orElse(() => [placeZone(name)], []) : [];
}

function placeZone(name: string): Zone {
  const zone = placeOf(name);
  const offset = (at: number) => zone.offset(at) * MINUTE_MS;
  const instant = (day: Day, ms: number) => {
    const wall = day + ms;
    const first = wall - offset(wall - DAY_MS);
    return first + offset(first) === wall ? first : wall - offset(wall + DAY_MS);
  };
  return { name, offset, instant };
}
