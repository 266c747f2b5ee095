import { epochMs, type EpochMs } from '../core/brand.ts';
import { InvalidValueError } from '../core/errors.ts';
import { DAY_MS, dateOf, parseDay, type Day } from './days.ts';
import { newYorkOffset } from './offset.ts';

const MINUTE_MS = 60_000;
const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** Minutes since midnight. @throws {InvalidValueError} for anything but `00:00` to `23:59` */
export function parseTime(hhmm: string): number {
  const [, hours, minutes] = TIME.exec(hhmm) ?? [];
  if (hours === undefined || minutes === undefined)
    throw new InvalidValueError(`"${hhmm}" is not a time: write HH:MM, as 09:30`);
  return Number(hours) * 60 + Number(minutes);
}

/**
 * The instant at which clocks in New York show `hhmm` on `date`. Of an hour that comes twice (autumn) it is the
 * first; a time that is skipped (spring) is read as if the clocks had not been changed: 02:30 becomes 03:30.
 * @throws {InvalidValueError} when the date or the time is malformed
 */
export const newYorkTime = (date: string, hhmm: string): EpochMs =>
  instantAt(parseDay(date), parseTime(hhmm));

/** The same for a day and the minutes since its midnight. */
export function instantAt(day: Day, minutes: number): EpochMs {
  // luxon's constructors guess by today's offset: they would read an hour that comes twice by the season of the run
  const wall = day + minutes * MINUTE_MS;
  const before = newYorkOffset(wall - DAY_MS);
  const after = newYorkOffset(wall + DAY_MS);
  const first = wall - before;
  const shown = before === after || newYorkOffset(first) === before;
  const second = wall - after;
  return epochMs(shown || newYorkOffset(second) !== after ? first : second);
}

/** `YYYY-MM-DD` as New York writes it at that instant. */
export const newYorkDate = (at: EpochMs): string => dateOf(at + newYorkOffset(at));

/** `HH:MM` as clocks in New York show it at that instant. */
export const newYorkClock = (at: EpochMs): string =>
  new Date(at + newYorkOffset(at)).toISOString().slice(11, 16);
